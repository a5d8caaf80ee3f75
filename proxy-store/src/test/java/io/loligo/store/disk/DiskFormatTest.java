package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.RollSheet;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.purge.PurgeBucket;
import io.loligo.store.disk.read.StoredHead;
import io.loligo.store.disk.record.RecordMap;
import io.loligo.store.disk.segment.Segment;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes on disk are as {@code docs/disk-format.md} says: this test reads its tables. */
final class DiskFormatTest {
  private static final String URL = "http://a/";
  private static final String FIELDS = "A: b\r\n\r\n";
  private static final long SIZE = 16 << 20;
  private static final int MEAN_BYTES = 13 << 10;
  private static final int SEGMENT = 1 << 18;

  private final FormatPage page = new FormatPage();

  @TempDir Path temp;

  private DiskFixture open() throws IOException {
    DiskSettings here = disk(dir(temp, SIZE));
    return new DiskFixture(here);
  }

  /** Stores one response in a new directory and closes that. */
  private void store(byte[] content) throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, content);
      assertThat(fixture.stats().objects()).isEqualTo(1);
    }
  }

  private ByteBuf file(String name) throws IOException {
    return Unpooled.wrappedBuffer(Files.readAllBytes(temp.resolve(name)));
  }

  private static byte[] part(ByteBuf bytes, int from, int to) {
    return ByteBufUtil.getBytes(bytes, from, to - from);
  }

  private static int crc(byte[]... parts) {
    CRC32C crc = new CRC32C();
    for (byte[] part : parts) {
      crc.update(part);
    }
    return (int) crc.getValue();
  }

  private static int crc(byte[] bytes, int from, int to) {
    return crc(Arrays.copyOfRange(bytes, from, to));
  }

  @Test
  void hasTheConstantsOfThePage() {
    assertThat(Marks.VERSION).isEqualTo((int) page.constant("version"));
    assertThat(Block.MAGIC).isEqualTo((int) page.constant("magic of a block"));
    assertThat((int) Block.FIRST).isEqualTo((int) page.constant("kind of a first block"));
    assertThat((int) Block.FURTHER).isEqualTo((int) page.constant("kind of a further block"));
    assertThat(Lane.PROBATION.ordinal()).isEqualTo((int) page.constant("lane PROBATION"));
    assertThat(Lane.MAIN.ordinal()).isEqualTo((int) page.constant("lane MAIN"));
    assertThat(Segment.Kind.PACKED.ordinal()).isEqualTo((int) page.constant("kind PACKED"));
    assertThat(Segment.Kind.STREAM.ordinal()).isEqualTo((int) page.constant("kind STREAM"));
    assertThat(Block.ALIGNMENT).isEqualTo((int) page.constant("alignment of blocks"));
    assertThat(Block.MAX_BYTES).isEqualTo((int) page.constant("bytes of a block at most"));
    assertThat(Block.STRIDE)
        .isEqualTo((int) page.constant("bytes from one further block to the next"));
    assertThat(Block.PAGE_BYTES).isEqualTo((int) page.constant("bytes of a page"));
    assertThat(Block.HEADER_BYTES).isEqualTo(page.end("Block header", "padding"));
    assertThat(FirstBlock.FIXED_BYTES).isEqualTo(page.offset("First block", "key"));
    assertThat(Geometry.SEGMENT_HEADER_BYTES).isEqualTo(page.end("Segment header", "padding"));
    assertThat(Contents.HEAD_BYTES).isEqualTo(page.end("Contents head", "padding"));
    assertThat(Contents.ENTRY_BYTES).isEqualTo(page.end("Contents entry", "flags"));
    assertThat(Journal.HEADER_BYTES).isEqualTo(page.end("Journal header", "padding"));
    assertThat(Journal.RECORD_BYTES).isEqualTo(page.end("Journal record", "c"));
    for (Journal.Type type : Journal.Type.values()) {
      assertThat(type.ordinal() + 1).as("%s", type).isEqualTo(page.type(type.name()));
    }
    assertThat(StoredHead.COPY_BYTES).as("heads in memory").isBetween(480, RecordMap.RECORD_BYTES);
  }

  // Marks

  @Test
  void writesTheHeaderOfThePage() throws IOException {
    store(bytes(10));
    byte[] bytes = Files.readAllBytes(temp.resolve("header"));
    ByteBuf header = Unpooled.wrappedBuffer(bytes);
    Geometry geometry = Geometry.of(SIZE, MEAN_BYTES);

    assertThat(bytes).hasSize(page.end("Header", "padding"));
    assertThat(header.getLong(page.offset("Header", "magic")))
        .isEqualTo(page.constant("magic of header"));
    assertThat(header.getInt(page.offset("Header", "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(header.getInt(page.offset("Header", "checksum")))
        .isEqualTo(crc(bytes, page.offset("Header", "secret"), bytes.length));
    assertThat(header.getLong(page.offset("Header", "secret"))).isNotZero();
    assertThat(header.getLong(page.offset("Header", "total"))).isEqualTo(SIZE);
    assertThat(header.getInt(page.offset("Header", "records"))).isEqualTo(geometry.records());
    assertThat(header.getInt(page.offset("Header", "segment bytes"))).isEqualTo(SEGMENT);
    int segments = header.getInt(page.offset("Header", "segments"));
    assertThat((long) segments * SEGMENT).isEqualTo(Files.size(temp.resolve("slabs")));
    for (int i = 0; i < 2; i++) {
      assertThat(temp.resolve("checkpoint." + i)).hasSize(geometry.checkpointBytes());
    }
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      assertThat(temp.resolve("journal." + i)).hasSize(geometry.journalBytes());
    }
    try (var files = Files.list(temp)) {
      assertThat(files.mapToLong(file -> file.toFile().length()).sum()).isLessThanOrEqualTo(SIZE);
    }
  }

  @Test
  void writesTheRollOfThePage() throws IOException {
    store(bytes(10));
    byte[] bytes = Files.readAllBytes(temp.resolve("ROLL"));
    ByteBuf roll = Unpooled.wrappedBuffer(bytes);

    assertThat(bytes).hasSize(page.end("ROLL", "padding"));
    assertThat(roll.getLong(page.offset("ROLL", "magic")))
        .isEqualTo(page.constant("magic of ROLL"));
    assertThat(roll.getInt(page.offset("ROLL", "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(roll.getInt(page.offset("ROLL", "checksum")))
        .isEqualTo(crc(bytes, page.offset("ROLL", "own"), bytes.length));
    assertThat(roll.getLong(page.offset("ROLL", "number"))).isPositive();
    assertThat(roll.getInt(page.offset("ROLL", "behind"))).isZero();
    assertThat(roll.getInt(page.offset("ROLL", "count"))).isOne();
    assertThat(roll.getLong(page.offset("ROLL", "members")))
        .isEqualTo(roll.getLong(page.offset("ROLL", "own")));
    assertThat(page.end("ROLL", "members") - page.offset("ROLL", "members"))
        .isEqualTo(RollSheet.MAX_MEMBERS * Long.BYTES);
  }

  @Test
  void writesThePurgesOfThePage() throws IOException {
    store(bytes(10));
    ByteBuf purges = file("purges");
    assertThat(purges.getLong(page.offset("Purges", "magic")))
        .isEqualTo(page.constant("magic of purges"));
    assertThat(purges.getInt(page.offset("Purges", "version")))
        .isEqualTo((int) page.constant("version"));
    int buckets = purges.getInt(page.offset("Purges", "count"));
    assertThat(buckets).isEqualTo(512);
    assertThat(page.end("Bucket", "names")).isEqualTo(PurgeBucket.BYTES);
    assertThat(page.end("Cell", "moment")).isEqualTo(PurgeBucket.CELL_BYTES);
    assertThat(purges.capacity())
        .isEqualTo(page.offset("Purges", "buckets") + buckets * PurgeBucket.BYTES);
  }

  // Segments

  /** A block as it stands, its header checked. */
  private ByteBuf block(ByteBuf slabs, int at, long generation, String kind, int number) {
    int length = slabs.getInt(at + page.offset("Block header", "length"));
    byte[] bytes = part(slabs, at, at + length);
    ByteBuf block = Unpooled.wrappedBuffer(bytes);
    assertThat(block.getInt(page.offset("Block header", "magic")))
        .isEqualTo((int) page.constant("magic of a block"));
    assertThat(block.getInt(page.offset("Block header", "checksum")))
        .isEqualTo(crc(bytes, page.offset("Block header", "length"), length));
    assertThat(block.getByte(page.offset("Block header", "kind")))
        .isEqualTo((byte) page.constant(kind));
    assertThat(block.getByte(page.offset("Block header", "lane")))
        .isEqualTo((byte) page.constant("lane PROBATION"));
    assertThat(block.getLong(page.offset("Block header", "generation"))).isEqualTo(generation);
    assertThat(block.getLong(page.offset("Block header", "object"))).isPositive();
    assertThat(block.getInt(page.offset("Block header", "number"))).isEqualTo(number);
    return block;
  }

  private int field(ByteBuf first, String name) {
    return first.getInt(page.offset("First block", name));
  }

  private long generation(ByteBuf slabs) {
    return slabs.getLong(page.offset("Segment header", "generation"));
  }

  @Test
  void writesTheSegmentAndTheFirstBlockOfThePage() throws IOException {
    byte[] content = bytes(1000);
    store(content);
    ByteBuf slabs = file("slabs");

    assertThat(slabs.getInt(page.offset("Segment header", "magic")))
        .isEqualTo((int) page.constant("magic of a segment"));
    assertThat(generation(slabs)).isPositive();
    ByteBuf first = block(slabs, 64, generation(slabs), "kind of a first block", 0);
    assertThat(first.getLong(page.offset("First block", "content length")))
        .isEqualTo(content.length);
    assertThat(field(first, "first content")).isEqualTo(content.length);
    assertThat(field(first, "fields length")).isEqualTo(FIELDS.length());
    assertThat(field(first, "key length")).isEqualTo(URL.length());
    assertThat(field(first, "pieces")).isZero();
    assertThat(first.getLong(page.offset("First block", "version")))
        .isGreaterThan(generation(slabs));
    assertThat(first.getLong(page.offset("First block", "high"))).isNotZero();
    assertThat(first.getLong(page.offset("First block", "low"))).isNotZero();
    int metaLength = field(first, "meta length");
    int key = page.offset("First block", "key");
    int meta = key + URL.length();
    int fields = meta + metaLength;
    assertThat(text(first, key, URL.length())).isEqualTo(URL);
    StoredMeta read = StoredForm.readMeta(first.slice(meta, metaLength));
    assertThat(read.status()).isEqualTo(200);
    assertThat(read.lifetimeSeconds()).isEqualTo(60);
    assertThat(text(first, fields, FIELDS.length())).isEqualTo(FIELDS);
    assertThat(part(first, fields + FIELDS.length(), first.capacity())).isEqualTo(content);
  }

  private static String text(ByteBuf block, int from, int length) {
    return block.toString(from, length, StandardCharsets.ISO_8859_1);
  }

  /** One first block behind the other, at multiples of 64; a new buffer begins at a page. */
  @Test
  void putsBlocksWhereThePageSays() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.store.fill(URL, bytes(1000));
      fixture.put(URL + 2, bytes(2000));
      fixture.put(URL + 3, bytes(3000));
    }
    ByteBuf slabs = file("slabs");
    ByteBuf one = block(slabs, 64, generation(slabs), "kind of a first block", 0);
    int behind = 64 + (one.capacity() + 63) / 64 * 64;
    ByteBuf two = block(slabs, behind, generation(slabs), "kind of a first block", 0);
    assertThat(field(two, "first content")).isEqualTo(2000);
    int pageBytes = (int) page.constant("bytes of a page");
    ByteBuf three = block(slabs, pageBytes, generation(slabs), "kind of a first block", 0);
    assertThat(field(three, "first content")).isEqualTo(3000);
    long version = two.getLong(page.offset("First block", "version"));
    assertThat(version).isGreaterThan(one.getLong(page.offset("First block", "version")));
    assertThat(part(slabs, behind + two.capacity(), pageBytes)).containsOnly(0);
  }

  @Test
  void writesThePiecesOfThePage() throws IOException {
    byte[] content = bytes(150_000);
    store(content);
    ByteBuf slabs = file("slabs");
    int header = page.end("Block header", "padding");
    int full = (int) page.constant("bytes of a block at most");
    int stride = (int) page.constant("bytes from one further block to the next");
    // its pieces are written first
    int packed = SEGMENT;
    assertThat(slabs.getInt(packed)).isEqualTo((int) page.constant("magic of a segment"));
    long generation = slabs.getLong(packed + page.offset("Segment header", "generation"));
    ByteBuf first = block(slabs, packed + 64, generation, "kind of a first block", 0);

    assertThat(field(first, "pieces")).isEqualTo(1);
    assertThat(field(first, "piece blocks")).isEqualTo(SEGMENT / stride);
    int place =
        page.offset("First block", "key")
            + field(first, "key length")
            + field(first, "meta length");
    assertThat(first.getInt(place)).as("segment").isZero();
    assertThat(first.getInt(place + 4)).as("offset").isZero();
    long life = slabs.getLong(page.offset("Block header", "generation"));
    assertThat(life).isPositive().isNotEqualTo(generation);
    ByteBuf one = block(slabs, 0, life, "kind of a further block", 1);
    ByteBuf two = block(slabs, stride, life, "kind of a further block", 2);
    assertThat(one.capacity()).isEqualTo(full);
    assertThat(two.getLong(page.offset("Block header", "object")))
        .isEqualTo(first.getLong(page.offset("Block header", "object")));
    int firstContent = field(first, "first content");
    int secondPart = firstContent + full - header;
    int fields = place + 8;
    assertThat(text(first, fields, FIELDS.length())).isEqualTo(FIELDS);
    assertThat(part(first, fields + FIELDS.length(), first.capacity()))
        .isEqualTo(Arrays.copyOf(content, firstContent));
    assertThat(part(one, header, full))
        .isEqualTo(Arrays.copyOfRange(content, firstContent, secondPart));
    assertThat(part(two, header, two.capacity()))
        .isEqualTo(Arrays.copyOfRange(content, secondPart, content.length));
    assertThat(full - first.capacity()).as("left for a head that grows").isBetween(1024, 1032);
  }

  @Test
  void cancelsAResponseRemovedWhileInItsBuffer() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.store.fill(URL, bytes(1000));
      assertThat(fixture.purge(URL)).isOne();
      fixture.put(URL + 2, bytes(100));
    }
    ByteBuf slabs = file("slabs");
    int behind = 64;
    while (slabs.getInt(behind) != (int) page.constant("magic of a block")
        || slabs.getInt(behind + page.offset("First block", "first content")) != 100) {
      behind += 64;
    }
    assertThat(behind).isGreaterThan(1000);
  }

  // Contents

  private int head(String field) {
    return page.offset("Contents head", field);
  }

  private int entry(String field) {
    return page.offset("Contents entry", field);
  }

  /** Checks the head at {@code at}, and each entry against its first block; how many. */
  private int contents(ByteBuf in, int at, int entries, ByteBuf slabs) {
    assertThat(in.getInt(at + head("magic"))).isEqualTo((int) page.constant("magic of contents"));
    int length = in.getInt(at + head("length"));
    assertThat(in.getInt(at + head("checksum")))
        .isEqualTo(
            crc(
                part(in, at + head("generation"), at + page.end("Contents head", "padding")),
                part(in, entries, entries + length)));
    int segment = in.getInt(at + head("segment"));
    long generation = in.getLong(at + head("generation"));
    assertThat(slabs.getLong(segment * SEGMENT + page.offset("Segment header", "generation")))
        .isEqualTo(generation);
    int count = 0;
    int from = entries;
    while (from < entries + length) {
      int block = segment * SEGMENT + in.getInt(from + entry("offset"));
      ByteBuf first = block(slabs, block, generation, "kind of a first block", 0);
      for (String field : List.of("high", "low", "version")) {
        assertThat(in.getLong(from + entry(field)))
            .as(field)
            .isEqualTo(first.getLong(page.offset("First block", field)));
      }
      assertThat(in.getUnsignedShort(from + entry("length"))).isEqualTo(first.capacity());
      int pieces = field(first, "pieces");
      assertThat((int) in.getByte(from + entry("flags"))).isEqualTo(pieces > 0 ? 1 : 0);
      from += page.end("Contents entry", "flags");
      if (pieces > 0) {
        assertThat(in.getInt(from)).as("a full piece").isEqualTo(SEGMENT);
        assertThat(in.getInt(from + 4)).as("the last piece").isPositive();
        assertThat(in.getInt(from + 8)).isEqualTo(pieces);
        int places =
            page.offset("First block", "key")
                + field(first, "key length")
                + field(first, "meta length");
        assertThat(part(in, from + 12, from + 12 + 8 * pieces))
            .isEqualTo(part(first, places, places + 8 * pieces));
        from += 12 + 8 * pieces;
      }
      count++;
    }
    assertThat(from).isEqualTo(entries + length);
    assertThat(in.getInt(at + head("count"))).isEqualTo(count);
    return count;
  }

  /** Enough that segments are sealed. */
  private void fill(DiskFixture fixture) {
    for (int i = 0; i < 60; i++) {
      fixture.store.fill(URL + i, bytes(i % 20 == 7 ? 150_000 : 10_000 + i));
    }
    fixture.settle();
  }

  @Test
  void writesTheFooterOfThePage() throws IOException {
    ByteBuf slabs;
    try (DiskFixture fixture = open()) {
      fill(fixture);
      slabs = file("slabs");
    }
    int footers = 0;
    int entries = 0;
    for (int end = SEGMENT; end <= slabs.capacity(); end += SEGMENT) {
      int at = end - page.end("Contents head", "padding");
      if (slabs.getInt(at) == (int) page.constant("magic of contents")) {
        entries += contents(slabs, at, at - slabs.getInt(at + head("length")), slabs);
        footers++;
      }
    }
    assertThat(footers).isGreaterThanOrEqualTo(2);
    assertThat(entries).isBetween(footers * 15, 60);
  }

  @Test
  void writesTheCheckpointOfThePage() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
    }
    int header = page.end("Checkpoint header", "directory");
    int row = page.end("Checkpoint row", "used");
    String title = "Checkpoint header";
    ByteBuf one = file("checkpoint.0");
    ByteBuf other = file("checkpoint.1");
    boolean isOne =
        one.getLong(page.offset(title, "next number"))
            > other.getLong(page.offset(title, "next number"));
    ByteBuf checkpoint = isOne ? one : other;
    ByteBuf slabs = file("slabs");

    assertThat(header).isEqualTo(64);
    assertThat(checkpoint.getLong(page.offset(title, "magic")))
        .isEqualTo(page.constant("magic of a checkpoint"));
    assertThat(checkpoint.getInt(page.offset(title, "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(checkpoint.getInt(page.offset(title, "checksum")))
        .isEqualTo(crc(part(checkpoint, page.offset(title, "journal"), header)));
    int segments = checkpoint.getInt(page.offset(title, "segments"));
    assertThat(checkpoint.getInt(page.offset(title, "table checksum")))
        .isEqualTo(crc(part(checkpoint, header, header + segments * row)));
    assertThat(checkpoint.getLong(page.offset(title, "directory")))
        .isEqualTo(file("header").getLong(page.offset("Header", "secret")));
    long journal = checkpoint.getLong(page.offset(title, "journal"));
    assertThat(file("journal." + journal % 4).getLong(page.offset("Journal header", "number")))
        .isEqualTo(journal);
    assertThat(checkpoint.getLong(page.offset(title, "position")))
        .isGreaterThanOrEqualTo(page.end("Journal header", "padding"));

    List<Integer> packed = new ArrayList<>();
    for (int at = header; at < header + segments * row; at += row) {
      int number = checkpoint.getInt(at + page.offset("Checkpoint row", "segment"));
      long generation = checkpoint.getLong(at + page.offset("Checkpoint row", "generation"));
      boolean isPacked =
          checkpoint.getByte(at + page.offset("Checkpoint row", "kind"))
              == page.constant("kind PACKED");
      String title2 = isPacked ? "Segment header" : "Block header";
      assertThat(slabs.getLong(number * SEGMENT + page.offset(title2, "generation")))
          .isEqualTo(generation);
      assertThat(checkpoint.getByte(at + page.offset("Checkpoint row", "lane")))
          .isEqualTo((byte) page.constant("lane PROBATION"));
      assertThat((int) checkpoint.getByte(at + page.offset("Checkpoint row", "written")))
          .isEqualTo(1);
      assertThat(checkpoint.getLong(at + page.offset("Checkpoint row", "used")))
          .isBetween(1L, (long) SEGMENT);
      if (isPacked) {
        packed.add(number);
      }
    }
    int from = header + segments * row;
    int entries = 0;
    for (int number : packed) {
      assertThat(checkpoint.getInt(from + head("segment"))).isEqualTo(number);
      int behind = from + page.end("Contents head", "padding");
      entries += contents(checkpoint, from, behind, slabs);
      from = behind + checkpoint.getInt(from + head("length"));
    }
    assertThat(entries).isEqualTo(60);
    assertThat(checkpoint.getLong(page.offset(title, "length"))).isEqualTo(from);
  }

  // Journal

  @Test
  void writesTheJournalOfThePage() throws IOException {
    ByteBuf journal;
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
      assertThat(fixture.purge(URL)).isOne();
      fixture.store.store.clear();
      fixture.settle();
      journal = file("journal.0"); // the first behind the first checkpoint
    }
    ByteBuf slabs = file("slabs");
    String title = "Journal header";
    int header = page.end(title, "padding");
    assertThat(journal.getLong(page.offset(title, "magic")))
        .isEqualTo(page.constant("magic of a journal"));
    assertThat(journal.getInt(page.offset(title, "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(journal.getInt(page.offset(title, "checksum")))
        .isEqualTo(crc(part(journal, page.offset(title, "number"), header)));
    assertThat(journal.getLong(page.offset(title, "number"))).isEqualTo(4);
    assertThat(journal.getLong(page.offset(title, "directory")))
        .isEqualTo(file("header").getLong(page.offset("Header", "secret")));

    title = "Journal record";
    List<Integer> types = new ArrayList<>();
    Map<Long, Long> dropped = new HashMap<>();
    for (int at = header; journal.getByte(at) != 0; at += page.end(title, "c")) {
      int sum = at + page.offset(title, "checksum");
      assertThat(journal.getInt(sum))
          .isEqualTo(
              crc(
                  part(journal, page.offset("Journal header", "number"), 24),
                  part(journal, at, sum),
                  part(journal, sum + 4, at + page.end(title, "c"))));
      int type = journal.getByte(at + page.offset(title, "type"));
      long a = journal.getLong(at + page.offset(title, "a"));
      long b = journal.getLong(at + page.offset(title, "b"));
      long c = journal.getLong(at + page.offset(title, "c"));
      types.add(type);
      if (type == page.type("OPEN")) {
        assertThat(a).isZero();
        assertThat(b).isEqualTo(generation(slabs));
        assertThat(journal.getByte(at + page.offset(title, "lane")))
            .isEqualTo((byte) page.constant("lane PROBATION"));
        assertThat(journal.getByte(at + page.offset(title, "kind")))
            .isEqualTo((byte) page.constant("kind PACKED"));
      } else if (type == page.type("DROP_ALL")) {
        dropped.put(a, c);
      } else if (type == page.type("FORCED")) {
        assertThat(a).isBetween((long) header, (long) at);
        assertThat(b).isEqualTo(4);
      } else if (type == page.type("CLEAR")) {
        assertThat(c).isPositive();
      }
    }
    long high = slabs.getLong(64 + page.offset("First block", "high"));
    assertThat(dropped).containsKey(high);
    assertThat(dropped.get(high))
        .isGreaterThan(slabs.getLong(64 + page.offset("First block", "version")));
    assertThat(types)
        .startsWith(page.type("OPEN"))
        .contains(page.type("DROP_ALL"), page.type("FORCED"), page.type("CLEAR"));
  }

  // Meta and figures

  @Test
  void codesTheMetaOfThePage() {
    StoredMeta meta =
        StoredMeta.builder(203)
            .requestTimeMillis(999_000)
            .responseTimeMillis(1_000_000)
            .dateMillis(999_500)
            .lastModifiedMillis(-1_000)
            .initialAgeSeconds(1)
            .lifetimeSeconds(300)
            .flags(5)
            .etag("\"x\"".getBytes(StandardCharsets.US_ASCII))
            .contentLength(64)
            .build();
    ByteBuf out = Unpooled.buffer();
    StoredForm.writeMeta(meta, out);
    String hex = ByteBufUtil.hexDump(out);
    out.release();

    assertThat(hex)
        .isEqualTo(
            "cb01" // status
                + "05" // flags
                + "80897a" // response time
                + "d00f" // minus request time
                + "e807" // minus Date
                + "01" // a Last-Modified
                + "cf0f"
                + "02" // age
                + "d804" // lifetime
                + "00" // stale-while-revalidate
                + "01" // stale-if-error: none
                + "8001" // content length
                + "04227822" // entity tag
                + "00" // no selecting fields
                + "00"); // whole
    ByteBuf part = Unpooled.buffer();
    StoredForm.writeMeta(meta.withPart(new ContentPart(9, 309)), part);
    assertThat(ByteBufUtil.hexDump(part))
        .isEqualTo(
            hex.substring(0, hex.length() - 2)
                + "0a" // it begins with byte 9
                + "ac02"); // 300 bytes
    assertThat(StoredForm.readMeta(part).part()).isEqualTo(new ContentPart(9, 309));
    part.release();
  }

  /** A part shares one half of the hash with its key, and half of the other with its variant. */
  @Test
  void hashesPartsAsThePageSays() {
    CacheKey key = key(URL);
    StoredMeta whole = meta().withContentLength(1000);
    StoredMeta part = whole.withPart(new ContentPart(0x0102, 500));
    StoredHash hash = new StoredHash(1, 2);
    long high = hash.ofStored(key, whole).high();
    long low = hash.low();
    assertThat(hash.of(key, null).low()).isEqualTo(low);
    assertThat(hash.ofStored(key, part).high()).isEqualTo(high);
    byte[] place = {0, 2, 1, 0, 0, 0, 0, 0, 0};
    KeyProbe mixed = new KeyProbe().append(place, 0, place.length);
    long expected = low ^ (new StoredHash(1, 2).of(mixed).high() & 0xffff_ffffL);
    assertThat(hash.low()).isEqualTo(expected).isNotEqualTo(low);
    assertThat(StoredHash.variant(hash.low())).isEqualTo(StoredHash.variant(low));
  }

  @Test
  void dividesTheSpaceAsThePageSays() {
    assertThat(page.geometries()).hasSize(3);
    for (long[] row : page.geometries()) {
      Geometry geometry = Geometry.of(row[0] << 20, MEAN_BYTES);
      assertThat(
              new long[] {
                row[0],
                geometry.records(),
                geometry.checkpointBytes(),
                geometry.segmentBytes(),
                geometry.segments(),
                geometry.slabBytes(),
                Catalogue.memoryBytes(geometry.records()),
                geometry.maxContentBytes()
              })
          .isEqualTo(row);
      assertThat(geometry.neededBytes()).isLessThanOrEqualTo(row[0] << 20);
    }
  }
}

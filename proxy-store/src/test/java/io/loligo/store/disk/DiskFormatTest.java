package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.config.ProxyConfig;
import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is on disk is what {@code docs/disk-format.md} says: its tables are read by this test. */
final class DiskFormatTest {
  private static final String URL = "http://a/";
  private static final String FIELDS = "A: b\r\n\r\n";
  private static final long SIZE = 16 << 20;
  private static final int MEAN_BYTES = 13 << 10;

  private final FormatPage page = new FormatPage();

  @TempDir Path temp;

  private ProxyConfig.Disk here() {
    return disk(dir(temp, SIZE));
  }

  /** Stores one object in a new directory and closes that. */
  private void store(byte[] content) throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, content);
      assertThat(fixture.stats().objects()).isEqualTo(1);
    }
  }

  private ByteBuf slab() throws IOException {
    return at(temp.resolve("slabs"), 0, 1 << 18);
  }

  private static ByteBuf at(Path file, long position, int length) throws IOException {
    byte[] octets = new byte[length];
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      open.seek(position);
      open.readFully(octets);
    }
    return Unpooled.wrappedBuffer(octets);
  }

  private static byte[] part(ByteBuf octets, int from, int to) {
    return ByteBufUtil.getBytes(octets, from, to - from);
  }

  private static int crc(byte[] octets, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(octets, from, to - from);
    return (int) crc.getValue();
  }

  @Test
  void hasTheConstantsOfThePage() {
    assertThat(Marks.VERSION).isEqualTo((int) page.constant("version"));
    assertThat(Block.MAGIC).isEqualTo((int) page.constant("magic of a block"));
    assertThat((int) Block.FIRST).isEqualTo((int) page.constant("kind of a first block"));
    assertThat((int) Block.FURTHER).isEqualTo((int) page.constant("kind of a further block"));
    assertThat(Lane.PROBATION.ordinal()).isEqualTo((int) page.constant("lane PROBATION"));
    assertThat(Lane.MAIN.ordinal()).isEqualTo((int) page.constant("lane MAIN"));
    assertThat(Block.ALIGNMENT).isEqualTo((int) page.constant("alignment of blocks"));
    assertThat(Block.MAX_BYTES).isEqualTo((int) page.constant("octets of a block at most"));
    assertThat(RecordMap.RECORD_BYTES).isEqualTo((int) page.constant("octets of a record"));
    assertThat(Block.HEADER_BYTES).isEqualTo(page.end("Block header", "padding"));
    assertThat(FirstBlock.FIXED_BYTES).isEqualTo(page.offset("First block", "key"));
    assertThat(StoredRecord.HEADER_BYTES).isEqualTo(page.offset("Map record", "copy"));
    assertThat(Geometry.SEGMENT_HEADER_BYTES).isEqualTo(page.end("Segment header", "padding"));
  }

  @Test
  void writesTheHeaderOfThePage() throws IOException {
    store(octets(10));
    byte[] octets = Files.readAllBytes(temp.resolve("header"));
    ByteBuf header = Unpooled.wrappedBuffer(octets);
    Geometry geometry = Geometry.of(SIZE, MEAN_BYTES, ChronicleRecordMap::fileBytes);

    assertThat(octets).hasSize(page.end("Header", "padding"));
    assertThat(header.getLong(page.offset("Header", "magic")))
        .isEqualTo(page.constant("magic of header"));
    assertThat(header.getInt(page.offset("Header", "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(header.getInt(page.offset("Header", "checksum")))
        .isEqualTo(crc(octets, page.offset("Header", "secret"), octets.length));
    assertThat(header.getLong(page.offset("Header", "secret"))).isNotZero();
    assertThat(header.getLong(page.offset("Header", "total"))).isEqualTo(SIZE);
    assertThat(header.getInt(page.offset("Header", "records"))).isEqualTo(geometry.records());
    assertThat(header.getLong(page.offset("Header", "map bytes")))
        .isEqualTo(Files.size(temp.resolve("map")));
    assertThat(header.getInt(page.offset("Header", "segment bytes")))
        .isEqualTo(geometry.segmentBytes());
    int segments = header.getInt(page.offset("Header", "segments"));
    assertThat((long) segments * geometry.segmentBytes())
        .isEqualTo(Files.size(temp.resolve("slabs")));
  }

  @Test
  void writesTheCleanMarkOfThePage() throws IOException {
    store(octets(10));
    byte[] octets = Files.readAllBytes(temp.resolve("CLEAN"));
    ByteBuf clean = Unpooled.wrappedBuffer(octets);

    assertThat(octets).hasSize(page.end("CLEAN", "padding"));
    assertThat(clean.getLong(page.offset("CLEAN", "magic")))
        .isEqualTo(page.constant("magic of CLEAN"));
    assertThat(clean.getInt(page.offset("CLEAN", "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(clean.getInt(page.offset("CLEAN", "checksum")))
        .isEqualTo(crc(octets, page.offset("CLEAN", "map checksum"), octets.length));
    byte[] map = Files.readAllBytes(temp.resolve("map"));
    assertThat(clean.getInt(page.offset("CLEAN", "map checksum")))
        .isEqualTo(crc(map, 0, map.length));
    assertThat(clean.getLong(page.offset("CLEAN", "next number")))
        .isGreaterThan(slab().getLong(64 + page.offset("Block header", "object")));
  }

  @Test
  void writesTheRollOfThePage() throws IOException {
    store(octets(10));
    byte[] octets = Files.readAllBytes(temp.resolve("ROLL"));
    ByteBuf roll = Unpooled.wrappedBuffer(octets);

    assertThat(octets).hasSize(page.end("ROLL", "padding"));
    assertThat(roll.getLong(page.offset("ROLL", "magic")))
        .isEqualTo(page.constant("magic of ROLL"));
    assertThat(roll.getInt(page.offset("ROLL", "version")))
        .isEqualTo((int) page.constant("version"));
    assertThat(roll.getInt(page.offset("ROLL", "checksum")))
        .isEqualTo(crc(octets, page.offset("ROLL", "own"), octets.length));
    assertThat(roll.getLong(page.offset("ROLL", "number"))).isPositive();
    assertThat(roll.getInt(page.offset("ROLL", "behind"))).isZero();
    assertThat(roll.getInt(page.offset("ROLL", "count"))).isOne();
    assertThat(roll.getLong(page.offset("ROLL", "members")))
        .isEqualTo(roll.getLong(page.offset("ROLL", "own")));
    assertThat(page.end("ROLL", "members") - page.offset("ROLL", "members"))
        .isEqualTo(Roll.MAX_MEMBERS * Long.BYTES);
  }

  /** A block as it stands, its header checked. */
  private ByteBuf block(ByteBuf slab, int at, String kind, int number) {
    int length = slab.getInt(at + page.offset("Block header", "length"));
    byte[] octets = part(slab, at, at + length);
    ByteBuf block = Unpooled.wrappedBuffer(octets);
    assertThat(block.getInt(page.offset("Block header", "magic")))
        .isEqualTo((int) page.constant("magic of a block"));
    assertThat(block.getInt(page.offset("Block header", "checksum")))
        .isEqualTo(crc(octets, page.offset("Block header", "length"), length));
    assertThat(block.getByte(page.offset("Block header", "kind")))
        .isEqualTo((byte) page.constant(kind));
    assertThat(block.getByte(page.offset("Block header", "lane")))
        .isEqualTo((byte) page.constant("lane PROBATION"));
    assertThat(block.getLong(page.offset("Block header", "generation")))
        .isEqualTo(slab.getLong(page.offset("Segment header", "generation")));
    assertThat(block.getLong(page.offset("Block header", "object"))).isPositive();
    assertThat(block.getInt(page.offset("Block header", "number"))).isEqualTo(number);
    return block;
  }

  private int field(ByteBuf first, String name) {
    return first.getInt(page.offset("First block", name));
  }

  @Test
  void writesTheSegmentAndTheFirstBlockOfThePage() throws IOException {
    byte[] content = octets(1000);
    store(content);
    ByteBuf slab = slab();

    assertThat(slab.getInt(page.offset("Segment header", "magic")))
        .isEqualTo((int) page.constant("magic of a segment"));
    assertThat(slab.getLong(page.offset("Segment header", "generation"))).isPositive();
    ByteBuf first = block(slab, 64, "kind of a first block", 0);
    assertThat(first.getLong(page.offset("First block", "content length")))
        .isEqualTo(content.length);
    assertThat(field(first, "first content")).isEqualTo(content.length);
    assertThat(field(first, "fields length")).isEqualTo(FIELDS.length());
    assertThat(field(first, "key length")).isEqualTo(URL.length());
    assertThat(field(first, "pieces")).isZero();
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

  @Test
  void writesTheFurtherBlocksOfThePage() throws IOException {
    byte[] content = octets(150_000);
    store(content);
    ByteBuf slab = slab();
    int full = (int) page.constant("octets of a block at most");
    int header = page.end("Block header", "padding");

    ByteBuf one = block(slab, 64, "kind of a further block", 1);
    ByteBuf two = block(slab, 64 + full, "kind of a further block", 2);
    int behind = 64 + full + (two.capacity() + 63) / 64 * 64;
    ByteBuf first = block(slab, behind, "kind of a first block", 0);

    assertThat(one.capacity()).isEqualTo(full);
    assertThat(field(first, "pieces")).isEqualTo(1);
    int place =
        page.offset("First block", "key")
            + field(first, "key length")
            + field(first, "meta length");
    assertThat(first.getInt(place)).isZero();
    assertThat(first.getInt(place + 4)).isEqualTo(64);
    int firstContent = field(first, "first content");
    int secondPart = firstContent + full - header;
    assertThat(part(one, header, full))
        .isEqualTo(Arrays.copyOfRange(content, firstContent, secondPart));
    assertThat(part(two, header, two.capacity()))
        .isEqualTo(Arrays.copyOfRange(content, secondPart, content.length));
  }

  @Test
  void writesTheRecordOfThePage() throws IOException {
    store(octets(1000));
    ByteBuf block = block(slab(), 64, "kind of a first block", 0);
    Geometry geometry = Geometry.of(SIZE, MEAN_BYTES, ChronicleRecordMap::fileBytes);
    ByteBuf record = Unpooled.directBuffer();
    try (RecordMap map = ChronicleRecordMap.open(temp.resolve("map"), geometry.records())) {
      long high = block.getLong(page.offset("First block", "high"));
      long low = block.getLong(page.offset("First block", "low"));
      assertThat(map.get(high, low, record)).isTrue();
    }
    byte[] octets = ByteBufUtil.getBytes(record);
    record.release();
    int header = page.offset("Map record", "copy");
    int copied = 480;

    ByteBuf read = Unpooled.wrappedBuffer(octets);
    assertThat(read.getInt(page.offset("Map record", "copied"))).isEqualTo(copied);
    assertThat(read.getInt(page.offset("Map record", "checksum")))
        .isEqualTo(crc(octets, page.offset("Map record", "copied"), header + copied));
    assertThat(read.getLong(page.offset("Map record", "place"))).isEqualTo(64);
    assertThat(Arrays.copyOfRange(octets, header, header + copied))
        .isEqualTo(part(block, 0, copied));
  }

  @Test
  void strikesOutTheMagicOfWhatIsRemoved() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, octets(1000));
      assertThat(slab().getInt(64)).isEqualTo(Block.MAGIC);
      assertThat(fixture.purge(URL)).isEqualTo(1);
      assertThat(slab().getInt(64)).isZero();
    }
  }

  @Test
  void codesTheMetaOfThePage() {
    StoredMeta meta =
        new StoredMeta(
            203,
            999_000,
            1_000_000,
            999_500,
            -1_000,
            1,
            300,
            0,
            -1,
            5,
            "\"x\"".getBytes(StandardCharsets.US_ASCII),
            null,
            64);
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
                + "00"); // no selecting fields
  }

  @Test
  void dividesTheSpaceAsThePageSays() {
    for (long[] row : page.geometries()) {
      Geometry geometry = Geometry.of(row[0] << 20, MEAN_BYTES, ChronicleRecordMap::fileBytes);
      assertThat(
              new long[] {
                row[0],
                geometry.records(),
                geometry.mapBytes(),
                geometry.segmentBytes(),
                geometry.segments(),
                geometry.slabBytes(),
                ObjectIndex.memoryBytes(geometry.records()),
                geometry.maxContentBytes()
              })
          .isEqualTo(row);
    }
  }
}

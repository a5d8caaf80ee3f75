package io.loligo.store.disk.purge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.store.disk.FormatPage;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Moments;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code purges}: a confirmed purge is there when the file is opened again. */
class PurgeFileTest {
  private static final long[] NUMBER = {77};
  private static final CacheKey KEY = CacheKeys.of("http://h/a");
  private static final long TOTAL_BYTES = 64 << 20;

  @TempDir Path temp;
  private Path path;
  private Path header;

  @BeforeEach
  void begin() throws IOException {
    path = temp.resolve("purges");
    header = temp.resolve("header");
    open().close();
    Files.write(header, new byte[1]);
  }

  private PurgeFile open() throws IOException {
    return PurgeFile.open(path, header, TOTAL_BYTES, SystemMedium.SYSTEM);
  }

  private static int cell(int bucket, int cell) {
    return FileSizes.BUCKETS_AT
        + bucket * PurgeBucket.BYTES
        + cell * PurgeBucket.CELL_BYTES
        + Long.BYTES;
  }

  /** The moment that a start would find now for {@link #NUMBER}. */
  private long moment(Table table) throws IOException {
    try (PurgeFile file = open()) {
      return file.moment(table, NUMBER[0]);
    }
  }

  private void overwrite(long offset, int value) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      file.write(value);
    }
  }

  @Test
  void aMarkIsThereWithoutAClose() throws IOException {
    try (PurgeFile killed = open()) {
      killed.mark(Table.SOFT_URL, NUMBER, 1_700_000_000_123L);
      killed.mark(Table.SOFT_URL, NUMBER, 5);
      assertThat(moment(Table.SOFT_URL)).isEqualTo(1_700_000_000_123L);
      assertThat(moment(Table.GROUP)).isZero();
    }
    assertThat(header).exists();
    assertThat(Files.size(path)).isEqualTo(FileSizes.purges(TOTAL_BYTES));
  }

  @Test
  void standsWhereThePageSays() throws IOException {
    FormatPage page = new FormatPage();
    try (PurgeFile file = open()) {
      file.mark(Table.GROUP, NUMBER, 1_001);
      file.mark(Table.SOFT_GROUP, NUMBER, 1_002);
      file.mark(Table.SOFT_URL, NUMBER, 1_003);
      file.ban(new Ban(1_004, UrlPattern.of("h", "xyz")));
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      assertThat(file.readLong()).isEqualTo(page.constant("magic of purges"));
      assertThat(file.readInt()).isEqualTo((int) page.constant("version"));
      assertThat(file.readInt()).isEqualTo(FileSizes.purgeBuckets(TOTAL_BYTES));
      int bucket = page.offset("Purges", "buckets") + 77 * page.end("Bucket", "names");
      int cell = page.end("Cell", "moment");
      for (int i = 0; i < 3; i++) {
        file.seek(bucket + page.offset("Bucket", "names") + i * cell);
        assertThat(file.readLong()).isEqualTo(77);
        long moment = file.readLong();
        assertThat(moment >>> 18).isEqualTo(1_001 + i);
        assertThat(moment >>> 16 & 3).isEqualTo(i);
      }
      int pattern = page.offset("Purges", "patterns");
      file.seek(pattern + page.offset("Pattern", "length"));
      assertThat(file.readInt()).isEqualTo(page.offset("Pattern", "host") + 4);
      file.seek(pattern + page.offset("Pattern", "moment"));
      assertThat(file.readLong()).isEqualTo(1_004);
      file.seek(pattern + page.offset("Pattern", "host"));
      assertThat(file.readInt() >>> 24).isEqualTo('h');
    }
  }

  @Test
  void aDamagedMomentIsNow() throws IOException {
    try (PurgeFile file = open()) {
      file.mark(Table.GROUP, NUMBER, 1_000);
    }
    overwrite(cell(77, 3) + 1L, 1);
    Purges purges = loaded();
    assertThat(purges.moment(Table.GROUP, 77)).isEqualTo(2_000);
    assertThat(purges.moment(Table.GROUP, 78)).isEqualTo(Purges.KEPT);
  }

  /** Other names of the bucket are purged at the next start in any case. */
  @Test
  void aDamagedBucketStaysDamaged() throws IOException {
    try (PurgeFile file = open()) {
      file.mark(Table.GROUP, NUMBER, 1_000);
      overwrite(cell(77, 3) + 1L, 1);
      file.mark(Table.GROUP, NUMBER, 1_500);
      file.mark(Table.SOFT_GROUP, NUMBER, 1_500);
    }
    assertThat(loaded().moment(Table.GROUP, 77)).isEqualTo(2_000);
  }

  /** The purges known to a start that is at 2,000. */
  private Purges loaded() throws IOException {
    Purges purges = new Purges(() -> 2_000);
    try (PurgeFile file = open()) {
      file.loadInto(purges);
    }
    return purges;
  }

  /** With three times as many names as there is room for, of all tables. */
  @Test
  void noPurgeIsForgottenOverARestart() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    List<Map<Long, Long>> reference = List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());
    try (PurgeFile killed = open()) {
      for (int i = 0; i < 20_000; i++) {
        Table table = Table.values()[random.nextInt(3)];
        long name = random.nextLong(2_000) << 32 | random.nextInt(20);
        long millis = random.nextLong(1, 1_000);
        killed.mark(table, new long[] {name}, millis);
        reference.get(table.ordinal()).merge(name, millis, Math::max);
      }
    }
    Purges purges = loaded();
    for (Table table : Table.values()) {
      reference
          .get(table.ordinal())
          .forEach(
              (name, millis) ->
                  assertThat(purges.moment(table, name)).isGreaterThanOrEqualTo(millis));
    }
    assertThat(purges.moment(Table.GROUP, 21)).isEqualTo(Purges.KEPT);
  }

  @Test
  void aFullBucketForgetsTheOldestPurgeAndPurgesAllUntilThen() throws IOException {
    try (PurgeFile killed = open()) {
      for (long i = 0; i <= Moments.NAMES; i++) {
        killed.mark(Table.GROUP, new long[] {i << 46 | 7}, 1_000 + i);
      }
    }
    Purges purges = loaded();
    assertThat(purges.moment(Table.GROUP, 7)).isEqualTo(1_000);
    assertThat(purges.moment(Table.GROUP, 99L << 46 | 7)).isEqualTo(1_000);
    assertThat(purges.moment(Table.GROUP, 1L << 46 | 7)).isEqualTo(1_001);
    assertThat(purges.moment(Table.SOFT_URL, 7)).isEqualTo(Purges.KEPT);
    assertThat(purges.moment(Table.GROUP, 8)).isEqualTo(Purges.KEPT);
  }

  @Test
  void aPurgeWritesItsBucketOnly() throws IOException {
    try (PurgeFile file = open()) {
      file.mark(Table.GROUP, new long[] {76, 78}, 1_000);
    }
    byte[] before = Files.readAllBytes(path);
    try (PurgeFile file = open()) {
      overwrite(cell(76, 0), 1); // is not written over
      file.mark(Table.GROUP, NUMBER, 1_000);
    }
    byte[] after = Files.readAllBytes(path);
    int first = Arrays.mismatch(before, after);
    assertThat(first).isEqualTo(cell(76, 0));
    before[first] = 1;
    assertThat(Arrays.mismatch(before, after)).isBetween(cell(77, 0), cell(77, Moments.CELLS));
    int end = FileSizes.BUCKETS_AT + 78 * PurgeBucket.BYTES;
    assertThat(Arrays.mismatch(before, end, before.length, after, end, after.length)).isEqualTo(-1);
  }

  @Test
  void hasASixtyFourthOfTheDirectoryAtMost() {
    long small = FileSizes.purges(8 << 20);
    assertThat(small).isLessThan(400_000);
    for (long megabytes = 32; megabytes <= 1 << 24; megabytes *= 2) {
      int buckets = FileSizes.purges(megabytes << 20) - FileSizes.BUCKETS_AT;
      assertThat(buckets).isEqualTo((int) Math.min(32L << 20, (megabytes << 20) / 64));
    }
  }

  @Test
  void patternsAreThereUntilTheyAreThrough() throws IOException {
    Ban one = new Ban(1, UrlPattern.of("a.example", "\u00fc.*"));
    Ban two = new Ban(2, UrlPattern.of("", "x"));
    Ban twoAgain = new Ban(3, UrlPattern.of("", "x"));
    try (PurgeFile killed = open()) {
      killed.ban(one);
      killed.ban(two);
      killed.ban(twoAgain);
      try (PurgeFile next = open()) {
        assertThat(next.bans()).containsExactly(one, twoAgain);
      }
      killed.retire(List.of(one, two));
      try (PurgeFile next = open()) {
        assertThat(next.bans()).containsExactly(twoAgain);
      }
    }
  }

  @Test
  void aSoftPatternIsReadAsASoftOne() throws IOException {
    UrlPattern x = UrlPattern.of("h\u00fc", "x");
    try (PurgeFile killed = open()) {
      killed.ban(new Ban(2, x, true));
      killed.ban(new Ban(1, x));
      killed.ban(new Ban(3, x, true));
      try (PurgeFile next = open()) {
        assertThat(next.bans()).containsExactlyInAnyOrder(new Ban(3, x, true), new Ban(1, x));
      }
      killed.ban(new Ban(4, x));
      killed.ban(new Ban(3, x, true));
      try (PurgeFile next = open()) {
        assertThat(next.bans()).containsExactly(new Ban(4, x));
      }
    }
  }

  /** Threads write them down, in any order. */
  @Test
  void anOlderPurgeByAPatternDoesNotTakeThePlaceOfANewerOne() throws IOException {
    Ban later = new Ban(3, UrlPattern.of("", "x"));
    try (PurgeFile killed = open()) {
      killed.ban(later);
      killed.ban(new Ban(2, UrlPattern.of("", "x")));
      assertThat(killed.bans()).containsExactly(later);
      try (PurgeFile next = open()) {
        assertThat(next.bans()).containsExactly(later);
      }
    }
  }

  @Test
  void hasRoomForAsManyPatternsAsThereMayBe() throws IOException {
    try (PurgeFile file = open()) {
      for (int i = 0; i < Purges.MAX_BANS; i++) {
        file.ban(new Ban(i, UrlPattern.of("h", i + "x".repeat(UrlPattern.MAX_BYTES - 4))));
      }
    }
    try (PurgeFile file = open()) {
      assertThat(file.bans()).hasSize(Purges.MAX_BANS);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 11, 15, FileSizes.BANS_AT + 25})
  void whereItIsDamagedNothingElseCounts(long offset) throws IOException {
    try (PurgeFile file = open()) {
      file.ban(new Ban(1, UrlPattern.of("", "pattern")));
      file.mark(Table.GROUP, NUMBER, 1_000);
    }
    overwrite(offset, 0x55);
    try (PurgeFile file = open()) {
      assertThat(file.bans()).isEmpty();
      assertThat(header).doesNotExist();
    }
    assertThat(moment(Table.GROUP)).isZero();
  }

  // ---- records that a later version may add

  private static final UrlPattern ALL = UrlPattern.of("", "^");

  /** An intact pattern of this text, in the first place. */
  private void writePattern(long millis, int hostLength, String text) throws IOException {
    byte[] bytes = text.getBytes(US_ASCII);
    ByteBuffer pattern = ByteBuffer.allocate(20 + bytes.length);
    pattern.putInt(4, pattern.capacity()).putLong(8, millis).putInt(16, hostLength).put(20, bytes);
    CRC32C crc = new CRC32C();
    crc.update(pattern.position(4));
    pattern.putInt(0, (int) crc.getValue());
    write(FileSizes.BANS_AT, pattern.array());
  }

  /** An intact cell of a table that is not there yet. */
  private void writeCell(int bucket, int cell, long name, long millis) throws IOException {
    long stamp = millis << 18 | 3 << 16;
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(20).putLong(name).putLong(stamp).putInt(bucket).flip());
    ByteBuffer bytes = ByteBuffer.allocate(16).putLong(name);
    bytes.putLong(stamp | (crc.getValue() & 0xffff));
    write(cell(bucket, cell) - Long.BYTES, bytes.array());
  }

  private void write(long offset, byte[] bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      file.write(bytes);
    }
  }

  private List<Ban> patterns() throws IOException {
    try (PurgeFile file = open()) {
      return file.bans();
    }
  }

  @ParameterizedTest
  @CsvSource({"1073741825, hx", "-1073741823, hx", "1, h(", "3, hx"})
  void anUnknownPatternCoversEverythingUntilItsMoment(int hostLength, String text)
      throws IOException {
    Ban known = new Ban(1_004, UrlPattern.of("h", "xyz"), true);
    try (PurgeFile file = open()) {
      file.ban(new Ban(1, UrlPattern.of("", "gives its place")));
      file.ban(known);
    }
    writePattern(1_500, hostLength, text);
    assertThat(patterns()).containsExactlyInAnyOrder(new Ban(1_500, ALL), known);
    assertThat(header).exists();
    assertThat(loaded().bans()).containsExactlyInAnyOrder(new Ban(1_500, ALL), known);
    assertThat(new Ban(1_500, ALL).covers(KEY, 1_500)).isTrue();
    assertThat(new Ban(1_500, ALL).covers(KEY, 1_501)).isFalse();
    try (PurgeFile file = open()) {
      file.retire(List.of(new Ban(1_500, ALL)));
    }
    assertThat(patterns()).containsExactly(known);
  }

  @Test
  void unknownCellsBecomeAPatternForEverythingUntilTheLastOfThem() throws IOException {
    try (PurgeFile file = open()) {
      file.mark(Table.GROUP, NUMBER, 1_000);
    }
    writeCell(77, 4, 5L << 32 | 77, 1_500);
    writeCell(99, 0, 0, 1_400);
    assertThat(patterns()).containsExactly(new Ban(1_500, ALL));
    assertThat(header).exists();
    Purges purges = loaded();
    assertThat(purges.moment(Table.GROUP, 77)).isEqualTo(1_000);
    assertThat(purges.moment(Table.GROUP, 78)).isEqualTo(Purges.KEPT);
    try (PurgeFile file = open()) {
      file.retire(List.of(new Ban(1_500, ALL)));
    }
    assertThat(patterns()).as("the cells are gone").isEmpty();
    assertThat(moment(Table.GROUP)).isEqualTo(1_000);
  }

  @Test
  void withoutRoomThePatternForEverythingTakesThePlaceOfTheOldest() throws IOException {
    try (PurgeFile file = open()) {
      for (int i = 0; i < Purges.MAX_BANS; i++) {
        file.ban(new Ban(2_000 + (i + 7) % Purges.MAX_BANS, UrlPattern.of("h", "x" + i)));
      }
    }
    writeCell(99, 5, 99, 1_400);
    List<Ban> patterns = patterns();
    assertThat(patterns).hasSize(Purges.MAX_BANS).contains(new Ban(2_000, ALL));
    assertThat(patterns.stream().filter(one -> one.millis() == 2_000)).hasSize(1);
    assertThat(header).exists();
  }

  // ---- everything is validated before its next use

  @Test
  void theMomentOfEverythingIsThereWithoutACloseAndGrows() throws IOException {
    Ban other = new Ban(1, UrlPattern.of("", "other"));
    try (PurgeFile killed = open()) {
      killed.ban(other);
      killed.validateUntil(1_000);
      killed.validateUntil(999);
      killed.ban(new Ban(2, UrlPattern.of("", "another")));
      assertThat(loaded().validateUntil()).isEqualTo(1_000);
      killed.validateUntil(1_200);
    }
    assertThat(loaded().validateUntil()).isEqualTo(1_200);
    assertThat(patterns()).hasSize(2);
    try (PurgeFile file = open()) {
      file.retire(file.bans());
      file.ban(other);
    }
    assertThat(loaded().validateUntil()).as("never forgotten").isEqualTo(1_200);
    assertThat(header).exists();
  }

  /** A version that does not know it takes it as a hard pattern for everything. */
  @Test
  void theMomentOfEverythingStandsAmongThePatterns() throws IOException {
    try (PurgeFile file = open()) {
      file.validateUntil(1_000);
    }
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      FormatPage page = new FormatPage();
      int pattern = page.offset("Purges", "patterns");
      file.seek(pattern + page.offset("Pattern", "length"));
      assertThat(file.readInt()).isEqualTo(page.offset("Pattern", "host"));
      assertThat(file.readLong()).isEqualTo(1_000);
      assertThat(file.readInt()).isEqualTo(1 << 30);
    }
  }

  @Test
  void withoutRoomEverythingIsDropped() throws IOException {
    try (PurgeFile file = open()) {
      for (int i = 0; i < Purges.MAX_BANS; i++) {
        file.ban(new Ban(10 + i, UrlPattern.of("h", "x" + i)));
      }
      file.validateUntil(1_000);
      assertThat(file.bans()).hasSize(Purges.MAX_BANS).contains(new Ban(1_000, ALL));
    }
    assertThat(patterns()).contains(new Ban(1_000, ALL));
  }

  @Test
  void thePatternForUnknownCellsLeavesTheMomentOfEverything() throws IOException {
    try (PurgeFile file = open()) {
      file.validateUntil(1_000);
      for (int i = 1; i < Purges.MAX_BANS; i++) {
        file.ban(new Ban(10 + i, UrlPattern.of("h", "x" + i)));
      }
    }
    writeCell(99, 5, 99, 900);
    assertThat(loaded().validateUntil()).isEqualTo(1_000);
    assertThat(patterns()).contains(new Ban(900, ALL));
  }

  @Test
  void aDamagedCellOfAnUnknownKindIsDamage() throws IOException {
    writeCell(77, 4, 5L << 32 | 77, 1_500);
    overwrite(cell(77, 4) + 1L, 1);
    Purges purges = loaded();
    assertThat(purges.bans()).isEmpty();
    assertThat(purges.moment(Table.GROUP, 77)).isEqualTo(2_000);
  }

  @Test
  void whereItIsMissingNothingElseCounts() throws IOException {
    Files.delete(path);
    open().close();
    assertThat(header).doesNotExist();
  }

  @Test
  void whereItIsShortNothingElseCounts() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(FileSizes.purges(TOTAL_BYTES) - 1L);
    }
    open().close();
    assertThat(header).doesNotExist();
    assertThat(Files.size(path)).isEqualTo(FileSizes.purges(TOTAL_BYTES));
  }
}

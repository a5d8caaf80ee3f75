package io.loligo.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code purges}: what was answered is there for whoever opens the file next. */
class PurgeFileTest {
  private static final long[] NUMBER = {77};

  @TempDir Path temp;
  private Path path;
  private Path header;

  @BeforeEach
  void begin() throws IOException {
    path = temp.resolve("purges");
    header = temp.resolve("header");
    PurgeFile.open(path, header).close();
    Files.write(header, new byte[1]);
  }

  private PurgeFile open() throws IOException {
    return PurgeFile.open(path, header);
  }

  /** The moment that whoever starts now finds for {@link #NUMBER}. */
  private long moment(Table table) throws IOException {
    try (PurgeFile file = open()) {
      return file.moment(table, NUMBER[0]);
    }
  }

  private void overwrite(long offset, int octet) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(offset);
      file.write(octet);
    }
  }

  @Test
  void whatIsMarkedIsThereWithoutAClose() throws IOException {
    try (PurgeFile killed = open()) {
      killed.mark(Table.SOFT_URL, NUMBER, 1_700_000_000_123L);
      killed.mark(Table.SOFT_URL, NUMBER, 5);
      assertThat(moment(Table.SOFT_URL)).isEqualTo(1_700_000_000_123L);
      assertThat(moment(Table.GROUP)).isZero();
    }
    assertThat(header).exists();
    assertThat(Files.size(path)).isEqualTo(PurgeFile.BYTES);
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
      long expected = 1_001;
      for (String table : List.of("groups", "soft groups", "soft URLs")) {
        file.seek(page.offset("Purges", table) + 77 * 8);
        assertThat(file.readLong() >>> 16).as(table).isEqualTo(expected++);
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
    overwrite(PurgeFile.HEADER_BYTES + 77L * PurgeFile.MOMENT_BYTES + 1, 1);
    Purges purges = new Purges(() -> 2_000);
    try (PurgeFile file = open()) {
      file.loadInto(purges);
    }
    assertThat(purges.moment(Table.GROUP, 77)).isEqualTo(2_000);
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
  @ValueSource(longs = {0, 11, 393_280 + 25})
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

  @Test
  void whereItIsMissingNothingElseCounts() throws IOException {
    Files.delete(path);
    open().close();
    assertThat(header).doesNotExist();
  }

  @Test
  void whereItIsShortNothingElseCounts() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(PurgeFile.BYTES - 1L);
    }
    open().close();
    assertThat(header).doesNotExist();
    assertThat(Files.size(path)).isEqualTo(PurgeFile.BYTES);
  }
}

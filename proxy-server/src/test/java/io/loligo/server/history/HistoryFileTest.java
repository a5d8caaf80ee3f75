package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
  private static final SeriesList SERIES = SampleIntervals.series(4, 2, 2);
  private static final int BYTES = 16 << 20;

  @TempDir Path folder;

  private HistoryFile file() {
    return new HistoryFile(folder.resolve("loligo.history"));
  }

  private static History history() {
    return new History(SERIES, UnpooledByteBufAllocator.DEFAULT, BYTES);
  }

  private static History filled(int samples) {
    History history = history();
    Random random = new Random(9);
    for (int i = 0; i < samples; i++) {
      history.add(SampleIntervals.random(SERIES, random, 1_000_000 + i, 50), 0);
    }
    return history;
  }

  /** All sums of all points of all ranges. */
  private static List<String> shown(History history) {
    List<String> all = new ArrayList<>();
    for (HistoryRange range : HistoryRange.values()) {
      history.read(range, 1, point -> all.add(range + " " + shown(history, point)));
    }
    return all;
  }

  private static String shown(History history, Interval point) {
    StringBuilder text = new StringBuilder().append(point.startSeconds()).append(point.samples());
    for (Series series : history.series()) {
      switch (series.kind()) {
        case COUNTER -> text.append(' ').append(point.sum(series));
        case GAUGE -> text.append(' ').append(point.mean(series)).append(point.maximum(series));
        case TIMES -> text.append(' ').append(point.meanNanos(series)).append(point.count(series));
      }
    }
    return text.toString();
  }

  @Test
  void comesBackAsItWasUnfinishedSlotsIncluded() throws IOException {
    try (History before = filled(1000);
        History after = history()) {
      long bytes = file().write(before);
      assertThat(bytes).isEqualTo(Files.size(file().path()));
      assertThat(file().readInto(after)).isEqualTo(1_000_999);
      assertThat(shown(after)).isEqualTo(shown(before)).hasSizeGreaterThan(400);
      assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }
  }

  @Test
  void aLaterVersionReadsTheSeriesThatItKnows() throws IOException {
    SeriesList other = new SeriesList();
    other.add(Series.Kind.COUNTER, "counter.new");
    Series kept = other.add(Series.Kind.COUNTER, "counter.2");
    try (History before = filled(5);
        History after = new History(other, UnpooledByteBufAllocator.DEFAULT, BYTES)) {
      file().write(before);
      file().readInto(after);
      assertThat(after.last(300).sum(kept))
          .isEqualTo(before.last(300).sum(SERIES.named("counter.2")))
          .isPositive();
    }
  }

  /** A reload adds a parent while the file is written, again and again. */
  @Test
  void aSeriesThatIsAddedDuringAWriteIsInTheFile() throws Exception {
    SeriesList growing = SampleIntervals.series(1, 1, 1);
    int more = 400;
    growing.reserve(Series.Kind.COUNTER, more);
    try (History before = new History(growing, UnpooledByteBufAllocator.DEFAULT, BYTES)) {
      Random random = new Random(5);
      for (int i = 0; i < 300; i++) {
        before.add(SampleIntervals.random(growing, random, 1_000_000 + i, 50), 0);
      }
      Thread adding =
          new Thread(
              () -> {
                for (int i = 0; i < more; i++) {
                  Series added = growing.addReserved(Series.Kind.COUNTER, "late." + i);
                  Interval sample = new Interval(growing);
                  sample.begin(1_000_300 + i);
                  sample.cover(1, 1000);
                  sample.counters[added.index()] = 7;
                  before.add(sample, 0);
                }
              });
      adding.start();
      boolean isLast;
      do {
        isLast = !adding.isAlive();
        file().write(before);
        try (History after = new History(growing, UnpooledByteBufAllocator.DEFAULT, BYTES)) {
          file().readInto(after);
        }
      } while (!isLast);
      adding.join();
      try (History after = new History(growing, UnpooledByteBufAllocator.DEFAULT, BYTES)) {
        file().readInto(after);
        assertThat(after.last(300).sum(after.series("late." + (more - 1)))).isEqualTo(7);
      }
    }
  }

  @Test
  void withoutAFileThereIsNothing() throws IOException {
    try (History after = history()) {
      assertThat(file().readInto(after)).isEqualTo(-1);
    }
  }

  @Test
  void aFileCutAnywhereOrWithAChangedByteIsDamagedAndNothingOfItIsRead() throws IOException {
    try (History before = filled(12);
        History after = history()) {
      file().write(before);
      byte[] whole = Files.readAllBytes(file().path());
      Random random = new Random(3);
      for (int i = 0; i < 300; i++) {
        byte[] damaged = whole.clone();
        if (i % 2 == 0) {
          damaged = Arrays.copyOf(whole, i < 40 ? i / 2 : random.nextInt(whole.length));
        } else {
          damaged[random.nextInt(whole.length)] ^= (byte) (1 << random.nextInt(8));
        }
        Files.write(file().path(), damaged);
        assertThatThrownBy(() -> file().readInto(after)).isInstanceOf(DamagedRecordException.class);
      }
      assertThat(after.usedBytes()).isZero();
    }
  }

  /** Whatever is in a file, with a checksum that is right. */
  @Test
  void aFileOfAnotherProgramIsDamagedToo() throws IOException {
    try (History before = filled(12);
        History after = history()) {
      file().write(before);
      byte[] whole = Files.readAllBytes(file().path());
      Random random = new Random(3);
      int damaged = 0;
      for (int i = 0; i < 300; i++) {
        byte[] changed = whole.clone();
        changed[12 + random.nextInt(whole.length - 20)] = (byte) random.nextInt(256);
        CRC32C sum = new CRC32C();
        sum.update(changed, 0, changed.length - 8);
        ByteBuffer.wrap(changed).putLong(changed.length - 8, sum.getValue());
        Files.write(file().path(), changed);
        try {
          file().readInto(after);
        } catch (DamagedRecordException expected) {
          damaged++;
        }
      }
      assertThat(damaged).isPositive();
    }
  }

  @Test
  void aFileOfAnotherVersionOrFormSaysSo() throws IOException {
    try (History before = filled(1);
        History after = history()) {
      file().write(before);
      byte[] version = Files.readAllBytes(file().path());
      version[11] = 2;
      Files.write(file().path(), version);
      assertThatThrownBy(() -> file().readInto(after)).hasMessage("version: 2 (expected: 1)");
      Files.writeString(file().path(), "a text of somebody else's");
      assertThatThrownBy(() -> file().readInto(after))
          .hasMessage("it is no history of this program");
    }
  }

  @Test
  void aHistoryThatIsOverReplacesNoFile() throws IOException {
    History before = filled(3);
    file().write(before);
    byte[] whole = Files.readAllBytes(file().path());
    before.close();
    assertThatThrownBy(() -> file().write(before)).isInstanceOf(IOException.class);
    assertThat(Files.readAllBytes(file().path())).isEqualTo(whole);
  }

  @Test
  void isPutAsideUnderAnotherName() throws IOException {
    Files.writeString(file().path(), "x");
    Files.writeString(file().damagedPath(), "older");
    file().setAside();
    assertThat(file().path()).doesNotExist();
    assertThat(folder.resolve("loligo.history.damaged")).hasContent("x");
  }
}

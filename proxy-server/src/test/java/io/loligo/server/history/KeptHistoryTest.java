package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptHistoryTest {
  private static final SeriesList SERIES = SampleIntervals.series(4, 2, 2);
  private static final long FIRST = 1_000_020;

  @TempDir Path folder;

  private Path written(int seconds) throws IOException {
    Path file = folder.resolve("loligo.history");
    try (History history = new History(SERIES, UnpooledByteBufAllocator.DEFAULT, 1 << 22)) {
      Random random = new Random(9);
      for (int i = 0; i < seconds; i++) {
        history.add(SampleIntervals.random(SERIES, random, FIRST + i, 50), 0);
      }
      new HistoryFile(file).write(history);
    }
    return file;
  }

  @Test
  void theNamedSeriesComeSlotBySlot() throws IOException {
    Path file = written(90);
    KeptHistory seconds = new KeptHistory(file);
    Series counter = seconds.counter("counter.2");
    Series times = seconds.times("times.1");
    long[] sums = new long[2];
    seconds.read(
        HistoryRange.FIVE_MINUTES,
        FIRST + 90,
        slot -> {
          sums[0] += slot.sum(counter);
          slot.each(times, (nanos, count) -> sums[1] += count);
        });
    KeptHistory minutes = new KeptHistory(file);
    Series same = minutes.counter("counter.2");
    Series sameTimes = minutes.times("times.1");
    Series unknown = minutes.concurrency("unknown");
    List<String> slots = new ArrayList<>();
    long[] minuteSums = new long[2];
    minutes.read(
        HistoryRange.DAY,
        FIRST + 90,
        slot -> {
          minuteSums[0] += slot.sum(same);
          minuteSums[1] += slot.count(sameTimes);
          slots.add(slot.startSeconds() + ": " + slot.count(unknown));
        });
    assertThat(minuteSums).isEqualTo(sums);
    assertThat(sums[1]).isPositive();
    assertThat(slots).containsExactly("1000020: 0", "1000080: 0");
  }

  @Test
  void timesOfAHistoryWhoseClockWasSetBackAreMoved() throws IOException {
    List<Long> starts = new ArrayList<>();
    new KeptHistory(written(2))
        .read(HistoryRange.FIVE_MINUTES, FIRST - 99, slot -> starts.add(slot.startSeconds()));
    assertThat(starts).containsExactly(FIRST - 100, FIRST - 99);
  }

  @Test
  void aFileThatIsNotThereOrDamagedSaysSo() throws IOException {
    KeptHistory absent = new KeptHistory(folder.resolve("absent"));
    assertThatThrownBy(() -> absent.read(HistoryRange.DAY, 0, slot -> {}))
        .isInstanceOf(IOException.class);
    Path file = written(2);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    assertThatThrownBy(() -> new KeptHistory(file).read(HistoryRange.DAY, 0, slot -> {}))
        .hasMessageContaining("checksum");
  }
}

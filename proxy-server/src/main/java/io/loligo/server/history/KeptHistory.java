package io.loligo.server.history;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The file of a history, for a process that does not keep it. The series are named first, then the
 * file is read. Confined to one thread; blocks.
 */
public final class KeptHistory {
  private final HistoryFile file;
  private final SeriesList series = new SeriesList();

  /** Reads nothing yet. */
  public KeptHistory(Path path) {
    file = new HistoryFile(path);
  }

  /** The counter with this name; its increases are 0 where the file has none. */
  public Series counter(String name) {
    return series.add(Series.Kind.COUNTER, name);
  }

  /** The distribution with this name; it is empty where the file has none. */
  public Series times(String name) {
    return series.add(Series.Kind.TIMES, name);
  }

  /** The distribution of the numbers in progress with this name. */
  public Series concurrency(String name) {
    return times(Series.NUMBERS + name);
  }

  /**
   * Passes the slots of a range to {@code slots}, in their order. A slot may come in several parts.
   *
   * @param nowSeconds since the epoch: a history whose clock was set back is ahead of it, and its
   *     times are moved by the difference
   * @param slots borrows the interval for the call
   * @throws IOException if there is no such file, or it is damaged, or it cannot be read
   */
  public void read(HistoryRange range, long nowSeconds, Consumer<Interval> slots)
      throws IOException {
    long newest = file.read(series, (of, slot) -> {});
    long aheadSeconds = Math.max(0, newest - nowSeconds);
    long found =
        file.read(
            series,
            (of, slot) -> {
              if (of == range) {
                slot.startsAt(slot.slot() - aheadSeconds);
                slots.accept(slot);
              }
            });
    if (found < 0) {
      throw new IOException("there is nothing in it");
    }
  }
}

package io.loligo.server.report;

import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A line on a terminal with a bar, the rate and the remaining time. Confined to one thread. */
public final class ReadingProgress implements LogReading.Progress {
  private static final long EVERY_NANOS = 200_000_000;
  private static final int BAR = 30;

  private final @Nullable PrintStream terminal;
  private final long size;
  private final long startNanos = System.nanoTime();
  private long shownNanos = startNanos;

  /**
   * A progress of 0.
   *
   * @param terminal null: nothing is shown
   * @param size bytes of all files; -1: unknown
   */
  public ReadingProgress(@Nullable PrintStream terminal, long size) {
    this.terminal = terminal;
    this.size = size;
  }

  @Override
  public void at(long lines, long bytes) {
    if (terminal == null) {
      return;
    }
    long now = System.nanoTime();
    if (now - shownNanos >= EVERY_NANOS) {
      shownNanos = now;
      // a line longer than the terminal must not wrap: the next one could not overwrite it
      String text = text(lines, bytes, size, now - startNanos);
      terminal.print("\r\u001B[?7l\u001B[K" + text + "\u001B[?7h");
      terminal.flush();
    }
  }

  /** Removes the line. */
  public void end() {
    if (terminal != null) {
      terminal.print("\r\u001B[K");
      terminal.flush();
    }
  }

  static String text(long lines, long bytes, long size, long nanos) {
    double seconds = Math.max(nanos / 1e9, 0.001);
    String rate =
        String.format(Locale.ROOT, "%,d lines, %,d lines/s", lines, Math.round(lines / seconds));
    if (size <= 0) {
      return rate;
    }
    double done = Math.min(1, bytes / (double) size);
    int full = (int) (done * BAR);
    long left = bytes == 0 ? 0 : Math.round(seconds * (size - Math.min(bytes, size)) / bytes);
    return String.format(
        Locale.ROOT,
        "[%s%s] %3d %%, %s, %s, %d:%02d left",
        "#".repeat(full),
        ".".repeat(BAR - full),
        (int) (done * 100),
        rate,
        NumberText.bytes(bytes / seconds) + "/s",
        left / 60,
        left % 60);
  }
}

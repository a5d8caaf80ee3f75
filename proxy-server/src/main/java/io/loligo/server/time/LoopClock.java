package io.loligo.server.time;

import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;

/**
 * Wall and monotonic time of one event loop, and the Date line of the current second. Confined to
 * that loop.
 */
public final class LoopClock {
  private final TimeSource time;
  private final FieldLines dateLine = new FieldLines(64);
  private long dateSecond = Long.MIN_VALUE;

  /** A clock that reads {@code time}. */
  public LoopClock(TimeSource time) {
    this.time = time;
  }

  /** Milliseconds since the epoch. */
  public long millis() {
    return time.millis();
  }

  /** Monotonic nanoseconds. */
  public long nanos() {
    return time.nanos();
  }

  /** Appends {@code Date: ... CRLF} of {@code millis} to {@code lines}, borrowed. */
  public void addDate(FieldLines lines, long millis) {
    long second = Math.floorDiv(millis, 1000L);
    if (second != dateSecond) {
      dateSecond = second;
      dateLine.clear().append("Date: ");
      HttpDate.append(dateLine, second * 1000);
      dateLine.endLine();
    }
    lines.append(dateLine.bytes(), 0, dateLine.length());
  }
}

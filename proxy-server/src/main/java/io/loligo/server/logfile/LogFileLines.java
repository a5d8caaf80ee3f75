package io.loligo.server.logfile;

import java.io.IOException;
import java.io.InputStream;

/**
 * The lines of a stream as ranges of one buffer, without a copy of each. A line may have {@value
 * #LONGEST} bytes; of a longer one the first bytes are kept and the rest is skipped. Confined to
 * one thread.
 */
public final class LogFileLines {
  /** Bytes of the longest line that is read. */
  public static final int LONGEST = 64 << 10;

  private final InputStream in;
  private final byte[] buffer;
  private int start;
  private int end;
  private int next;
  private int limit;
  private boolean tooLong;
  private boolean last;
  private long number;

  /**
   * Lines of {@code in}, which the caller closes.
   *
   * @param bufferBytes more than {@value #LONGEST}
   */
  public LogFileLines(InputStream in, int bufferBytes) {
    this.in = in;
    buffer = new byte[Math.max(bufferBytes, LONGEST + 1)];
  }

  /** Goes to the next line; false: there is none. */
  public boolean next() throws IOException {
    start = next;
    tooLong = false;
    int scanned = start;
    while (true) {
      for (int i = scanned; i < limit; i++) {
        if (buffer[i] == '\n') {
          next = i + 1;
          return line(i);
        }
      }
      if (limit - start > LONGEST) {
        return skip();
      }
      scanned = limit - start;
      System.arraycopy(buffer, start, buffer, 0, limit - start);
      limit -= start;
      start = 0;
      if (!fill()) {
        next = limit;
        return limit > 0 && line(limit);
      }
    }
  }

  private boolean line(int stop) {
    number++;
    end = stop > start && buffer[stop - 1] == '\r' ? stop - 1 : stop;
    tooLong |= end - start > LONGEST;
    return true;
  }

  /** The head of the line stays at the front of the buffer; the rest of it is read over. */
  private boolean skip() throws IOException {
    System.arraycopy(buffer, start, buffer, 0, LONGEST);
    start = 0;
    end = LONGEST;
    tooLong = true;
    number++;
    while (true) {
      limit = LONGEST;
      if (!fill()) {
        next = limit;
        return true;
      }
      for (int i = LONGEST; i < limit; i++) {
        if (buffer[i] == '\n') {
          next = i + 1;
          return true;
        }
      }
    }
  }

  private boolean fill() throws IOException {
    int count = last ? -1 : in.read(buffer, limit, buffer.length - limit);
    last = count < 0;
    limit += Math.max(0, count);
    return !last;
  }

  /** The bytes that have the line; valid until {@link #next}. */
  public byte[] bytes() {
    return buffer;
  }

  /** The first byte of the line. */
  public int start() {
    return start;
  }

  /** The byte behind the line; its end is left out. */
  public int end() {
    return end;
  }

  /** Whether the end of the line was cut off because it is too long. */
  public boolean tooLong() {
    return tooLong;
  }

  /** The number of the line, from 1. */
  public long number() {
    return number;
  }
}

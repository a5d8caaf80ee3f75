package io.loligo.server.helper;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Cuts a stream of bytes into lines of a limited length. Confined to one thread. */
final class OutputLines {
  private final InputStream in;
  private final byte[] chunk = new byte[4096];
  private final int maxBytes;
  private byte[] line = new byte[256];
  private int length;
  private int at;
  private int end;
  private boolean tooLong;

  /**
   * Lines of {@code in}.
   *
   * @param maxBytes the most bytes of a line, its end not included
   */
  OutputLines(InputStream in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /**
   * The next line, without its end (LF or CRLF), or null at the end of the stream: a line without
   * an end is none. Of a line that is too long, the first {@code maxBytes} bytes; then {@link
   * #tooLong}.
   */
  byte @Nullable [] next() throws IOException {
    length = 0;
    tooLong = false;
    while (true) {
      while (at < end) {
        byte value = chunk[at++];
        if (value == '\n') {
          return Arrays.copyOf(line, length - (length > 0 && line[length - 1] == '\r' ? 1 : 0));
        }
        add(value);
      }
      at = 0;
      end = Math.max(0, in.read(chunk));
      if (end == 0) {
        return null;
      }
      if (tooLong) {
        return Arrays.copyOf(line, length);
      }
    }
  }

  /** Whether the last line was too long. */
  boolean tooLong() {
    return tooLong;
  }

  private void add(byte value) {
    if (length == maxBytes) {
      tooLong = true;
      return;
    }
    if (length == line.length) {
      line = Arrays.copyOf(line, Math.min(maxBytes, 2 * length));
    }
    line[length++] = value;
  }
}

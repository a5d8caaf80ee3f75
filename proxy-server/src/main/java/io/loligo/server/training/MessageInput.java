package io.loligo.server.training;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a connection receives, read in large pieces: a rehearsing process has its clients'
 * work to do, too. Confined to the thread of the connection.
 */
final class MessageInput {
  /** More than any head. */
  private static final int SIZE = 32 << 10;

  private final InputStream in;
  private final byte[] bytes = new byte[SIZE];
  private int start;
  private int end;

  /** Reads from {@code in}, which nobody else reads. */
  MessageInput(InputStream in) {
    this.in = in;
  }

  /** A head with its empty line; null if the connection ends before. */
  @Nullable String head() throws IOException {
    int seen = start;
    while (true) {
      for (int i = seen; i + 3 < end; i++) {
        if (bytes[i] == '\r' && bytes[i + 2] == '\r' && bytes[i + 3] == '\n') {
          return taken(i + 4);
        }
      }
      int before = end - start;
      if (!fill()) {
        return null;
      }
      seen = start + Math.max(0, before - 3);
    }
  }

  /** A line without its end. */
  String line() throws IOException {
    while (true) {
      for (int i = start; i < end; i++) {
        if (bytes[i] == '\n') {
          return taken(i + 1).strip();
        }
      }
      if (!fill()) {
        throw new EOFException("no end of a line");
      }
    }
  }

  private String taken(int to) {
    String text = new String(bytes, start, to - start, StandardCharsets.ISO_8859_1);
    start = to;
    return text;
  }

  /** Throws so many bytes away. */
  void skip(int size) throws IOException {
    int left = size;
    while (left > end - start) {
      left -= end - start;
      start = end;
      if (!fill()) {
        throw new EOFException("no end of the content");
      }
    }
    start += left;
  }

  /** Moves the bytes to the front and reads more. Returns false at the end. */
  private boolean fill() throws IOException {
    System.arraycopy(bytes, start, bytes, 0, end - start);
    end -= start;
    start = 0;
    if (end == SIZE) {
      throw new IOException("a head without end");
    }
    int read = in.read(bytes, end, SIZE - end);
    end += Math.max(0, read);
    return read >= 0;
  }
}

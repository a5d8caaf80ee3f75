package io.loligo.core.http1;

import io.loligo.core.message.Ascii;

/** The HTTP-version of a start line (RFC 9112 section 2.3). Stateless. */
final class Version {
  /** Bytes of a version. */
  static final int LENGTH = 8;

  /** The position of the major version. */
  static final int MAJOR = 5;

  private static final int MINOR = 7;
  private static final byte[] PATTERN = {'H', 'T', 'T', 'P', '/', '1', '.', '0'};
  private static final long HTTP_1_0 = ByteRuns.word(PATTERN, 0);
  private static final long HTTP_1_1 = HTTP_1_0 + (1L << 56);

  private Version() {}

  /**
   * Continues a version that starts at {@code start}: returns the offset after its last byte, at
   * most {@code end}, or the complement of the offset of the first byte that does not belong to it.
   */
  static int scan(byte[] bytes, int start, int at, int end) {
    int stop = Math.min(end, start + LENGTH);
    if (at == start && stop - start == LENGTH) {
      long word = ByteRuns.word(bytes, start);
      if (word == HTTP_1_1 || word == HTTP_1_0) {
        return stop;
      }
    }
    for (int i = at; i < stop; i++) {
      boolean fits = i == start + MINOR ? Ascii.isDigit(bytes[i]) : bytes[i] == PATTERN[i - start];
      if (!fits) {
        return ~i;
      }
    }
    return stop;
  }

  /** 10 for HTTP/1.0; 11 for every later minor version; the proxy itself speaks 1.1. */
  static int of(byte[] bytes, int start) {
    return bytes[start + MINOR] == '0' ? 10 : 11;
  }
}

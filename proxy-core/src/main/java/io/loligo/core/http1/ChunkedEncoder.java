package io.loligo.core.http1;

import io.netty.buffer.ByteBuf;

/** The bytes around the chunks of the chunked transfer coding (RFC 9112 section 7.1). Stateless. */
public final class ChunkedEncoder {
  /** CR and LF as one 16-bit number, for {@link ByteBuf#writeShort}. */
  public static final int CRLF = '\r' << 8 | '\n';

  /** Bytes of the line end after a chunk's data. */
  public static final int CRLF_LENGTH = 2;

  /** Bytes written by {@link #writeLast}. */
  public static final int LAST_LENGTH = 5;

  private ChunkedEncoder() {}

  /** Bytes written by {@link #writeHeader} for a chunk of {@code length} bytes, at least 1. */
  public static int headerLength(int length) {
    return digits(length) + CRLF_LENGTH;
  }

  /** Writes the size line of a chunk of {@code length} bytes, at least 1, to {@code out}. */
  public static void writeHeader(ByteBuf out, int length) {
    for (int shift = (digits(length) - 1) * 4; shift >= 0; shift -= 4) {
      int digit = length >>> shift & 0xf;
      out.writeByte(digit < 10 ? '0' + digit : 'a' + digit - 10);
    }
    out.writeShort(CRLF);
  }

  /** Writes the line end that follows a chunk's data to {@code out}. */
  public static void writeEnd(ByteBuf out) {
    out.writeShort(CRLF);
  }

  /** Writes the last chunk and an empty trailer section to {@code out}. */
  public static void writeLast(ByteBuf out) {
    writeLastSize(out);
    out.writeShort(CRLF);
  }

  /**
   * Writes the size line of the last chunk to {@code out}; field lines and an empty line follow.
   */
  public static void writeLastSize(ByteBuf out) {
    out.writeMedium('0' << 16 | CRLF);
  }

  private static int digits(int length) {
    return (35 - Integer.numberOfLeadingZeros(length)) / 4;
  }
}

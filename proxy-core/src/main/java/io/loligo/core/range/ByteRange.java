package io.loligo.core.range;

import io.loligo.core.message.FieldLines;

/**
 * A satisfiable range of content (RFC 9110 section 14.1.2). Immutable.
 *
 * @param first offset of the first byte, 0 or more
 * @param last offset of the last byte, within the content
 */
public record ByteRange(long first, long last) {

  /** Bytes in it, at least 1. */
  public long length() {
    return last - first + 1;
  }

  /** Adds the Content-Range line of a 206 (RFC 9110 section 14.4). */
  public FieldLines addContentRange(FieldLines lines, long contentLength) {
    return lines
        .append("Content-Range: bytes ")
        .append(first)
        .append('-')
        .append(last)
        .append('/')
        .append(contentLength)
        .endLine();
  }

  /** Adds the Content-Range line of a 416 (RFC 9110 section 15.5.17). */
  public static FieldLines addUnsatisfied(FieldLines lines, long contentLength) {
    return lines.append("Content-Range: bytes */").append(contentLength).endLine();
  }
}

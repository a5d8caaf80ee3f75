package io.loligo.core.range;

import io.loligo.core.message.FieldLines;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frame of a multipart/byteranges response (RFC 9110 section 14.6): the bytes before, between
 * and after the ranges of content. Immutable.
 */
public final class Multipart {
  private final List<ByteRange> ranges;
  private final long contentLength;
  private final @Nullable String contentType;
  private final String boundary;

  /**
   * @param contentLength bytes of the whole content
   * @param contentType of the whole content, or null
   * @param boundary 1 to 70 letters and digits that do not occur in the content
   */
  public Multipart(
      List<ByteRange> ranges, long contentLength, @Nullable String contentType, String boundary) {
    this.ranges = ranges;
    this.contentLength = contentLength;
    this.contentType = contentType;
    this.boundary = boundary;
  }

  /** Adds the Content-Type line of the response. */
  public FieldLines addContentType(FieldLines lines) {
    return lines.append("Content-Type: multipart/byteranges; boundary=").append(boundary).endLine();
  }

  /** Number of parts. */
  public int count() {
    return ranges.size();
  }

  /** The range of content in part {@code i}. */
  public ByteRange range(int i) {
    return ranges.get(i);
  }

  /**
   * Appends the bytes before the content of part {@code i}, including the delimiter of the part.
   */
  public FieldLines appendHead(int i, FieldLines out) {
    if (i > 0) {
      out.endLine();
    }
    out.append("--").append(boundary).endLine();
    if (contentType != null) {
      out.append("Content-Type: ").append(contentType).endLine();
    }
    return ranges.get(i).addContentRange(out, contentLength).endLine();
  }

  /** Appends the bytes after the content of the last part. */
  public FieldLines appendEnd(FieldLines out) {
    return out.endLine().append("--").append(boundary).append("--").endLine();
  }

  /** Bytes of the whole response: heads, ranges and end. */
  public long length() {
    FieldLines frame = new FieldLines(ranges.size() * 128);
    long length = 0;
    for (int i = 0; i < ranges.size(); i++) {
      appendHead(i, frame);
      length += ranges.get(i).length();
    }
    return length + appendEnd(frame).length();
  }
}

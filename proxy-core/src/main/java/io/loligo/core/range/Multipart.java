package io.loligo.core.range;

import io.loligo.core.message.FieldLines;
import java.util.List;

/**
 * The frame of a multipart/byteranges answer (RFC 9110 section 14.6): what stands before, between
 * and behind the ranges of content. Immutable.
 */
public final class Multipart {
  private final List<ByteRange> ranges;
  private final long contentLength;
  private final String contentType;
  private final String boundary;

  /**
   * @param contentLength bytes of the whole content
   * @param contentType of the whole content, or null
   * @param boundary 1 to 70 letters and digits that do not occur in the content
   */
  public Multipart(
      List<ByteRange> ranges, long contentLength, String contentType, String boundary) {
    this.ranges = ranges;
    this.contentLength = contentLength;
    this.contentType = contentType;
    this.boundary = boundary;
  }

  /** Adds the Content-Type line of the answer. */
  public FieldLines addContentType(FieldLines lines) {
    return lines.append("Content-Type: multipart/byteranges; boundary=").append(boundary).endLine();
  }

  /** Parts there are. */
  public int count() {
    return ranges.size();
  }

  /** What of the content part {@code i} carries. */
  public ByteRange range(int i) {
    return ranges.get(i);
  }

  /** Appends what stands before the bytes of part {@code i}, the delimiter of the part included. */
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

  /** Appends what stands behind the bytes of the last part. */
  public FieldLines appendEnd(FieldLines out) {
    return out.endLine().append("--").append(boundary).append("--").endLine();
  }

  /** Bytes of the whole answer: heads, ranges and end. */
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

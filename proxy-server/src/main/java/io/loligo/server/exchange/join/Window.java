package io.loligo.server.exchange.join;

import io.loligo.core.range.ByteRange;
import io.loligo.server.exchange.client.ClientStream;
import io.netty.buffer.ByteBuf;

/** Cuts the range for a client out of arriving content. Confined to the client's event loop. */
final class Window {
  private final ByteRange range;
  private final long completeLength;
  private long toSkip;
  private long left;

  /**
   * @param start offset of the first byte that arrives, not beyond the range
   * @param completeLength bytes of the whole
   */
  Window(ByteRange range, long start, long completeLength) {
    this.completeLength = completeLength;
    this.range = range;
    this.toSkip = range.first() - start;
    this.left = range.length();
  }

  ByteRange range() {
    return range;
  }

  long completeLength() {
    return completeLength;
  }

  /** Sends the bytes of {@code content}, the next piece, that are in the range. Takes it. */
  void pass(ByteBuf content, ClientStream stream) {
    int before = (int) Math.min(toSkip, content.readableBytes());
    toSkip -= before;
    content.skipBytes(before);
    int inside = (int) Math.min(left, content.readableBytes());
    left -= inside;
    if (inside == 0) {
      content.release();
    } else {
      content.writerIndex(content.readerIndex() + inside);
      stream.content(content);
    }
  }

  /** Whether the client has all of it. */
  boolean isThrough() {
    return left == 0;
  }
}

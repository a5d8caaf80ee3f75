package io.loligo.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Joins pieces of content: each that is passed on costs some microseconds and a write, so that one
 * read full of chunks of a byte each would keep an event loop from everybody else. Stateless.
 */
public final class SmallPieces {
  /** Bytes from which on a piece is worth passing on by itself: {@value}. */
  public static final int ENOUGH_BYTES = 1_024;

  private SmallPieces() {}

  /**
   * {@code joined}, taken, or null, with {@code length} bytes of {@code in} behind it, which is
   * borrowed and read; returned owned. Its room grows by doubling: of tiny chunks most is no
   * content.
   */
  public static ByteBuf join(ByteBuf joined, ByteBuf in, int length, ByteBufAllocator allocator) {
    ByteBuf all = joined == null ? allocator.directBuffer(ENOUGH_BYTES) : joined;
    try {
      all.writeBytes(in, length);
      return all;
    } catch (OutOfMemoryError e) {
      all.release();
      throw e;
    }
  }
}

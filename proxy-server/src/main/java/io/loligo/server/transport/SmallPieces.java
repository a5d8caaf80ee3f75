package io.loligo.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Joins pieces of content: passing on each piece costs some microseconds and a write, so that one
 * read full of chunks of a byte each would block the event loop. Stateless.
 */
public final class SmallPieces {
  /** Bytes from which a piece is worth passing on by itself: {@value}. */
  public static final int ENOUGH_BYTES = 1_024;

  private SmallPieces() {}

  /**
   * {@code joined}, taken, or null, followed by {@code length} bytes of {@code in}, which is
   * borrowed and read; returned owned. Its room grows by doubling: tiny chunks are mostly framing,
   * not content.
   */
  public static ByteBuf join(
      @Nullable ByteBuf joined, ByteBuf in, int length, ByteBufAllocator allocator) {
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

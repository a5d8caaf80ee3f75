package io.loligo.store.disk.format;

import io.netty.buffer.ByteBuf;

/** The header before the blocks of a packed segment. Stateless. */
public final class SegmentHeader {
  private static final int MAGIC = 0x4C4F4C53;
  private static final int GENERATION = 8;
  private static final int USED_BYTES = 16;

  private SegmentHeader() {}

  /** Writes it to the beginning of {@code memory}, borrowed. */
  public static void write(ByteBuf memory, long generation) {
    memory.setZero(0, Geometry.SEGMENT_HEADER_BYTES);
    memory.setInt(0, MAGIC);
    memory.setLong(GENERATION, generation);
  }

  /** Whether {@code segment}, read from its beginning, is in its life {@code generation}. */
  public static boolean isOf(ByteBuf segment, long generation) {
    return segment.readableBytes() >= USED_BYTES
        && segment.getInt(0) == MAGIC
        && segment.getLong(GENERATION) == generation;
  }
}

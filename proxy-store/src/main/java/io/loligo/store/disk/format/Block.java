package io.loligo.store.disk.format;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The common header of all blocks on disk: see {@code docs/disk-format.md}. A block is the unit of
 * reading, writing and verification. Numbers are big-endian. Stateless.
 */
public final class Block {
  /** Bytes of a block at most. */
  public static final int MAX_BYTES = 65_472;

  /** Blocks start at multiples of this many bytes. */
  public static final int ALIGNMENT = 64;

  /** From one further block of a piece to the next: whole pages. */
  public static final int STRIDE = 65_536;

  /** The unit in which the system reads and writes. */
  public static final int PAGE_BYTES = 4096;

  /** Bytes of the header. */
  public static final int HEADER_BYTES = 40;

  /** Content in a further block at most. */
  public static final int FURTHER_CONTENT = MAX_BYTES - HEADER_BYTES;

  public static final int MAGIC = 0x4C4F4C31;
  public static final byte FIRST = 1;
  public static final byte FURTHER = 2;

  private static final int CRC = 4;
  private static final int LENGTH = 8;
  private static final int KIND = 12;
  private static final int LANE = 13;
  private static final int GENERATION = 16;
  private static final int ID = 24;
  private static final int NUMBER = 32;

  private Block() {}

  /** Bytes that a block of {@code length} takes on disk. */
  public static int aligned(int length) {
    return (length + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** {@code bytes} up to the end of their last page. */
  public static int pages(int bytes) {
    return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }

  /**
   * Writes the header at index 0, except for the fields that {@link #seal} adds. The rest is
   * written after it.
   */
  public static void begin(ByteBuf block, byte kind, long id, int number) {
    block.setIndex(0, HEADER_BYTES);
    block.setInt(0, MAGIC);
    block.setByte(KIND, kind);
    block.setByte(LANE, 0);
    block.setShort(LANE + 1, 0);
    block.setLong(ID, id);
    block.setInt(NUMBER, number);
    block.setInt(NUMBER + 4, 0);
  }

  /** Completes a block, written up to the writer index, for its segment. */
  public static void seal(ByteBuf block, int lane, long generation) {
    block.setInt(LENGTH, block.writerIndex());
    block.setByte(LANE, lane);
    block.setLong(GENERATION, generation);
    block.setInt(CRC, crc(block, block.writerIndex()));
  }

  /** Marks {@code block} as no block. */
  public static void strike(ByteBuf block) {
    block.setInt(0, 0);
  }

  /**
   * Whether the readable bytes from index 0 are a whole and unchanged block of {@code kind}. A
   * block of an older life of its segment, or of another object or number, is whole too: see the
   * accessors.
   */
  public static boolean isWhole(ByteBuf block, byte kind) {
    int there = block.writerIndex();
    return there >= HEADER_BYTES
        && block.getInt(0) == MAGIC
        && block.getByte(KIND) == kind
        && block.getInt(LENGTH) >= HEADER_BYTES
        && block.getInt(LENGTH) <= there
        && block.getInt(CRC) == crc(block, block.getInt(LENGTH));
  }

  private static int crc(ByteBuf block, int length) {
    CRC32C crc = new CRC32C();
    crc.update(block.nioBuffer(LENGTH, length - LENGTH));
    return (int) crc.getValue();
  }

  public static int length(ByteBuf block) {
    return block.getInt(LENGTH);
  }

  public static int lane(ByteBuf block) {
    return block.getByte(LANE);
  }

  /** Life of the segment it was written in. */
  public static long generation(ByteBuf block) {
    return block.getLong(GENERATION);
  }

  /** The object that it belongs to. */
  public static long id(ByteBuf block) {
    return block.getLong(ID);
  }

  /** 0 for the first block, then counted up. */
  public static int number(ByteBuf block) {
    return block.getInt(NUMBER);
  }

  /** Content of a further block: from its header on. */
  public static int furtherContent(ByteBuf block) {
    return length(block) - HEADER_BYTES;
  }
}

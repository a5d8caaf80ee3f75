package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads and writes blocks in the slabs, and marks of segments. What it returns was verified.
 * Thread-safe: disk threads.
 */
final class Blocks {
  private static final int SEGMENT_MAGIC = 0x4C4F4C53;

  private final Slab slab;
  private final int segmentBytes;
  private final ByteBufAllocator allocator;

  /** Whether something was struck out since the last {@link #force}. */
  private final AtomicBoolean struck = new AtomicBoolean(true);

  Blocks(Slab slab, int segmentBytes, ByteBufAllocator allocator) {
    this.slab = slab;
    this.segmentBytes = segmentBytes;
    this.allocator = allocator;
  }

  int segmentBytes() {
    return segmentBytes;
  }

  /** A buffer for a block of {@code length}. Returns owned. */
  ByteBuf buffer(int length) {
    return allocator.directBuffer(length, length);
  }

  private long position(long place) {
    return (long) Place.segment(place) * segmentBytes + Place.offset(place);
  }

  /**
   * The first block at {@code place}, of {@code length} octets. Returns owned; null where what is
   * there is no whole and sound first block.
   *
   * @throws IOException the disk does not answer
   */
  ByteBuf readFirst(long place, int length) throws IOException {
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      slab.read(position(place), block, length);
      good = Block.isWhole(block, Block.FIRST) && FirstBlock.isSound(block);
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block : null;
  }

  /**
   * Further block {@code number} of object {@code id}, with {@code content} octets of it. Returns
   * owned, readable from the content on; null where what is there is something else.
   */
  ByteBuf readFurther(long place, int content, long id, int number) throws IOException {
    int length = Block.HEADER_BYTES + content;
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      slab.read(position(place), block, length);
      good =
          Block.isWhole(block, Block.FURTHER)
              && Block.id(block) == id
              && Block.number(block) == number
              && Block.furtherContent(block) == content;
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block.setIndex(Block.HEADER_BYTES, length) : null;
  }

  /** Writes {@code block}, sealed, borrowed. */
  void write(long place, ByteBuf block) throws IOException {
    block.readerIndex(0);
    slab.write(position(place), block);
  }

  /** Makes the block at {@code place} none, so that no recovery takes it up again. */
  void strike(long place) throws IOException {
    zero(position(place), Integer.BYTES);
  }

  /** Marks the segment of {@code extent} as begun, if it was opened for it. */
  void openSegment(Extent extent) throws IOException {
    if (!extent.opens()) {
      return;
    }
    ByteBuf header = buffer(Block.ALIGNMENT);
    try {
      header.writeInt(SEGMENT_MAGIC);
      header.writeInt(0);
      header.writeLong(extent.generation());
      header.writeZero(Block.ALIGNMENT - header.writerIndex());
      slab.write((long) Place.segment(extent.place()) * segmentBytes, header);
    } finally {
      header.release();
    }
  }

  /** Marks {@code segment} as free: what is in it is none any more. */
  void strikeSegment(int segment) throws IOException {
    zero((long) segment * segmentBytes, Block.ALIGNMENT);
  }

  private void zero(long position, int octets) throws IOException {
    ByteBuf zeros = buffer(octets);
    try {
      slab.write(position, zeros.writeZero(octets));
    } finally {
      zeros.release();
    }
    struck.set(true);
  }

  /** Reads all of {@code segment} into {@code into}, borrowed; its generation, or -1 if free. */
  long readSegment(int segment, ByteBuf into) throws IOException {
    slab.read((long) segment * segmentBytes, into, segmentBytes);
    return generation(into);
  }

  /** The generation of {@code segment}, or -1 if free. */
  long generation(int segment) throws IOException {
    ByteBuf header = buffer(Geometry.SEGMENT_HEADER_BYTES);
    try {
      slab.read((long) segment * segmentBytes, header, header.capacity());
      return generation(header);
    } finally {
      header.release();
    }
  }

  private static long generation(ByteBuf segment) {
    boolean used = segment.readableBytes() >= Block.ALIGNMENT && segment.getInt(0) == SEGMENT_MAGIC;
    return used ? segment.getLong(8) : -1;
  }

  /** Brings to the disk what was struck out before. One caller at a time. */
  void force() throws IOException {
    if (struck.getAndSet(false)) {
      boolean done = false;
      try {
        slab.force();
        done = true;
      } finally {
        struck.compareAndSet(false, !done);
      }
    }
  }

  void close() throws IOException {
    slab.close();
  }
}

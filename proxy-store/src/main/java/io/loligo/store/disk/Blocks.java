package io.loligo.store.disk;

import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads and writes blocks in the slabs, and marks of segments. What it returns was verified.
 * Thread-safe: disk threads.
 */
final class Blocks {
  private static final int SEGMENT_MAGIC = 0x4C4F4C53;

  /** What the system reads and writes as one. */
  private static final int PAGE_BYTES = 4096;

  /** Octets read at a time where a segment cannot be read as a whole. */
  private static final int STEP_BYTES = 64 << 10;

  /** What is struck out is written over with these: that is to need no memory. */
  private static final ByteBuf ZEROS =
      Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(STEP_BYTES)).asReadOnly();

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

  /**
   * A buffer for a record that is needed whatever there is of direct memory: what is half done when
   * that ends would leave the directory in disorder. Nobody's to release.
   */
  static ByteBuf record() {
    return Unpooled.buffer(RecordMap.RECORD_BYTES);
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

  /** {@link #readFirst}; null, too, where the disk does not answer. */
  ByteBuf tryReadFirst(long place, int length) {
    try {
      return readFirst(place, length);
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** {@link #readFurther}; null, too, where the disk does not answer. */
  ByteBuf tryReadFurther(long place, int content, long id, int number) {
    try {
      return readFurther(place, content, id, number);
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** Writes {@code block}, sealed, borrowed. */
  void write(long place, ByteBuf block) throws IOException {
    block.readerIndex(0);
    put(position(place), block);
  }

  /**
   * Writes, and if that fails, once more behind zeros in the pages it begins and ends in: of a page
   * that the disk cannot read no part can be written, only all of it. What stood there beside is
   * lost with that, and found wanting where it is read.
   */
  private void put(long position, ByteBuf octets) throws IOException {
    try {
      slab.write(position, octets);
    } catch (IOException e) {
      try {
        long first = position - position % PAGE_BYTES;
        long last = (position + octets.readableBytes() - 1) / PAGE_BYTES * PAGE_BYTES;
        zero(first, PAGE_BYTES);
        if (last != first) {
          zero(last, PAGE_BYTES);
        }
        slab.write(position, octets);
      } catch (IOException again) {
        e.addSuppressed(again);
        throw e;
      }
    }
  }

  /** Makes the block at {@code place} none, so that no recovery takes it up again. */
  void strike(long place) throws IOException {
    strike(position(place), Integer.BYTES);
  }

  /** Marks the segment of {@code extent} as begun, if it was opened for it. */
  void openSegment(Extent extent) throws IOException {
    if (!extent.opens()) {
      return;
    }
    ByteBuf header = Unpooled.buffer(Block.ALIGNMENT);
    header.writeInt(SEGMENT_MAGIC);
    header.writeInt(0);
    header.writeLong(extent.generation());
    header.writeZero(Block.ALIGNMENT - header.writerIndex());
    put((long) Place.segment(extent.place()) * segmentBytes, header);
  }

  /** Marks {@code segment} as free: what is in it is none any more. */
  void strikeSegment(int segment) throws IOException {
    strike((long) segment * segmentBytes, Block.ALIGNMENT);
  }

  /** Fills {@code segment}, which is free, with zeros. */
  void overwrite(int segment) throws IOException {
    for (int at = 0; at < segmentBytes; at += STEP_BYTES) {
      zero((long) segment * segmentBytes + at, STEP_BYTES);
    }
  }

  private void strike(long position, int octets) throws IOException {
    put(position, ZEROS.slice(0, octets));
    struck.set(true);
  }

  private void zero(long position, int octets) throws IOException {
    slab.write(position, ZEROS.slice(0, octets));
  }

  /** Reads all of {@code segment} into {@code into}, borrowed; its generation, or -1 if free. */
  long readSegment(int segment, ByteBuf into) throws IOException {
    slab.read((long) segment * segmentBytes, into, segmentBytes);
    return generation(into);
  }

  /**
   * The same where the disk cannot read all of it: step by step. What cannot be read is zero then,
   * on the disk too, so that it does not come back when it can be read again.
   *
   * @param steps told of each step; may give up
   */
  long readSteps(int segment, ByteBuf into, Steps steps) throws IOException {
    long from = (long) segment * segmentBytes;
    ByteBuf step = buffer(STEP_BYTES);
    int at = 0;
    try {
      boolean more = true;
      while (more && at < segmentBytes) {
        // the header alone: without it nothing of the segment counts
        int octets = at == 0 ? PAGE_BYTES : STEP_BYTES - at % STEP_BYTES;
        IOException failure = null;
        try {
          slab.read(from + at, step, octets);
        } catch (IOException e) {
          failure = e;
        }
        steps.read(at, failure);
        if (failure != null) {
          zero(from + at, octets);
          step.clear().writeZero(octets);
        }
        more = step.readableBytes() == octets;
        into.setBytes(at, step, 0, step.readableBytes());
        at += step.readableBytes();
      }
    } finally {
      step.release();
    }
    struck.set(true);
    into.setIndex(0, at);
    return generation(into);
  }

  /** Told of the steps in which a segment is read. */
  interface Steps {
    /**
     * The step at {@code offset} was read.
     *
     * @param failure why not, or null
     */
    void read(int offset, IOException failure) throws IOException;
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

package io.loligo.store.disk.segment;

import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.medium.Slab;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads blocks in buffers and slabs, and writes stretches of slabs. Every returned block is
 * verified. Thread-safe: disk threads; {@link #readFirstNow} belongs to event loops, too.
 */
public final class Blocks {
  private final Slab slab;
  private final int segmentBytes;
  private final ByteBufAllocator allocator;
  private final Segments segments;
  private final LongSupplier clock;

  /**
   * Of {@code slab}, and of the buffers of {@code segments}.
   *
   * @param clock nanoseconds
   */
  public Blocks(
      Slab slab,
      Segments segments,
      int segmentBytes,
      ByteBufAllocator allocator,
      LongSupplier clock) {
    this.slab = slab;
    this.segments = segments;
    this.clock = clock;
    this.segmentBytes = segmentBytes;
    this.allocator = allocator;
  }

  /** A buffer for a block of {@code length}. Returns owned. */
  public ByteBuf buffer(int length) {
    return allocator.directBuffer(length, length);
  }

  /** A buffer for a further block that is {@linkplain #writePages written} alone. Returns owned. */
  public ByteBuf pageBuffer(int length) {
    return buffer(Block.pages(length));
  }

  private long position(long place) {
    return (long) SlabPlace.segment(place) * segmentBytes + SlabPlace.offset(place);
  }

  private void read(long place, ByteBuf into, int length) throws IOException {
    // a buffer is released after it is written: a reader that does not find it finds its bytes in
    // the slabs
    if (!segments.read(place, into, length)) {
      slab.read(position(place), into, length);
    }
  }

  /**
   * The first block at {@code place}, of {@code length} bytes. Returns owned; null if there is no
   * whole and sound first block.
   *
   * @throws IOException the disk does not answer
   */
  public @Nullable ByteBuf readFirst(long place, int length) throws IOException {
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      read(place, block, length);
      good = isFirst(block);
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block : null;
  }

  private static boolean isFirst(ByteBuf block) {
    return Block.isWhole(block, Block.FIRST) && FirstBlock.isSound(block);
  }

  /**
   * {@link #readFirst} without waiting for a disk; null, too, if that is not possible. Any thread.
   */
  public @Nullable ByteBuf readFirstNow(long place, int length) {
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      good = readNow(place, block, length) && isFirst(block);
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block : null;
  }

  /**
   * Further block {@code number} of response {@code id}, with {@code content} bytes of it. Returns
   * owned, readable from the content on; null if something else is there.
   */
  public @Nullable ByteBuf readFurther(long place, int content, long id, int number)
      throws IOException {
    int length = Block.HEADER_BYTES + content;
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      read(place, block, length);
      good = isFurther(block, content, id, number);
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block.setIndex(Block.HEADER_BYTES, length) : null;
  }

  /** {@code blocks} further blocks from {@code place} on will be read soon. */
  public void expectFurther(long place, int blocks) {
    slab.expect(position(place), (long) blocks * Block.STRIDE);
  }

  /** {@link #readFurther} without waiting for a disk; null, too, if that is not possible. */
  public @Nullable ByteBuf readFurtherNow(long place, int content, long id, int number) {
    int length = Block.HEADER_BYTES + content;
    ByteBuf block = buffer(length);
    boolean good = false;
    try {
      good = readNow(place, block, length) && isFurther(block, content, id, number);
    } finally {
      if (!good) {
        block.release();
      }
    }
    return good ? block.setIndex(Block.HEADER_BYTES, length) : null;
  }

  private boolean readNow(long place, ByteBuf block, int length) {
    return segments.read(place, block, length) || slab.readNow(position(place), block, length);
  }

  private static boolean isFurther(ByteBuf block, int content, long id, int number) {
    return Block.isWhole(block, Block.FURTHER)
        && Block.id(block) == id
        && Block.number(block) == number
        && Block.furtherContent(block) == content;
  }

  /** {@link #readFirst}; null, too, if the disk does not answer. */
  public @Nullable ByteBuf tryReadFirst(long place, int length) {
    try {
      return readFirst(place, length);
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** {@link #readFurther}; null, too, if the disk does not answer. */
  public @Nullable ByteBuf tryReadFurther(long place, int content, long id, int number) {
    try {
      return readFurther(place, content, id, number);
    } catch (IOException unreadable) {
      return null;
    }
  }

  /**
   * Writes {@code block}, sealed, borrowed, a {@link #pageBuffer}, at the beginning of a page, and
   * zeros up to the end of its last page: the system need not read a page first that is written as
   * a whole.
   *
   * @return how long the write took, in nanoseconds
   */
  public long writePages(long place, ByteBuf block) throws IOException {
    int length = block.writerIndex();
    int pages = Block.pages(length);
    block.setZero(length, pages - length);
    long begin = clock.getAsLong();
    slab.write(position(place), block.slice(0, pages));
    return clock.getAsLong() - begin;
  }

  /** Writes all of {@code buffer}. */
  public void write(SegmentBuffer buffer) throws IOException {
    ByteBuf content = buffer.content();
    if (content.isReadable()) {
      slab.write((long) buffer.segment().number * segmentBytes + buffer.start(), content);
    }
  }

  /** Writes {@code footer}, whole pages, borrowed, to the end of {@code segment}. */
  public void writeFooter(int segment, ByteBuf footer) throws IOException {
    slab.write((segment + 1L) * segmentBytes - footer.readableBytes(), footer);
  }

  /**
   * The entries of the footer of {@code segment} in its life {@code generation}. Returns owned;
   * null if there is no whole footer.
   */
  public @Nullable ByteBuf readFooter(int segment, long generation) throws IOException {
    long end = (segment + 1L) * segmentBytes;
    ByteBuf head = buffer(Contents.HEAD_BYTES);
    ByteBuf entries = null;
    boolean good = false;
    try {
      slab.read(end - Contents.HEAD_BYTES, head, Contents.HEAD_BYTES);
      if (head.readableBytes() < Contents.HEAD_BYTES
          || !Contents.isHead(head, 0, generation, segment)
          || Contents.length(head, 0) > segmentBytes - Contents.HEAD_BYTES) {
        return null;
      }
      int length = Contents.length(head, 0);
      entries = buffer(Math.max(1, length));
      slab.read(end - Contents.HEAD_BYTES - length, entries, length);
      good = entries.readableBytes() == length && Contents.isWhole(head, 0, entries);
      return good ? entries : null;
    } finally {
      head.release();
      if (entries != null && !good) {
        entries.release();
      }
    }
  }

  /**
   * Reads {@code length} bytes of {@code segment} from {@code offset} to {@code into}, borrowed, at
   * {@code at}; returns the number of bytes.
   */
  public int readRaw(int segment, int offset, ByteBuf into, int at, int length) throws IOException {
    ByteBuf part = into.slice(at, length);
    slab.read((long) segment * segmentBytes + offset, part, length);
    return part.readableBytes();
  }

  /** See {@link Slab#prepare}. */
  public void prepare() {
    slab.prepare();
  }

  public void close() throws IOException {
    slab.close();
  }
}

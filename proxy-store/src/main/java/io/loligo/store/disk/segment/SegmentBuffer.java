package io.loligo.store.disk.segment;

import io.loligo.store.disk.format.Block;
import io.loligo.store.packing.SharedMemory;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A stretch of an open packed segment that is filled in memory, read from there, and written in one
 * piece. Never recycled; its memory is.
 *
 * <pre>
 *   phase    entered by                                     legal
 *   OPEN     the segments, which give out room in it        write, read
 *   CLOSED   the segments: no more room is given out        write, read
 *   FULL     the last writer is done                        read, flush
 *   FLUSHED  it is on the disk, or its directory is off     nothing
 * </pre>
 *
 * Thread-safe: any thread writes into room of its own; {@link #used} is changed under the lock of
 * the segments.
 */
public final class SegmentBuffer {
  private static final AtomicIntegerFieldUpdater<SegmentBuffer> WRITERS =
      AtomicIntegerFieldUpdater.newUpdater(SegmentBuffer.class, "writers");
  private static final AtomicIntegerFieldUpdater<SegmentBuffer> HOLDERS =
      AtomicIntegerFieldUpdater.newUpdater(SegmentBuffer.class, "holders");

  private final Segment segment;
  private final long generation;
  private final int start;
  private final ByteBuf memory;

  /** The same bytes, without references: written by address wherever the JVM allows that. */
  private final ByteBuf shared;

  private final BufferPool pool;

  /** Bytes allocated. Changed by the segments only. */
  volatile int used;

  /** Ticks since the first bytes were allocated. Guarded by the segments. */
  int age;

  private volatile int writers = 1;
  private volatile int holders = 1;

  /**
   * From {@code start} of {@code segment}, for the length of {@code memory}, which it takes.
   *
   * @param pool takes the memory back
   */
  SegmentBuffer(Segment segment, int start, ByteBuf memory, BufferPool pool) {
    this.segment = segment;
    this.generation = segment.generation;
    this.start = start;
    this.memory = memory;
    this.shared = SharedMemory.of(memory);
    this.pool = pool;
  }

  public Segment segment() {
    return segment;
  }

  public long generation() {
    return generation;
  }

  /** Where it begins in its segment: at a page. */
  public int start() {
    return start;
  }

  /** Bytes it has room for. */
  int capacity() {
    return memory.capacity();
  }

  /** Adds a writer, who also holds it. Called by the segments, while it is open. */
  void began() {
    WRITERS.incrementAndGet(this);
    HOLDERS.incrementAndGet(this);
  }

  /**
   * Removes a writer, or closes it; returns whether that was the last, so that it has to be
   * flushed.
   */
  boolean done() {
    return WRITERS.decrementAndGet(this) == 0;
  }

  /** Room for a block at {@code offset} of the segment, owned by its writer until it is done. */
  ByteBuf room(int offset, int length) {
    return new RoomBuf(shared, offset - start, length);
  }

  /**
   * Copies to {@code into}, borrowed, from {@code offset} of the life {@code generation} of its
   * segment; false if it does not, or no longer, hold that.
   */
  boolean read(int number, int offset, ByteBuf into, int length) {
    // after the allocated bytes another buffer begins, once this one is closed
    boolean covers = number == segment.number && offset >= start && offset + length <= start + used;
    if (!covers || !tryHold()) {
      return false;
    }
    try {
      into.clear();
      into.writeBytes(memory, offset - start, length);
      return true;
    } finally {
      release();
    }
  }

  /** Adds a holder, unless it was released already. */
  public boolean tryHold() {
    int before;
    do {
      before = holders;
      if (before == 0) {
        return false;
      }
    } while (!HOLDERS.compareAndSet(this, before, before + 1));
    return true;
  }

  /** The bytes to be written: whole pages, with zeros after the allocated bytes. */
  ByteBuf content() {
    assert writers == 0 : "a writer is still active";
    int length = Math.min(memory.capacity(), Block.pages(used));
    memory.setZero(used, length - used);
    return memory.slice(0, length);
  }

  /** Removes a holder: after the last one its memory goes back. */
  public void release() {
    if (HOLDERS.decrementAndGet(this) == 0) {
      pool.back(memory);
    }
  }
}

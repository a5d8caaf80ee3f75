package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One of several packings, with one thread in it at a time. A thread that gives a block back never
 * waits: if another thread is inside, the block goes on a stack, which that thread empties when it
 * leaves. The stack runs through the memory of the blocks. Thread-safe: any thread.
 */
final class Arena {
  /** The allocator of its buffers. */
  final PackedAllocator allocator;

  private final ReentrantLock lock = new ReentrantLock();
  private final Packing packing; // guarded by lock

  /** The block that was given back last, {@link Packing#NONE} if none waits. */
  private final AtomicLong returned = new AtomicLong(Packing.NONE);

  /** Of the moment when a thread left: {@link Packing#largest}, and {@link Packing#free}. */
  private volatile int largest;

  private volatile long free = -1;

  /** Has no memory yet; its blocks are buffers of {@code allocator}. */
  Arena(PackedAllocator allocator) {
    this.allocator = allocator;
    packing = new Packing(this);
    largest = packing.largest();
  }

  /** Whether there was a free block a moment ago that may be large enough. */
  boolean mayFit(int granules) {
    return largest >= Packing.list(granules);
  }

  /** Whether a thread is inside at this moment. */
  boolean isOccupied() {
    return lock.isLocked();
  }

  /** Granules in free blocks, a moment ago; -1: it had no memory. */
  long free() {
    return free;
  }

  /**
   * A buffer of {@code capacity}, which takes {@code granules}; null if no block is large enough or
   * another thread is inside. Never waits.
   */
  @Nullable PackedBuf tryCut(int granules, int capacity) {
    return lock.tryLock() ? cutAndLeave(granules, capacity, null) : null;
  }

  /**
   * The same; waits while another thread is inside.
   *
   * @param more a chunk's memory, taken, to be used if no block is large enough even now; may be
   *     null
   */
  @Nullable PackedBuf cut(int granules, int capacity, @Nullable ByteBuf more) {
    lock.lock();
    return cutAndLeave(granules, capacity, more);
  }

  private @Nullable PackedBuf cutAndLeave(int granules, int capacity, @Nullable ByteBuf more) {
    Chunk emptied;
    PackedBuf buffer = null;
    ByteBuf spare = more;
    try {
      emptied = settle(null);
      long block = packing.take(granules);
      if (block == Packing.NONE && spare != null) {
        packing.add(spare);
        spare = null;
        block = packing.take(granules);
      }
      if (block != Packing.NONE) {
        buffer = new PackedBuf(packing.chunk(block), Chunk.startOf(block), capacity);
      }
    } finally {
      leave();
    }
    if (spare != null) {
      spare.release();
    }
    release(emptied);
    settleWhatCame();
    return buffer;
  }

  /** Frees the block of {@code chunk} that begins at {@code start}. Never waits. */
  void give(Chunk chunk, int start) {
    long block = chunk.block(start);
    if (!lock.tryLock()) {
      push(chunk, start, block);
    } else {
      Chunk emptied;
      try {
        emptied = settle(packing.give(block));
      } finally {
        leave();
      }
      release(emptied);
    }
    settleWhatCame();
  }

  private void push(Chunk chunk, int start, long block) {
    long before;
    do {
      before = returned.get();
      chunk.link(start, before);
    } while (!returned.compareAndSet(before, block));
  }

  /**
   * The thread that was inside while a block was pushed sees it here, or the pusher gets inside.
   */
  private void settleWhatCame() {
    while (returned.get() != Packing.NONE && lock.tryLock()) {
      Chunk emptied;
      try {
        emptied = settle(null);
      } finally {
        leave();
      }
      release(emptied);
    }
  }

  /** Frees the returned blocks. Returns {@code emptied} and the chunks that it emptied. */
  private @Nullable Chunk settle(@Nullable Chunk emptied) {
    if (returned.get() == Packing.NONE) {
      return emptied;
    }
    Chunk all = emptied;
    long block = returned.getAndSet(Packing.NONE);
    while (block != Packing.NONE) {
      long next = packing.chunk(block).linked(Chunk.startOf(block));
      Chunk empty = packing.give(block);
      if (empty != null) {
        empty.nextEmptied = all;
        all = empty;
      }
      block = next;
    }
    return all;
  }

  private void leave() {
    int now = packing.largest();
    if (now != largest) {
      largest = now;
    }
    free = packing.free();
    lock.unlock();
  }

  private static void release(@Nullable Chunk emptied) {
    for (Chunk chunk = emptied; chunk != null; chunk = chunk.nextEmptied) {
      chunk.release();
    }
  }
}

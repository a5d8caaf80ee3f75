package io.loligo.store.disk.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the segment buffers of one directory: {@link #MAX} of them, and one more for each
 * disk thread. Thread-safe.
 */
public final class BufferPool {
  /** Most buffers for callers that do not wait: {@value}. */
  public static final int MAX = 6;

  /** Bytes of a buffer, unless a segment has less. */
  static final int BYTES = 1 << 20;

  private final ByteBufAllocator allocator;
  private final int bytes;
  private final AtomicInteger out = new AtomicInteger();
  private final Queue<ByteBuf> spare = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  public BufferPool(ByteBufAllocator allocator, int segmentBytes) {
    this.allocator = allocator;
    this.bytes = bytes(segmentBytes);
  }

  /** Bytes of a buffer where segments have {@code segmentBytes}. */
  public static int bytes(int segmentBytes) {
    return Math.min(BYTES, segmentBytes);
  }

  /**
   * Memory for a buffer, owned; null if there are too many.
   *
   * @param always whether it is for a disk thread
   */
  @Nullable ByteBuf take(boolean always) {
    if (out.incrementAndGet() > MAX && !always) {
      out.decrementAndGet();
      return null;
    }
    ByteBuf memory = spare.poll();
    boolean taken = memory != null;
    try {
      if (memory == null) {
        memory = allocator.directBuffer(bytes, bytes);
        taken = true;
      }
      return memory.setIndex(0, 0);
    } finally {
      if (!taken) {
        out.decrementAndGet();
      }
    }
  }

  /** Takes {@code memory} back. */
  void back(ByteBuf memory) {
    if (out.decrementAndGet() >= MAX || closed) {
      memory.release();
    } else {
      spare.add(memory);
      if (closed) {
        close();
      }
    }
  }

  /** Releases unused memory, and from now on all memory that comes back. */
  void close() {
    closed = true;
    for (ByteBuf memory = spare.poll(); memory != null; memory = spare.poll()) {
      memory.release();
    }
  }
}

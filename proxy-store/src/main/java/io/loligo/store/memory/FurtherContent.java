package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Content after the first block of an entry: in memory, or on disk. Shared by an entry and its
 * freshened successors. Thread-safe: any thread; only a holder of a reference may retain it.
 */
public interface FurtherContent {
  /** Told once the result of a {@link #read}. */
  interface Listener {
    /**
     * Takes {@code content}, at least one byte from the requested offset; null: damaged or gone.
     */
    void content(@Nullable ByteBuf content);
  }

  /** Adds a reference. */
  FurtherContent retain();

  /** Removes a reference; the last one releases everything. */
  void release();

  /** Bytes of direct memory that it keeps. */
  long bytes();

  /** See {@link Entry#moveTo}. */
  boolean moveTo(MemoryLedger other);

  /** Whether it is in memory: {@link #retainedContent} may be called. */
  boolean isResident();

  /**
   * At most {@code max} bytes from {@code offset}, to the end of their block. Returns owned. Legal
   * if {@link #isResident}.
   */
  ByteBuf retainedContent(long offset, int max);

  /**
   * Reads at most {@code max} bytes from {@code offset}, verified. Any thread; never blocks; {@code
   * then} is told on {@code loop}, never before this returns. A reference is held until then.
   */
  void read(long offset, int max, EventExecutor loop, Listener then);
}

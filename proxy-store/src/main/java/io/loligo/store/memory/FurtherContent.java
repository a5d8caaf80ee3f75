package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;

/**
 * Content behind the first block of an entry: in memory, or on disk. Shared by an entry and the
 * ones that freshened it. Thread-safe: any thread; retained only by who holds a reference already.
 */
public interface FurtherContent {
  /** Told once what a {@link #read} got. */
  interface Listener {
    /**
     * Takes {@code content}, at least one byte from the offset asked for; null: damaged or gone.
     */
    void content(ByteBuf content);
  }

  /** One reference more. */
  FurtherContent retain();

  /** One reference less; the last one lets go of everything. */
  void release();

  /** Bytes of direct memory it keeps. */
  long bytes();

  /** See {@link Entry#moveTo}. */
  boolean moveTo(MemoryLedger other);

  /** Whether it is in memory: {@link #retainedContent} may be asked. */
  boolean isResident();

  /**
   * At most {@code max} bytes from {@code offset}, to the end of the block they stand in. Returns
   * owned. Legal where {@link #isResident}.
   */
  ByteBuf retainedContent(long offset, int max);

  /**
   * Reads at most {@code max} bytes from {@code offset}, verified. Any thread; never blocks; {@code
   * then} is told on {@code loop}, never before this returns. A reference is held until then.
   */
  void read(long offset, int max, EventExecutor loop, Listener then);
}

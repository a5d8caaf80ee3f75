package io.loligo.store.disk.context;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Event counts of a directory since it was opened. Thread-safe. */
public final class DirectoryCounters {
  /** Loads that found something. */
  public final LongAdder hits = new LongAdder();

  /** Of these, answered from the record alone. */
  public final LongAdder recordHits = new LongAdder();

  /** Of {@link #hits}, those that took a single read of one block at once. */
  public final LongAdder singleReads = new LongAdder();

  /** Responses that are being read from further blocks, or written while they arrive. */
  public final InUse inUse = new InUse();

  /** Reads of blocks. */
  public final LongAdder reads = new LongAdder();

  /** Bytes read. */
  public final LongAdder readBytes = new LongAdder();

  /** Responses written. */
  public final LongAdder writes = new LongAdder();

  /** Bytes of content written. */
  public final LongAdder writtenBytes = new LongAdder();

  /** Responses not written: the queue was full. */
  public final LongAdder queueSkips = new LongAdder();

  /** Responses not written: the admission refused them. */
  public final LongAdder refusals = new LongAdder();

  /** Responses not written: no space could be made. */
  public final LongAdder spaceSkips = new LongAdder();

  /** Objects dropped because the bytes on disk differ from those that were written. */
  public final LongAdder damaged = new LongAdder();

  /** Responses that are being written while they arrive, or read from such a place. */
  public final AtomicInteger spools = new AtomicInteger();

  /** Objects the scrubber read. */
  public final LongAdder scrubbed = new LongAdder();
}

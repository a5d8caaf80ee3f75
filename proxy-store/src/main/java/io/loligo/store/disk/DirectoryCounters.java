package io.loligo.store.disk;

import java.util.concurrent.atomic.LongAdder;

/** What happened in a directory since it was opened. Thread-safe. */
final class DirectoryCounters {
  /** Loads that found something. */
  final LongAdder hits = new LongAdder();

  /** Of these, answered from the record alone. */
  final LongAdder recordHits = new LongAdder();

  /** Of {@link #hits}, read at once: one read of one block was all. */
  final LongAdder singleReads = new LongAdder();

  /** Reads of blocks. */
  final LongAdder reads = new LongAdder();

  /** Octets read. */
  final LongAdder readBytes = new LongAdder();

  /** Responses written. */
  final LongAdder writes = new LongAdder();

  /** Octets of content written. */
  final LongAdder writtenBytes = new LongAdder();

  /** Responses not written: the queue was full. */
  final LongAdder queueSkips = new LongAdder();

  /** Responses not written: the admission did not want them. */
  final LongAdder refusals = new LongAdder();

  /** Responses not written: no space could be made. */
  final LongAdder spaceSkips = new LongAdder();

  /** Objects dropped because what is on disk is not what was written. */
  final LongAdder damaged = new LongAdder();

  /** Objects the scrubber read. */
  final LongAdder scrubbed = new LongAdder();
}

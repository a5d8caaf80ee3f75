package io.loligo.store.disk.context;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.BufferPool;
import io.loligo.store.disk.segment.Segments;
import io.loligo.store.disk.space.Space;
import io.loligo.store.memory.MemoryLedger;
import java.util.function.Consumer;

/**
 * The parts of an open directory, on which reads, writes and the patrol work. Immutable.
 *
 * @param broken told that the disk has failed
 */
public record DirectoryContext(
    Secret secret,
    Catalogue catalogue,
    Blocks blocks,
    Space space,
    Journal journal,
    BufferPool pool,
    Geometry geometry,
    Medium medium,
    DiskThreads threads,
    MemoryLedger transit,
    DirectoryCounters counters,
    ReadFailures failures,
    Consumer<Throwable> broken) {

  public Segments segments() {
    return catalogue.segments();
  }
}

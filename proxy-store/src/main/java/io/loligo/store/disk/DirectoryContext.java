package io.loligo.store.disk;

import io.loligo.store.memory.MemoryLedger;
import java.util.function.Consumer;

/**
 * What works on a directory that is open, for those who are made for one task. Immutable.
 *
 * @param broken told that the disk does not do what it must
 */
record DirectoryContext(
    Secret secret,
    Catalogue catalogue,
    Blocks blocks,
    Space space,
    Loader loader,
    Writer writer,
    Journal journal,
    BufferPool pool,
    Geometry geometry,
    DiskThreads threads,
    MemoryLedger transit,
    DirectoryCounters counters,
    ReadFailures failures,
    Consumer<Throwable> broken) {

  Segments segments() {
    return catalogue.segments();
  }
}

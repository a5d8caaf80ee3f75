package io.loligo.store.disk;

import io.loligo.store.memory.MemoryLedger;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * What works on a directory that is open, for those who are made for one task. Immutable.
 *
 * @param broken told that the disk does not do what it must
 */
record DirectoryContext(
    Secret secret,
    Catalogue catalogue,
    Unsettled unsettled,
    Dropping dropping,
    Blocks blocks,
    Space space,
    Loader loader,
    Writer writer,
    Geometry geometry,
    DiskThreads threads,
    MemoryLedger transit,
    DirectoryCounters counters,
    ReadFailures failures,
    Consumer<Throwable> broken) {
  /**
   * Drops {@code stored}, if it still stands where it did, and strikes it out; whether it did. A
   * disk on which that fails is broken: what is to be gone may come back.
   */
  boolean drop(Stored stored) throws IOException {
    try {
      return dropping.drop(stored);
    } catch (IOException e) {
      broken.accept(e);
      throw e;
    }
  }
}

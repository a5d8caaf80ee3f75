package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Keeps purges, and how far each sender's were carried out, over restarts of this node. Used on the
 * node's steps, except for {@link #read}; no call waits for a disk. A journal that fails keeps less
 * and says so by not calling the listener.
 */
public interface PurgeJournal extends AutoCloseable {
  /** A line of the journal. */
  sealed interface Line {
    /** A purge, before it is carried out. */
    record Entry(NodeRun stream, long number, byte[] entry) implements Line {}

    /** All purges of a stream up to a number are carried out, and a crash does not undo them. */
    record Applied(NodeRun stream, long number) implements Line {}

    /** Purges up to a number came that are not kept, and perhaps were not carried out. */
    record Missing(NodeRun stream, long number) implements Line {}

    /** The stream is no longer known. */
    record Forgotten(NodeRun stream) implements Line {}
  }

  /**
   * Lines that an earlier run of this node left.
   *
   * @param lines in their order; some may be missing
   * @param damaged whether some are missing that had reached the disk
   */
  record Kept(List<Line> lines, boolean damaged) {
    /** Nothing. */
    static final Kept NOTHING = new Kept(List.of(), false);
  }

  /** Reads what is kept, once, before all else. May wait for the disk. */
  Kept read();

  /**
   * Says where to tell positions that reached the disk.
   *
   * @param synced told, on any thread, the position up to which a crash loses nothing
   */
  void listen(LongConsumer synced);

  /**
   * Adds a line.
   *
   * @return its position, from 1, greater than that of the lines before
   */
  long append(Line line);

  /**
   * Entries before the {@code count}-th, of those read and those added, are no longer needed.
   *
   * @param count from 0
   */
  void expire(long count);

  @Override
  void close();
}

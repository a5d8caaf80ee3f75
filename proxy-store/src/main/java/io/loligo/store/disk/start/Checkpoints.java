package io.loligo.store.disk.start;

import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.List;

/**
 * The two checkpoints of a directory: which one is written next, when it is due, and which journals
 * the last one needs. Confined to disk threads, one at a time.
 */
public final class Checkpoints {
  /** The next checkpoint is due after this many segments were opened, or more. */
  private static final int DUE_SEGMENTS = 64;

  private final Marks marks;
  private final Geometry geometry;
  private final ByteBufAllocator allocator;

  /** The checkpoint in force. */
  private int slot;

  private long neededJournal;
  private boolean behind;
  private int count;

  public Checkpoints(Marks marks, Geometry geometry, ByteBufAllocator allocator) {
    this.marks = marks;
    this.geometry = geometry;
    this.allocator = allocator;
  }

  /** For a directory that begins: there is no checkpoint yet. */
  public void begin() {
    slot = 1;
    neededJournal = FileSizes.JOURNALS;
  }

  /**
   * For a directory that was opened from a checkpoint: the next one is due.
   *
   * @param taken number of the checkpoint that was used
   * @param firstJournal the first journal that it needs
   */
  public void goOnFrom(int taken, long firstJournal) {
    slot = taken;
    neededJournal = firstJournal;
    behind = true;
  }

  /** Whether so much has changed that a start would take long without another checkpoint. */
  public boolean isDue(Journal journal) {
    return behind
        || journal.bytes() >= geometry.journalBytes() / 2
        || journal.openedSegments() >= Math.max(DUE_SEGMENTS, geometry.segments() / 8);
  }

  /** Checkpoints written so far. */
  public int count() {
    return count;
  }

  /** Writes a checkpoint of the present state of {@code open}, in place of the older one. */
  public void write(DirectoryContext open) throws IOException {
    Journal.Mark mark = open.journal().mark(neededJournal);
    Segments.Snapshot snapshot = open.segments().snapshot();
    List<Segments.State> states = snapshot.states();
    Checkpoint.Start start = new Checkpoint.Start(mark, snapshot.nextId(), states);
    int next = 1 - slot;
    try (Checkpoint.Output out =
        new Checkpoint.Output(
            marks.checkpoint(next), open.secret().directory(), start, allocator)) {
      writeSections(open, out, states, false); // known before the changes since are read
      writeSections(open, out, states, true);
      out.finish();
    }
    slot = next;
    neededJournal = mark.number();
    behind = false;
    count++;
  }

  private static void writeSections(
      DirectoryContext open, Checkpoint.Output out, List<Segments.State> states, boolean written)
      throws IOException {
    for (Segments.State state : states) {
      if (state.written() == written && state.kind() == Segment.Kind.PACKED) {
        out.section(state, open.catalogue().contents().of(state.number(), state.generation()));
      }
    }
  }
}

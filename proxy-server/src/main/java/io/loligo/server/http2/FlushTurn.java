package io.loligo.server.http2;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * Tells when the frames of a connection leave. Frames that the events of one read cause are
 * gathered, and leave at its end. Exchanges that a flush tells of free room may write again: their
 * frames leave in the same flush. Confined to the channel's event loop.
 */
public final class FlushTurn {
  private final Executor loop;
  private final FrameOutput<?> output;
  private final BooleanSupplier isClosed;
  private final Runnable planned = this::flushAsPlanned;
  private boolean gathering;
  private boolean marked;

  /** Whether {@link #planned} is among the tasks of the loop. */
  private boolean isPlanned;

  /**
   * Nothing is due.
   *
   * @param loop runs its tasks on the event loop
   * @param isClosed whether the connection is closed: nothing leaves any more
   */
  public FlushTurn(Executor loop, FrameOutput<?> output, BooleanSupplier isClosed) {
    this.loop = loop;
    this.output = output;
    this.isClosed = isClosed;
  }

  /** Frames are gathered until {@link #gathered}. */
  public void gather() {
    gathering = true;
  }

  /** Frames are gathered no longer. Flushes nothing: {@link #isDue} tells whether to. */
  public void gathered() {
    gathering = false;
  }

  /** Whether frames are gathered, or a flush is in progress. */
  public boolean isGathering() {
    return gathering;
  }

  /** A frame has to leave with the next flush, which is caused elsewhere. */
  public void mark() {
    marked = true;
  }

  /** Whether {@link #mark} was called since the last flush. */
  public boolean isMarked() {
    return marked;
  }

  /** Whether a frame, or content that the windows allow, waits for a flush. */
  public boolean isDue() {
    return marked || output.isDue();
  }

  /** Flushes now, or at the end of the read in progress. */
  public void soon() {
    marked = true;
    unlessGathering();
  }

  /**
   * Flushes at the end of the read in progress, or when the tasks of the loop that are due have
   * run: then the frames of several exchanges leave in one write.
   */
  public void afterTasks() {
    marked = true;
    if (!gathering && !isPlanned) {
      isPlanned = true;
      loop.execute(planned);
    }
  }

  private void flushAsPlanned() {
    isPlanned = false;
    if (marked && !isClosed.getAsBoolean()) {
      unlessGathering();
    }
  }

  /** Flushes now, unless a read in progress ends with a flush. */
  public void unlessGathering() {
    if (!gathering) {
      now();
    }
  }

  /** Flushes now. */
  public void now() {
    boolean before = gathering;
    gathering = true;
    try {
      do {
        marked = false;
        output.flush();
      } while (marked && !isClosed.getAsBoolean());
    } finally {
      gathering = before;
    }
  }
}

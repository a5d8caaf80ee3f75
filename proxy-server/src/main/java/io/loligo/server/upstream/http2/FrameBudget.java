package io.loligo.server.upstream.http2;

import io.loligo.server.time.LoopTimer;
import java.util.Arrays;

/**
 * Limits the frames of a server that bring no part of a response. Counts them in windows of {@value
 * #WINDOW_MILLIS} ms. Confined to the connection's event loop.
 */
final class FrameBudget {
  /** Length of a window. */
  static final int WINDOW_MILLIS = 10_000;

  /** Window updates that one frame of content may cause: of its stream, and of the connection. */
  private static final int UPDATES_OF_A_FRAME = 2;

  /** Kinds of frames, and the most of them in one window. */
  enum Kind {
    SETTINGS(50),
    PING(200),
    PRIORITY(200),
    /** DATA without content that does not end a stream. */
    EMPTY_DATA(1_000),
    /** Beyond those that answer content. */
    WINDOW_UPDATE(20_000),
    /** Frames of streams that have ended. */
    LATE(20_000);

    private final int most;

    Kind(int most) {
      this.most = most;
    }

    int most() {
      return most;
    }
  }

  private final LoopTimer timer;
  private final int[] counts = new int[Kind.values().length];
  private long startTick;

  FrameBudget(LoopTimer timer) {
    this.timer = timer;
    this.startTick = timer.tick();
  }

  /** Counts one of {@code kind}; false: there are too many. */
  boolean allows(Kind kind) {
    if (++counts[kind.ordinal()] <= kind.most()) {
      return true;
    }
    long tick = timer.tick();
    if (tick - startTick < WINDOW_MILLIS / LoopTimer.TICK_MILLIS) {
      return false;
    }
    startTick = tick;
    Arrays.fill(counts, 0);
    counts[kind.ordinal()] = 1;
    return true;
  }

  /** A frame of content was sent. */
  void sent() {
    counts[Kind.WINDOW_UPDATE.ordinal()] -= UPDATES_OF_A_FRAME;
  }
}

package io.loligo.server.downstream.http2;

import io.loligo.server.time.TimeSource;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Limits the frames by which a client causes work without asking for any response: streams that it
 * or its errors reset (CVE-2023-44487, CVE-2025-8671), SETTINGS, PING, PRIORITY, empty frames and
 * needless window updates. Counts them in windows of {@value #WINDOW_SECONDS} s. Confined to the
 * event loop.
 */
final class FloodGuard {
  /** Length of a window. */
  static final int WINDOW_SECONDS = 10;

  /** Kinds of frames, and the most of them in one window. */
  enum Kind {
    RESET(200),
    SETTINGS(50),
    PING(200),
    PRIORITY(2_000),
    EMPTY_DATA(200),
    WINDOW_UPDATE(20_000);

    private final int most;

    Kind(int most) {
      this.most = most;
    }
  }

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(WINDOW_SECONDS);

  /** A node has requests of many clients on a connection, and reads large responses quickly. */
  private static final int TIMES_FOR_NODES = 100;

  private final TimeSource time;
  private final int times;
  private final int[] counts = new int[Kind.values().length];
  private long windowStart;

  /** {@code ofNode}: whether the client is a node of the cluster. */
  FloodGuard(TimeSource time, boolean ofNode) {
    this.time = time;
    this.times = ofNode ? TIMES_FOR_NODES : 1;
    this.windowStart = time.nanos();
  }

  /** The most of {@code kind} in one window. */
  int most(Kind kind) {
    return times * kind.most;
  }

  /** Counts one of {@code kind}; false: there are too many. */
  boolean allows(Kind kind) {
    if (++counts[kind.ordinal()] <= most(kind)) {
      return true;
    }
    if (time.since(windowStart) < WINDOW_NANOS) {
      return false;
    }
    windowStart = time.nanos();
    Arrays.fill(counts, 0);
    counts[kind.ordinal()] = 1;
    return true;
  }
}

package io.loligo.cluster.jgroups;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * What waits for one member. At most one thread of the executor sends at a time; it may wait as
 * long as the member reads nothing. Thread-safe.
 */
final class Outbox {
  /** Bytes that may wait. */
  static final long MAX_BYTES = 16L << 20;

  /** Bytes of frames that are sent as one message, unless a single one has more. */
  private static final int MESSAGE_BYTES = 60_000;

  /** The wire. */
  interface Sending {
    /** Sends {@code message}; may block. Failures are the wire's own matter. */
    void send(byte[] message);
  }

  private final Executor threads;
  private final Sending sending;
  private final Runnable free;

  // guarded by this
  private final ArrayDeque<GroupFrame> waiting = new ArrayDeque<>();
  private long bytes;
  private boolean active;
  private boolean overrun;
  private boolean closed;

  /**
   * An empty one.
   *
   * @param free called when, after an overrun, everything is sent or dropped
   */
  Outbox(Executor threads, Sending sending, Runnable free) {
    this.threads = threads;
    this.sending = sending;
    this.free = free;
  }

  /** Adds {@code frame}. False: it and all that waited is dropped, because it would be too much. */
  boolean add(GroupFrame frame) {
    synchronized (this) {
      if (closed) {
        return true;
      }
      if (bytes + frame.bytes() > MAX_BYTES) {
        waiting.clear();
        bytes = 0;
        overrun = true;
        return false;
      }
      waiting.add(frame);
      bytes += frame.bytes();
      if (active) {
        return true;
      }
      active = true;
    }
    threads.execute(this::work);
    return true;
  }

  private void work() {
    while (true) {
      List<GroupFrame> next = next();
      if (next.isEmpty()) {
        return;
      }
      sending.send(GroupFrames.written(next));
    }
  }

  private List<GroupFrame> next() {
    List<GroupFrame> next = new ArrayList<>();
    boolean isFree = false;
    synchronized (this) {
      int length = 0;
      GroupFrame first = waiting.peek();
      while (first != null && (next.isEmpty() || length + first.bytes() <= MESSAGE_BYTES)) {
        next.add(waiting.remove());
        length += first.bytes();
        bytes -= first.bytes();
        first = waiting.peek();
      }
      if (next.isEmpty()) {
        active = false;
        isFree = overrun;
        overrun = false;
      }
    }
    if (isFree) {
      free.run();
    }
    return next;
  }

  /** The member is gone: nothing is sent any more. */
  void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
      bytes = 0;
    }
  }
}

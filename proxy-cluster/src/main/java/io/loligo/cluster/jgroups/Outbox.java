package io.loligo.cluster.jgroups;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The frames that wait for one member. At most one thread of the executor sends at a time; it may
 * wait as long as the member reads nothing. Thread-safe.
 */
final class Outbox {
  /** Bytes that may wait. */
  static final long MAX_BYTES = 16L << 20;

  /** Bytes of frames that are sent as one message, unless a single one has more. */
  private static final int MESSAGE_BYTES = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

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

  /** Whether no thread could begin since one has looked for messages. */
  private boolean stuck;

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

  /**
   * Adds {@code frame}. False: it and all that wait are dropped, because they would be too many.
   */
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
    begin();
    return true;
  }

  /** Without a thread, all waits until more is added. */
  private void begin() {
    try {
      threads.execute(this::work);
    } catch (RejectedExecutionException closing) {
      rest();
    } catch (OutOfMemoryError noThread) {
      if (rest()) {
        LOG.warn(
            "no thread can send to a member of the cluster, its messages wait; next: look at the"
                + " limits of threads and memory of this process",
            noThread);
      }
    }
  }

  /** No thread sends. Returns whether this is new. */
  private synchronized boolean rest() {
    active = false;
    boolean first = !stuck;
    stuck = true;
    return first;
  }

  private void work() {
    for (List<GroupFrame> next = next(); !next.isEmpty(); next = next()) {
      try {
        sending.send(GroupFrames.written(next));
      } catch (RuntimeException | Error e) {
        LOG.error(
            "messages to a member of the cluster are lost, the next ones follow; next: report this"
                + " defect, with the trace",
            e);
      }
    }
  }

  private List<GroupFrame> next() {
    List<GroupFrame> next = new ArrayList<>();
    boolean isFree = false;
    synchronized (this) {
      stuck = false;
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

package io.loligo.cluster.jgroups;

/**
 * Counts the messages of one member that wait for the steps. Once they are too many, further ones
 * are dropped until none waits. Thread-safe.
 */
final class Inbox {
  /** Bytes that may wait, unless a single message has more. */
  static final long MAX_BYTES = 8L << 20;

  /** Of a message that waits, beside its content: bounds the number of small ones. */
  static final int MESSAGE_BYTES = 256;

  private final Runnable full;
  private final Runnable free;

  // guarded by this
  private long bytes;
  private boolean dropping;

  /**
   * An empty one.
   *
   * @param full called on a step when messages begin to be dropped, behind those that wait
   * @param free called on a step when none waits any more and messages are taken again; only after
   *     {@code full}
   */
  Inbox(Runnable full, Runnable free) {
    this.full = full;
    this.free = free;
  }

  /** The fate of a message. */
  enum Fate {
    /** It waits; {@link #done} follows on its step. */
    WAITS,
    /** It is dropped, and the step {@link #full} has to follow. */
    FIRST_DROPPED,
    DROPPED
  }

  synchronized Fate add(int length) {
    if (dropping) {
      return Fate.DROPPED;
    }
    if (bytes > 0 && bytes + MESSAGE_BYTES + length > MAX_BYTES) {
      dropping = true;
      bytes += MESSAGE_BYTES; // of the step that says so: free comes after it
      return Fate.FIRST_DROPPED;
    }
    bytes += MESSAGE_BYTES + length;
    return Fate.WAITS;
  }

  /** The step after {@link Fate#FIRST_DROPPED}. */
  void full() {
    full.run();
    done(0);
  }

  /** On its step: a message of {@code length} bytes waits no more. */
  void done(int length) {
    boolean isFree = false;
    synchronized (this) {
      bytes -= MESSAGE_BYTES + length;
      if (bytes == 0 && dropping) {
        dropping = false;
        isFree = true;
      }
    }
    if (isFree) {
      free.run();
    }
  }

  synchronized boolean isEmpty() {
    return bytes == 0;
  }
}

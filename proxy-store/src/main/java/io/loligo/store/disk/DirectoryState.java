package io.loligo.store.disk;

import org.jspecify.annotations.Nullable;

/**
 * The state of a directory, and its open content.
 *
 * <pre>
 *   phase       entered by                     serves                 stores
 *   OPENING     claim, or tick after OFF       what is known so far   -
 *   READY       open                           yes                    yes, unless no-store
 *   OFF         the disk failed                -                      -
 *   CLOSED      close                          -                      -
 * </pre>
 *
 * <p>Thread-safe. It changes under its monitor, which also guards the removals that wait for the
 * directory. A caller may hold the monitor over several calls.
 */
final class DirectoryState {
  /** See above. */
  enum Phase {
    OPENING,
    READY,
    OFF,
    CLOSED
  }

  private volatile Phase phase = Phase.OPENING;
  private volatile String reason = "";
  private volatile @Nullable OpenDirectory last;

  /** Whether a step failed that a clean close would have done. */
  private volatile boolean inDisorder;

  private boolean wasReady;

  Phase phase() {
    return phase;
  }

  boolean isOpening() {
    return phase == Phase.OPENING;
  }

  boolean isReady() {
    return phase == Phase.READY;
  }

  boolean isOff() {
    return phase == Phase.OFF;
  }

  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  /** Why it is OFF; empty in other phases. */
  String reason() {
    return reason;
  }

  /** The open directory; null unless it is READY. */
  @Nullable OpenDirectory ready() {
    return phase == Phase.READY ? last : null;
  }

  /** The directory that was opened last, in every phase; null before that. */
  @Nullable OpenDirectory last() {
    return last;
  }

  /** {@link #last}, when one was opened. */
  OpenDirectory lastOpened() {
    OpenDirectory opened = last;
    assert opened != null : "none was opened";
    return opened;
  }

  /** {@code open} can be searched. */
  void opened(OpenDirectory open) {
    last = open;
  }

  /** Whether it is READY now; false if it was OFF or CLOSED already. */
  synchronized boolean becomeReady() {
    return become(Phase.READY);
  }

  /**
   * Turns off, unless it is OFF or CLOSED already. The reason is set before the phase, so a thread
   * that sees OFF also sees {@code why}.
   */
  boolean becomeOff(String why) {
    inDisorder = true;
    synchronized (this) {
      if (phase != Phase.OFF && phase != Phase.CLOSED) {
        reason = why;
      }
      return become(Phase.OFF);
    }
  }

  private boolean become(Phase next) {
    if (phase == Phase.OFF || phase == Phase.CLOSED) {
      return false;
    }
    phase = next;
    return true;
  }

  /** It is OFF and will be opened again. */
  synchronized void openAgain() {
    phase = Phase.OPENING;
    reason = "";
    inDisorder = false;
  }

  /** Closes it for good. */
  synchronized void close() {
    wasReady |= phase == Phase.READY;
    phase = Phase.CLOSED;
  }

  /** Whether it was READY and nothing has failed, so that it can be closed cleanly. */
  synchronized boolean wasInOrder() {
    return wasReady && !inDisorder;
  }
}

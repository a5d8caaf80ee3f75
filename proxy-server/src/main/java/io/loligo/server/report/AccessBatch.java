package io.loligo.server.report;

/** Accesses on their way between two threads. Confined to the thread that holds it. */
final class AccessBatch {
  private static final int LENGTH = 2048;

  private final LoggedAccess[] accesses = new LoggedAccess[LENGTH];
  private int count;

  AccessBatch() {
    for (int i = 0; i < LENGTH; i++) {
      accesses[i] = new LoggedAccess();
    }
  }

  /** Fills it from {@code log}; false: the log is at its end. */
  boolean fill(LogMerge log) {
    count = 0;
    while (count < LENGTH) {
      LoggedAccess access = log.next(accesses[count]);
      if (access == null) {
        return false;
      }
      accesses[count++] = access;
    }
    return true;
  }

  void addTo(Aggregates aggregates) {
    for (int i = 0; i < count; i++) {
      aggregates.add(accesses[i]);
    }
  }
}

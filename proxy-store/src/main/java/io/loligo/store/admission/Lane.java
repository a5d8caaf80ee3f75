package io.loligo.store.admission;

/** The two queues of segments on a disk: objects enter one, are rewritten in the other, or go. */
public enum Lane {
  /** Newcomers. */
  PROBATION,
  /** What proved its worth. */
  MAIN
}

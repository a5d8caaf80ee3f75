package io.loligo.store.admission;

/**
 * The two queues of segments on a disk: objects enter one, and are then rewritten in the other or
 * evicted.
 */
public enum Lane {
  /** Newcomers. */
  PROBATION,
  /** Objects that have proved their worth. */
  MAIN
}

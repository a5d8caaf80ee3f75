package io.loligo.store.purge;

/**
 * The outcome of a purge, told when not even a crash undoes it. Immutable.
 *
 * @param memory responses that left memory, or became stale there
 * @param disk the same on disk; {@link #LATER} if each is checked before it would be served
 */
public record Purged(Outcome outcome, int memory, int disk) {
  /** Responses on disk are not counted: each is dropped when a request finds it. */
  public static final int LATER = -1;

  /** The outcome of a purge. */
  public enum Outcome {
    DONE,
    /** No longer served, but possibly again after a restart: a disk could not record it. */
    NOT_CONFIRMED,
    /** Nothing was done: too many purges are pending. */
    REFUSED
  }

  /** Whether anything was found, or may be. */
  public boolean any() {
    return memory > 0 || disk != 0;
  }

  /** The sum of this and {@code other}. */
  public Purged and(Purged other) {
    boolean later = disk == LATER || other.disk == LATER;
    return new Purged(
        outcome.compareTo(other.outcome) >= 0 ? outcome : other.outcome,
        memory + other.memory,
        later ? LATER : disk + other.disk);
  }

  /** {@code memory=2, disk=later}, or a number. */
  public String text() {
    return "memory=" + memory + ", disk=" + (disk == LATER ? "later" : disk);
  }

  /** Approximate number of responses: a response in memory is usually on disk too. */
  public int count() {
    return Math.max(memory, disk);
  }
}

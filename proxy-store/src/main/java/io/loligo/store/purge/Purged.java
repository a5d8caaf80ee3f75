package io.loligo.store.purge;

/**
 * How a purge ended, told when not even a crash undoes it. Immutable.
 *
 * @param memory responses that left memory, or became stale there
 * @param disk the same on disk; {@link #LATER} where each is looked at before it would be served
 */
public record Purged(Outcome outcome, int memory, int disk) {
  /** Nobody counts what is on disk: it goes when it is met. */
  public static final int LATER = -1;

  /** How a purge ended. */
  public enum Outcome {
    DONE,
    /** Not served any more, but perhaps again after a restart: a disk could not write it down. */
    NOT_CONFIRMED,
    /** Nothing was done: too many others are not through yet. */
    REFUSED
  }

  /** Whether anything was found, or may be. */
  public boolean any() {
    return memory > 0 || disk != 0;
  }

  /** This and {@code other} together. */
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

  /** How many there were, roughly: what is in memory is on disk as a rule. */
  public int count() {
    return Math.max(memory, disk);
  }
}

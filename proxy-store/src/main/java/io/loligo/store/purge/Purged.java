package io.loligo.store.purge;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a purge, told when not even a crash undoes it. Immutable.
 *
 * @param memory responses that left memory, or became stale there
 * @param disk the same on disk; {@link #LATER} if each is checked before it would be served
 * @param reach how many nodes carried it out; null: there is no cluster
 */
public record Purged(Outcome outcome, int memory, int disk, @Nullable Reach reach) {
  /** Responses on disk are not counted: each is dropped when a request finds it. */
  public static final int LATER = -1;

  /** The outcome of a purge. */
  public enum Outcome {
    DONE,
    /** No longer served, but possibly again after a restart: a disk could not record it. */
    NOT_CONFIRMED,
    /** Nothing was done: too many purges are pending. */
    REFUSED,
    /** Done here, but this process has left its cluster: not all other nodes may know of it. */
    LEFT
  }

  /** Without a cluster. */
  public Purged(Outcome outcome, int memory, int disk) {
    this(outcome, memory, disk, null);
  }

  /** The same, carried out by that many nodes. */
  public Purged reaching(Reach nodes) {
    return new Purged(outcome, memory, disk, nodes);
  }

  /** The same in a process that has left its cluster. */
  public Purged inNoCluster() {
    return new Purged(Outcome.LEFT, memory, disk, reach);
  }

  /** Whether anything was found here, or may be. */
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

  /** {@code memory=2, disk=later}, or a number; in a cluster with {@code , nodes 3/3}. */
  public String text() {
    String here = "memory=" + memory + ", disk=" + (disk == LATER ? "later" : disk);
    return reach == null ? here : here + ", " + reach.text();
  }

  /** Approximate number of responses: a response in memory is usually on disk too. */
  public int count() {
    return Math.max(memory, disk);
  }
}

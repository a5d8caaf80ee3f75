package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.util.HashSet;
import java.util.Set;

/**
 * Purges of one run of a node, numbered from 1. Confined to the steps.
 *
 * <p>Three numbers say how far it is: {@code firstRetained - 1 <= applied <= received}, where the
 * entries from {@code firstRetained} to {@code received} are in the log. A purge that a validation
 * of everything replaces counts as received and applied.
 */
final class Stream {
  private final NodeRun id;

  /** Entries from {@link #firstRetained} on, as a ring. */
  private byte[][] ring = new byte[4][];

  private int head;
  private int retained;
  private long firstRetained = 1;
  private long received;
  private long applied;

  /** Numbers behind the one after {@link #applied} that are confirmed. */
  private final Set<Long> confirmed = new HashSet<>();

  Stream(NodeRun id) {
    this.id = id;
  }

  NodeRun id() {
    return id;
  }

  /** The last one that was given to this node's store. */
  long received() {
    return received;
  }

  /** All up to this one are carried out, durably. */
  long applied() {
    return applied;
  }

  /** The first that this node can give to others; behind the last if it has none. */
  long firstRetained() {
    return firstRetained;
  }

  int retained() {
    return retained;
  }

  /** Number {@code number} from {@link #firstRetained} to {@link #received}. */
  byte[] entry(long number) {
    assert number >= firstRetained && number - firstRetained < retained : number;
    return ring[(head + (int) (number - firstRetained)) & (ring.length - 1)];
  }

  /** Takes the entry after {@link #received}. */
  void receive(byte[] entry) {
    if (retained == ring.length) {
      byte[][] larger = new byte[2 * ring.length][];
      for (int i = 0; i < retained; i++) {
        larger[i] = ring[(head + i) & (ring.length - 1)];
      }
      ring = larger;
      head = 0;
    }
    ring[(head + retained) & (ring.length - 1)] = entry;
    retained++;
    received++;
  }

  /** Drops the first retained entry. */
  void expireFirst() {
    ring[head] = EXPIRED;
    head = (head + 1) & (ring.length - 1);
    retained--;
    firstRetained++;
    if (retained == 0 && ring.length > 4) {
      ring = new byte[4][];
      head = 0;
    }
  }

  private static final byte[] EXPIRED = {};

  /**
   * Number {@code number} is carried out.
   *
   * @return whether {@link #applied} moved
   */
  boolean confirm(long number) {
    if (number <= applied) {
      return false;
    }
    if (number != applied + 1) {
      confirmed.add(number);
      return false;
    }
    applied++;
    while (!confirmed.isEmpty() && confirmed.remove(applied + 1)) {
      applied++;
    }
    return true;
  }

  /**
   * A validation of everything replaces all up to {@code number}. The retained entries must be
   * dropped before, unless they reach that far.
   */
  void cover(long number) {
    if (number > received) {
      assert retained == 0;
      received = number;
      firstRetained = number + 1;
    }
    if (number > applied) {
      applied = number;
      confirmed.removeIf(n -> n <= number);
      while (!confirmed.isEmpty() && confirmed.remove(applied + 1)) {
        applied++;
      }
    }
  }
}

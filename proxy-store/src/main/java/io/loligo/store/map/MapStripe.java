package io.loligo.store.map;

import java.lang.invoke.VarHandle;

/**
 * A part of a {@link WeighedMap}: a hash table of slots, with open addressing and linear probing.
 * Removal shifts the following slots back, so that runs stay short without tombstones. The monitor
 * of this object guards it; any thread may {@link #look} without it.
 */
final class MapStripe {
  private static final int FIRST_BUCKETS = 16;

  /** Looks without the monitor before a reader takes it. */
  private static final int MAX_LOOKS = 16;

  private final Slots<?> slots;

  /** Slots plus 1; 0 is empty. */
  private volatile int[] table = new int[FIRST_BUCKETS];

  private int size;
  private int begunAndEnded;

  /** Odd while a change is in progress. */
  private volatile int changes;

  MapStripe(Slots<?> slots) {
    this.slots = slots;
  }

  /**
   * The slot of a hash, or {@link Slots#NONE}. Any thread: the slot may have another value by the
   * time that the caller reads it.
   */
  int look(long high, long low) {
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
      int before = changes;
      if ((before & 1) == 0) {
        int slot = find(high, low);
        VarHandle.loadLoadFence();
        if (before == changes) {
          return slot;
        }
      }
      Thread.onSpinWait();
    }
    synchronized (this) {
      return find(high, low);
    }
  }

  /** The slot of a hash, or {@link Slots#NONE}. Monitor held. */
  int find(long high, long low) {
    int[] in = table;
    int mask = in.length - 1;
    int bucket = bucket(high, mask);
    for (int steps = 0; steps <= mask; steps++) {
      int slot = in[bucket] - 1;
      if (slot == Slots.NONE || slots.isOf(slot, high, low)) {
        return slot;
      }
      bucket = (bucket + 1) & mask;
    }
    return Slots.NONE; // only in the middle of a change
  }

  private static int bucket(long high, int mask) {
    return (int) high & mask;
  }

  /**
   * Makes sure that {@link #add} needs no memory, so that no change is begun and not ended. Monitor
   * held.
   */
  void makeRoom() {
    if (size + 1 > table.length / 4 * 3) {
      table = larger();
    }
  }

  /** Adds a slot, whose hash is not there yet, after {@link #makeRoom}. Monitor held. */
  void add(int slot) {
    beginChange();
    size++;
    put(table, slot);
    endChange();
  }

  private void put(int[] in, int slot) {
    int mask = in.length - 1;
    int bucket = bucket(slots.high(slot), mask);
    while (in[bucket] != 0) {
      bucket = (bucket + 1) & mask;
    }
    in[bucket] = slot + 1;
  }

  /** The same table with more room. Readers use the old one meanwhile. */
  private int[] larger() {
    int[] old = table;
    int[] larger = new int[2 * old.length];
    for (int one : old) {
      if (one != 0) {
        put(larger, one - 1);
      }
    }
    return larger;
  }

  /** Removes a slot, which is there and still has its hash. Monitor held. */
  void remove(int slot) {
    int[] in = table;
    int mask = in.length - 1;
    int hole = bucket(slots.high(slot), mask);
    while (in[hole] != slot + 1) {
      hole = (hole + 1) & mask;
    }
    beginChange();
    size--;
    int next = hole;
    while (true) {
      next = (next + 1) & mask;
      if (in[next] == 0) {
        break;
      }
      int home = bucket(slots.high(in[next] - 1), mask);
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        in[hole] = in[next];
        hole = next;
      }
    }
    in[hole] = 0;
    endChange();
  }

  private void beginChange() {
    changes = ++begunAndEnded;
    VarHandle.storeStoreFence();
  }

  private void endChange() {
    changes = ++begunAndEnded;
  }
}

package io.loligo.store.directory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Which responses a directory on disk holds and where: {@value #SLOT_BYTES} octets for each in
 * direct memory, and a hash table of slot numbers over them. An object keeps its slot number while
 * it is stored.
 *
 * <p>Changes and exact questions are guarded by the lock of the directory that owns it. {@link
 * #mayHold} may be asked by any thread without it: it reads what is there at the moment, each word
 * whole, and so may be wrong for a key that is being changed, never for others. A removal moves
 * others of the table: who found nothing meanwhile looks again.
 *
 * <p>The table is open addressing with linear probing over the first half of the hash, which is
 * keyed (nobody outside can choose collisions); all variants of a key stand in one run. Removal
 * shifts back what follows, so that runs stay short without tombstones.
 */
public final class ObjectIndex {
  /** Octets of memory for a slot; the table adds 4 to 8 for each. */
  public static final int SLOT_BYTES = 32;

  /** No slot. */
  public static final int NONE = -1;

  private static final int HIGH = 0;
  private static final int LOW = 8;
  private static final int PLACE = 16;
  private static final int LENGTH = 24;
  private static final int FLAGS = 28;
  private static final int LANE = 29;
  private static final int HITS = 30;
  private static final int USED = 31;

  private static final int MAX_HITS = 255;
  private static final int MAX_SLOTS = (1 << 26) - 1;

  /** Looks of {@link #mayHold} that removals may disturb, before it says yes. */
  private static final int MAX_LOOKS = 16;

  private final ByteBuffer slots;
  private final ByteBuffer table;
  private final int mask;
  private final int capacity;
  private int size;
  private int fresh;
  private int free = NONE;

  /** Odd while others are being moved in the table. */
  private volatile int moves;

  /**
   * An empty index.
   *
   * @param capacity objects at most, up to {@value #MAX_SLOTS}
   */
  public ObjectIndex(int capacity) {
    if (capacity < 1 || capacity > MAX_SLOTS) {
      throw new IllegalArgumentException(
          "capacity: " + capacity + " (expected: 1 to " + MAX_SLOTS + ")");
    }
    this.capacity = capacity;
    this.slots = ByteBuffer.allocateDirect(capacity * SLOT_BYTES).order(ByteOrder.nativeOrder());
    int buckets = buckets(capacity);
    this.table = ByteBuffer.allocateDirect(buckets * Integer.BYTES).order(ByteOrder.nativeOrder());
    this.mask = buckets - 1;
  }

  private static int buckets(int capacity) {
    return Integer.highestOneBit(Math.max(1, capacity + capacity / 4 - 1)) << 1;
  }

  /** Octets of direct memory of an index for {@code capacity} objects. */
  public static long memoryBytes(int capacity) {
    return (long) capacity * SLOT_BYTES + (long) buckets(capacity) * Integer.BYTES;
  }

  /** Objects it has room for. */
  public int capacity() {
    return capacity;
  }

  /** Objects in it. */
  public int size() {
    return size;
  }

  /** Whether some variant under {@code high} is there: a hint. Any thread, without lock. */
  public boolean mayHold(long high) {
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
      int before = moves;
      if (seen(high)) {
        return true;
      }
      VarHandle.loadLoadFence();
      if (before == moves && (before & 1) == 0) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  private boolean seen(long high) {
    int bucket = bucket(high);
    for (int steps = 0; steps <= mask; steps++) {
      int slot = at(bucket);
      if (slot == NONE) {
        return false;
      }
      if (high(slot) == high) {
        return true;
      }
      bucket = (bucket + 1) & mask;
    }
    return false;
  }

  /** The slot of exactly this hash, or {@link #NONE}. */
  public int find(long high, long low) {
    for (int bucket = bucket(high); ; bucket = (bucket + 1) & mask) {
      int slot = at(bucket);
      if (slot == NONE || (high(slot) == high && low(slot) == low)) {
        return slot;
      }
    }
  }

  /**
   * Fills {@code into} with the slots of all variants under {@code high}, as far as they fit. How
   * many.
   */
  public int findAll(long high, int[] into) {
    int count = 0;
    for (int bucket = bucket(high); count < into.length; bucket = (bucket + 1) & mask) {
      int slot = at(bucket);
      if (slot == NONE) {
        break;
      }
      if (high(slot) == high) {
        into[count++] = slot;
      }
    }
    return count;
  }

  /** A new slot, or {@link #NONE} where it is full. The hash must not be there yet. */
  public int insert(long high, long low, long place, int length, int lane, int flags) {
    int slot = free;
    if (slot != NONE) {
      free = (int) place(slot);
    } else if (fresh < capacity) {
      slot = fresh++;
    } else {
      return NONE;
    }
    int at = slot * SLOT_BYTES;
    slots.putLong(at + HIGH, high);
    slots.putLong(at + LOW, low);
    slots.put(at + USED, (byte) 1);
    move(slot, place, length, lane, flags, 0);
    int bucket = bucket(high);
    while (at(bucket) != NONE) {
      bucket = (bucket + 1) & mask;
    }
    table.putInt(bucket * Integer.BYTES, slot + 1);
    size++;
    return slot;
  }

  /** The object of {@code slot} stands elsewhere now and counts {@code hits}. */
  public void move(int slot, long place, int length, int lane, int flags, int hits) {
    int at = slot * SLOT_BYTES;
    slots.putLong(at + PLACE, place);
    slots.putInt(at + LENGTH, length);
    slots.put(at + LANE, (byte) lane);
    slots.put(at + FLAGS, (byte) flags);
    slots.put(at + HITS, (byte) hits);
  }

  /** Frees {@code slot}. */
  public void remove(int slot) {
    int bucket = bucket(high(slot));
    while (at(bucket) != slot) {
      bucket = (bucket + 1) & mask;
    }
    int moving = moves + 1;
    moves = moving;
    VarHandle.storeStoreFence();
    shiftBack(bucket);
    moves = moving + 1;
    int at = slot * SLOT_BYTES;
    slots.put(at + USED, (byte) 0);
    slots.putLong(at + HIGH, 0);
    slots.putLong(at + PLACE, free);
    free = slot;
    size--;
  }

  private void shiftBack(int from) {
    int hole = from;
    for (int bucket = (hole + 1) & mask; at(bucket) != NONE; bucket = (bucket + 1) & mask) {
      int home = bucket(high(at(bucket)));
      if (((bucket - home) & mask) >= ((bucket - hole) & mask)) {
        table.putInt(hole * Integer.BYTES, at(bucket) + 1);
        hole = bucket;
      }
    }
    table.putInt(hole * Integer.BYTES, 0);
  }

  /** Forgets everything. */
  public void clear() {
    for (int bucket = 0; bucket <= mask; bucket++) {
      table.putInt(bucket * Integer.BYTES, 0);
    }
    for (int slot = 0; slot < fresh; slot++) {
      slots.put(slot * SLOT_BYTES + USED, (byte) 0);
    }
    size = 0;
    fresh = 0;
    free = NONE;
  }

  private int bucket(long high) {
    return (int) high & mask;
  }

  private int at(int bucket) {
    return table.getInt(bucket * Integer.BYTES) - 1;
  }

  /** Whether {@code slot} is an object's. */
  public boolean isUsed(int slot) {
    return slots.get(slot * SLOT_BYTES + USED) != 0;
  }

  public long high(int slot) {
    return slots.getLong(slot * SLOT_BYTES + HIGH);
  }

  public long low(int slot) {
    return slots.getLong(slot * SLOT_BYTES + LOW);
  }

  /** Where its first block stands. */
  public long place(int slot) {
    return slots.getLong(slot * SLOT_BYTES + PLACE);
  }

  /** Octets of its first block. */
  public int length(int slot) {
    return slots.getInt(slot * SLOT_BYTES + LENGTH);
  }

  public int lane(int slot) {
    return slots.get(slot * SLOT_BYTES + LANE);
  }

  public int flags(int slot) {
    return slots.get(slot * SLOT_BYTES + FLAGS);
  }

  /** See {@link #insert}. */
  public void flags(int slot, int flags) {
    slots.put(slot * SLOT_BYTES + FLAGS, (byte) flags);
  }

  /** Times it was asked for since it came where it is, up to {@value #MAX_HITS}. */
  public int hits(int slot) {
    return slots.get(slot * SLOT_BYTES + HITS) & 0xFF;
  }

  /** Counts one more. */
  public void hit(int slot) {
    int hits = hits(slot);
    if (hits < MAX_HITS) {
      slots.put(slot * SLOT_BYTES + HITS, (byte) (hits + 1));
    }
  }
}

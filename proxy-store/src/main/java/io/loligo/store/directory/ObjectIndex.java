package io.loligo.store.directory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The index of a directory on disk: which responses it holds and where. {@value #SLOT_BYTES} bytes
 * per response in direct memory, allocated as needed, and a hash table of slot numbers. A response
 * keeps its slot while it is stored.
 *
 * <p>The owner's lock guards changes and exact questions. Any thread may call {@link #mayHold} and
 * {@link #read} without it: they look again if something changed meanwhile.
 *
 * <p>The table uses open addressing with linear probing over the first half of the hash. That hash
 * is keyed, so that nobody outside can choose collisions; all variants of a key stand in one run.
 * Removal shifts the following entries back, so that runs stay short without tombstones.
 */
public final class ObjectIndex {
  /** Bytes of memory for a slot; the table adds 4 to 8 for each. */
  public static final int SLOT_BYTES = 40;

  /** No slot. */
  public static final int NONE = -1;

  private static final int HIGH = 0;
  private static final int LOW = 8;
  private static final int VERSION = 16;
  private static final int PLACE = 24;
  private static final int LENGTH = 32;
  private static final int FLAGS = 36;
  private static final int HITS = 37;
  private static final int USED = 38;

  private static final int MAX_HITS = 255;
  private static final int MAX_SLOTS = (1 << 28) - 1;

  /** Slots whose memory is allocated together, as a power of two. */
  private static final int CHUNK_SHIFT = 12;

  private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

  /** Attempts without the lock before a reader gives up. */
  private static final int MAX_LOOKS = 16;

  private final ByteBuffer[] slots;
  private final ByteBuffer table;
  private final int mask;
  private final int capacity;
  private int size;
  private int fresh;
  private int free = NONE;

  /** Odd while a change is in progress. */
  private volatile int changes;

  /** Takes the results of {@link #read}. */
  public interface Reader {
    /** A variant under the hash. */
    void found(int slot, long low, long version, long place, int length, int flags);

    /** The results so far may be half of a change: the reader starts again. */
    void again();
  }

  /**
   * An empty index.
   *
   * @param capacity number of responses at most, up to {@value #MAX_SLOTS}
   */
  public ObjectIndex(int capacity) {
    if (capacity < 1 || capacity > MAX_SLOTS) {
      throw new IllegalArgumentException(
          "capacity: " + capacity + " (expected: 1 to " + MAX_SLOTS + ")");
    }
    this.capacity = capacity;
    this.slots = new ByteBuffer[(capacity >> CHUNK_SHIFT) + 1];
    int buckets = buckets(capacity);
    this.table = ByteBuffer.allocateDirect(buckets * Integer.BYTES).order(ByteOrder.nativeOrder());
    this.mask = buckets - 1;
  }

  private static int buckets(int capacity) {
    return Integer.highestOneBit(Math.max(1, capacity + capacity / 4 - 1)) << 1;
  }

  /** Bytes of direct memory of a full index for {@code capacity} responses. */
  public static long memoryBytes(int capacity) {
    long chunks = (capacity + (long) CHUNK_MASK) >> CHUNK_SHIFT;
    return chunks * SLOT_BYTES * (CHUNK_MASK + 1) + (long) buckets(capacity) * Integer.BYTES;
  }

  /** Responses it has room for. */
  public int capacity() {
    return capacity;
  }

  /** Responses in it. */
  public int size() {
    return size;
  }

  /** Slots that were ever in use: all numbers are below. */
  public int slots() {
    return fresh;
  }

  /** Whether some variant under {@code high} is there: a hint. Any thread, without lock. */
  public boolean mayHold(long high) {
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
      int before = changes;
      if (seen(high)) {
        return true;
      }
      VarHandle.loadLoadFence();
      if (before == changes && (before & 1) == 0) {
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
      if (slot == NONE || chunk(slot) == null) {
        return false;
      }
      if (high(slot) == high) {
        return true;
      }
      bucket = (bucket + 1) & mask;
    }
    return false;
  }

  /**
   * Tells {@code reader} all variants under {@code high}, as they were at one moment. Any thread,
   * without lock. Returns false if changes never pause; a caller with the lock can then find them.
   */
  public boolean read(long high, Reader reader) {
    for (int looks = 0; looks < MAX_LOOKS; looks++) {
      int before = changes;
      if ((before & 1) == 0) {
        tell(high, reader);
        VarHandle.loadLoadFence();
        if (before == changes) {
          return true;
        }
        reader.again();
      }
      Thread.onSpinWait();
    }
    return false;
  }

  private void tell(long high, Reader reader) {
    int bucket = bucket(high);
    for (int steps = 0; steps <= mask; steps++) {
      int slot = at(bucket);
      ByteBuffer chunk = slot == NONE ? null : chunk(slot);
      if (chunk == null) {
        return;
      }
      int at = offset(slot);
      if (chunk.getLong(at + HIGH) == high) {
        reader.found(
            slot,
            chunk.getLong(at + LOW),
            chunk.getLong(at + VERSION),
            chunk.getLong(at + PLACE),
            chunk.getInt(at + LENGTH),
            chunk.get(at + FLAGS));
      }
      bucket = (bucket + 1) & mask;
    }
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
   * Fills {@code into} with the slots of all variants under {@code high}, as far as they fit.
   * Returns their number.
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

  /** A new slot, or {@link #NONE} if the index is full. The hash must not be there yet. */
  public int insert(long high, long low, long version, long place, int length, int flags) {
    int slot = free;
    if (slot != NONE) {
      free = (int) place(slot);
    } else if (fresh < capacity) {
      slot = fresh++;
      if (chunk(slot) == null) {
        slots[slot >> CHUNK_SHIFT] =
            ByteBuffer.allocateDirect(SLOT_BYTES << CHUNK_SHIFT).order(ByteOrder.nativeOrder());
      }
    } else {
      return NONE;
    }
    begin();
    ByteBuffer chunk = chunk(slot);
    int at = offset(slot);
    chunk.putLong(at + HIGH, high);
    chunk.putLong(at + LOW, low);
    chunk.put(at + USED, (byte) 1);
    put(slot, version, place, length, flags, 0);
    int bucket = bucket(high);
    while (at(bucket) != NONE) {
      bucket = (bucket + 1) & mask;
    }
    table.putInt(bucket * Integer.BYTES, slot + 1);
    size++;
    end();
    return slot;
  }

  /** The response of {@code slot} now stands elsewhere and has {@code hits} hits. */
  public void move(int slot, long version, long place, int length, int flags, int hits) {
    begin();
    put(slot, version, place, length, flags, hits);
    end();
  }

  private void put(int slot, long version, long place, int length, int flags, int hits) {
    ByteBuffer chunk = chunk(slot);
    int at = offset(slot);
    chunk.putLong(at + VERSION, version);
    chunk.putLong(at + PLACE, place);
    chunk.putInt(at + LENGTH, length);
    chunk.put(at + FLAGS, (byte) flags);
    chunk.put(at + HITS, (byte) hits);
  }

  /** Frees {@code slot}. */
  public void remove(int slot) {
    int bucket = bucket(high(slot));
    while (at(bucket) != slot) {
      bucket = (bucket + 1) & mask;
    }
    begin();
    shiftBack(bucket);
    ByteBuffer chunk = chunk(slot);
    int at = offset(slot);
    chunk.put(at + USED, (byte) 0);
    chunk.putLong(at + HIGH, 0);
    chunk.putLong(at + PLACE, free);
    end();
    free = slot;
    size--;
  }

  private void begin() {
    int next = changes + 1;
    changes = next;
    VarHandle.storeStoreFence();
  }

  private void end() {
    int next = changes + 1;
    changes = next;
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

  private int bucket(long high) {
    return (int) high & mask;
  }

  private int at(int bucket) {
    return table.getInt(bucket * Integer.BYTES) - 1;
  }

  private ByteBuffer chunk(int slot) {
    return slots[slot >> CHUNK_SHIFT];
  }

  private static int offset(int slot) {
    return (slot & CHUNK_MASK) * SLOT_BYTES;
  }

  /** Whether {@code slot} holds a response. */
  public boolean isUsed(int slot) {
    return slot < fresh && chunk(slot).get(offset(slot) + USED) != 0;
  }

  public long high(int slot) {
    return chunk(slot).getLong(offset(slot) + HIGH);
  }

  public long low(int slot) {
    return chunk(slot).getLong(offset(slot) + LOW);
  }

  /**
   * The version of the response; of two first blocks with the same hash, the one of the higher
   * version counts.
   */
  public long version(int slot) {
    return chunk(slot).getLong(offset(slot) + VERSION);
  }

  /** Where its first block stands. */
  public long place(int slot) {
    return chunk(slot).getLong(offset(slot) + PLACE);
  }

  /** Bytes of its first block. */
  public int length(int slot) {
    return chunk(slot).getInt(offset(slot) + LENGTH);
  }

  public int flags(int slot) {
    return chunk(slot).get(offset(slot) + FLAGS);
  }

  /** See {@link #insert}. */
  public void flags(int slot, int flags) {
    chunk(slot).put(offset(slot) + FLAGS, (byte) flags);
  }

  /** Hits since the response was put at its present place, up to {@value #MAX_HITS}. */
  public int hits(int slot) {
    return chunk(slot).get(offset(slot) + HITS) & 0xFF;
  }

  /** Sets {@link #hits(int)}. */
  public void hits(int slot, int hits) {
    chunk(slot).put(offset(slot) + HITS, (byte) Math.min(MAX_HITS, hits));
  }

  /** Counts one hit; without lock, so some of several concurrent hits may be lost. */
  public void hit(int slot) {
    int hits = hits(slot);
    if (hits < MAX_HITS) {
      chunk(slot).put(offset(slot) + HITS, (byte) (hits + 1));
    }
  }
}

package io.loligo.store.map;

import io.loligo.store.lfu.TinyLfu;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The places of the values of a {@link WeighedMap}, in arrays that grow by {@value #CHUNK} slots.
 * Of a slot the heap has a reference to its value, and numbers, which no collector looks at.
 *
 * <p>A slot is free, then live from its {@link #take} on, then dead from its {@link #bury} on, and
 * free again after its {@link #free}. The hash is constant while it is not free. Thread-safe:
 * {@link #take} and {@link #free} are for any thread; the lock of the stripe guards value and
 * weight of a slot against changes, and the lock of the policy its links, queue and known weight.
 *
 * @param <V> the values
 */
final class Slots<V> {
  /** No slot. */
  static final int NONE = TinyLfu.NONE;

  static final byte FREE = 0;
  static final byte LIVE = 1;
  static final byte DEAD = 2;

  private static final int SHIFT = 12;
  private static final int CHUNK = 1 << SHIFT;
  private static final int MASK = CHUNK - 1;

  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(Object[].class);
  private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(byte[].class);

  /** Numbers of a slot beside its hash: one cache line has those of four slots. */
  private static final int NUMBERS_SHIFT = 2;

  private static final int WEIGHT = 0;
  private static final int KNOWN = 1;
  private static final int OLDER = 2;
  private static final int YOUNGER = 3;

  private static final class Chunk {
    final Object[] values = new Object[CHUNK];
    final long[] hashes = new long[2 * CHUNK];
    final int[] numbers = new int[CHUNK << NUMBERS_SHIFT];
    final byte[] queues = new byte[CHUNK];
    final byte[] states = new byte[CHUNK];

    Chunk() {
      Arrays.fill(queues, (byte) TinyLfu.OUT);
    }
  }

  private volatile Chunk[] chunks = {};
  private int fresh; // guarded by this
  private int free = NONE; // guarded by this
  private int used; // guarded by this

  private Chunk chunk(int slot) {
    Chunk[] all = chunks;
    int number = slot >>> SHIFT;
    if (number < all.length) {
      return all[number];
    }
    // a reader without a lock: a processor may read the chunks before the number of the slot
    VarHandle.loadLoadFence();
    return chunks[number];
  }

  /** A slot for a value; it is live, and found by nobody so far. */
  int take(long high, long low, V value, int weight) {
    int slot = next();
    Chunk chunk = chunk(slot);
    int place = slot & MASK;
    chunk.hashes[2 * place] = high;
    chunk.hashes[2 * place + 1] = low;
    chunk.numbers[place << NUMBERS_SHIFT | WEIGHT] = weight;
    VALUE.setVolatile(chunk.values, place, value);
    STATE.setRelease(chunk.states, place, LIVE);
    return slot;
  }

  private synchronized int next() {
    if (free != NONE) {
      int slot = free;
      free = younger(slot);
      used++;
      return slot;
    }
    if (fresh >>> SHIFT == chunks.length) {
      Chunk[] more = Arrays.copyOf(chunks, chunks.length + 1);
      more[chunks.length] = new Chunk();
      chunks = more;
    }
    used++;
    return fresh++;
  }

  /** The value leaves a live slot; the slot is dead then. */
  void bury(int slot) {
    Chunk chunk = chunk(slot);
    VALUE.setVolatile(chunk.values, slot & MASK, (Object) null);
    STATE.setRelease(chunk.states, slot & MASK, DEAD);
  }

  /** A dead slot, which is in no queue, may be taken again. */
  void free(int slot) {
    STATE.setRelease(chunk(slot).states, slot & MASK, FREE);
    synchronized (this) {
      younger(slot, free);
      free = slot;
      used--;
    }
  }

  /** Slots that are not free. */
  synchronized int used() {
    return used;
  }

  /** All numbers of slots are below. */
  int end() {
    return chunks.length << SHIFT;
  }

  byte state(int slot) {
    return (byte) STATE.getAcquire(chunk(slot).states, slot & MASK);
  }

  @SuppressWarnings("unchecked") // only values are written there
  @Nullable V value(int slot) {
    return (V) VALUE.getVolatile(chunk(slot).values, slot & MASK);
  }

  void value(int slot, V value, int weight) {
    Chunk chunk = chunk(slot);
    chunk.numbers[(slot & MASK) << NUMBERS_SHIFT | WEIGHT] = weight;
    VALUE.setVolatile(chunk.values, slot & MASK, value);
  }

  boolean isOf(int slot, long high, long low) {
    long[] hashes = chunk(slot).hashes;
    int place = 2 * (slot & MASK);
    return hashes[place] == high && hashes[place + 1] == low;
  }

  long high(int slot) {
    return chunk(slot).hashes[2 * (slot & MASK)];
  }

  private int number(int slot, int which) {
    return chunk(slot).numbers[(slot & MASK) << NUMBERS_SHIFT | which];
  }

  private void number(int slot, int which, int value) {
    chunk(slot).numbers[(slot & MASK) << NUMBERS_SHIFT | which] = value;
  }

  int weight(int slot) {
    return number(slot, WEIGHT);
  }

  /** The weight that the policy counts. */
  int known(int slot) {
    return number(slot, KNOWN);
  }

  void known(int slot, int weight) {
    number(slot, KNOWN, weight);
  }

  int older(int slot) {
    return number(slot, OLDER);
  }

  void older(int slot, int other) {
    number(slot, OLDER, other);
  }

  int younger(int slot) {
    return number(slot, YOUNGER);
  }

  void younger(int slot, int other) {
    number(slot, YOUNGER, other);
  }

  int queue(int slot) {
    return chunk(slot).queues[slot & MASK];
  }

  void queue(int slot, int queue) {
    chunk(slot).queues[slot & MASK] = (byte) queue;
  }
}

package io.loligo.store.disk.index;

import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.SlabPlace;
import io.netty.util.collection.IntObjectHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The index of a directory in stripes, chosen by the hash of a response. The number of a slot names
 * a stripe and a slot of its index. Each stripe is guarded by itself: a method with the words
 * <i>under its lock</i> is called by the holder of that lock; the others by any thread.
 */
final class IndexStripes {
  private static final int STRIPES = 16;
  private static final int SLOT_BITS = 27;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

  /** Directories for fewer responses have a single stripe. */
  private static final int STRIPED_FROM = 1 << 16;

  /** A share of the index. Guarded by itself. */
  static final class Stripe {
    final ObjectIndex index;
    final IntObjectHashMap<Pieces> pieces = new IntObjectHashMap<>();

    /** For the slots of all variants of a key. */
    final int[] variants = new int[Catalogue.MAX_VARIANTS + Catalogue.MAX_PARTS + 1];

    Stripe(int capacity) {
      index = new ObjectIndex(capacity);
    }
  }

  private final Stripe[] stripes;
  private final int capacity;
  private final HeldBytes held;
  private final AtomicInteger objects = new AtomicInteger();

  /** Empty stripes for {@code capacity} responses, whose bytes are counted in {@code held}. */
  IndexStripes(int capacity, HeldBytes held) {
    this.capacity = capacity;
    this.held = held;
    this.stripes = new Stripe[count(capacity)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(stripeCapacity(capacity));
    }
  }

  private static int count(int capacity) {
    return capacity < STRIPED_FROM ? 1 : STRIPES;
  }

  private static int stripeCapacity(int capacity) {
    return capacity < STRIPED_FROM ? capacity : capacity / STRIPES / 8 * 9 + 1024;
  }

  /** Bytes of direct memory when it holds {@code capacity} responses. */
  static long memoryBytes(int capacity) {
    return count(capacity) * ObjectIndex.memoryBytes(stripeCapacity(capacity));
  }

  private int indexOf(long high) {
    return (int) (high >>> 60) & (stripes.length - 1);
  }

  /** The stripe of the hash {@code high}. */
  Stripe of(long high) {
    return stripes[indexOf(high)];
  }

  /** The number of {@code slot} in the stripe of {@code high}. */
  int number(long high, int slot) {
    return indexOf(high) << SLOT_BITS | slot;
  }

  /** The stripe of the slot with {@code number}. */
  Stripe ofSlot(int number) {
    return stripes[number >>> SLOT_BITS];
  }

  /** The slot in its stripe's index. */
  static int local(int number) {
    return number & SLOT_MASK;
  }

  /** All stripes; the array does not change. */
  Stripe[] all() {
    return stripes;
  }

  /** Stored responses. */
  int objects() {
    return objects.get();
  }

  /** Responses at most. */
  int capacity() {
    return capacity;
  }

  /** Whether there is room for another response. */
  boolean hasSlots() {
    return objects.get() < capacity;
  }

  /** A slot was filled. */
  void added() {
    objects.incrementAndGet();
  }

  /** Requests for {@code stored}, about; 0 if it is no longer stored as known. */
  int hits(IndexedResponse stored) {
    return isStill(stored) ? index(stored).hits(local(stored.slot())) : 0;
  }

  /** The index that has {@code stored}. */
  ObjectIndex index(IndexedResponse stored) {
    return ofSlot(stored.slot()).index;
  }

  /** Whether it is still stored as known, in the same place. Without lock. */
  boolean isStill(IndexedResponse stored) {
    int slot = local(stored.slot());
    return index(stored).isUsed(slot) && index(stored).version(slot) == stored.version();
  }

  /** The response in {@code slot}. Under its lock. */
  IndexedResponse stored(Stripe stripe, int slot) {
    ObjectIndex index = stripe.index;
    long high = index.high(slot);
    return new IndexedResponse(
        number(high, slot),
        high,
        index.low(slot),
        index.version(slot),
        index.place(slot),
        index.length(slot),
        stripe.pieces.get(slot),
        isPart(index, slot));
  }

  /** Whether {@code slot} has a part of a response. */
  static boolean isPart(ObjectIndex index, int slot) {
    return (index.flags(slot) & Catalogue.PART) != 0;
  }

  /** Bytes in segment {@code segment} of the response in {@code slot}. Under its lock. */
  static long bytesIn(Stripe stripe, int segment, int slot) {
    long place = stripe.index.place(slot);
    long bytes = SlabPlace.segment(place) == segment ? Block.aligned(stripe.index.length(slot)) : 0;
    Pieces pieces = stripe.pieces.get(slot);
    if (pieces != null) {
      long[] places = pieces.places;
      for (int i = 0; i < places.length; i++) {
        if (SlabPlace.segment(places[i]) == segment) {
          bytes += pieces.bytesOf(i);
        }
      }
    }
    return bytes;
  }

  /** The response in {@code slot} is no longer stored. Under its lock. */
  void drop(Stripe stripe, int slot) {
    ObjectIndex index = stripe.index;
    held.let(index.place(slot), Block.aligned(index.length(slot)));
    Pieces pieces = stripe.pieces.remove(slot);
    if (pieces != null) {
      held.let(pieces);
    }
    index.remove(slot);
    objects.decrementAndGet();
  }
}

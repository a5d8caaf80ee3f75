package io.loligo.store.disk.index;

import io.loligo.core.caching.StoredHash;
import io.loligo.store.admission.DiskAdmission;
import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.index.IndexStripes.Stripe;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of a directory: the index in stripes, the segments, and the journal of removals.
 * Thread-safe: any thread; all of it is in memory.
 *
 * <p>Parts of a response are stored beside each other, at most {@value #MAX_PARTS} per key: the
 * oldest is dropped. A part replaces only a part that begins at the same byte. A part is not stored
 * while the whole of its variant is, and is dropped when the whole arrives.
 *
 * <p>Two kinds of locks, always in this order: that of the stripe of the hash, then that of the
 * segments, which also guards the admission. Both are short. A lookup takes neither.
 */
public final class Catalogue {
  /** Variants of a key that are kept. */
  static final int MAX_VARIANTS = 16;

  /** Parts of all variants of a key that are kept. */
  public static final int MAX_PARTS = 16;

  /**
   * Set in {@link ObjectIndex#flags} if a copy went to memory. The copy may be gone, but without
   * the flag there is none: most responses are evicted without a look at their keys.
   */
  static final int WENT_TO_MEMORY = 1;

  /** Set in {@link ObjectIndex#flags} if there are pieces. */
  public static final int HAS_PIECES = 2;

  /**
   * Set in {@link ObjectIndex#flags} of a response that is, or may be, stored under another key of
   * a URL.
   */
  static final int ALTERNATIVE = 4;

  /**
   * Set in {@link ObjectIndex#flags} if an older first block may stand in another segment: a start
   * would find that one if this one were dropped.
   */
  static final int HAS_OLDER = 8;

  /** Set in {@link ObjectIndex#flags} of a part of a response. */
  static final int PART = 16;

  /** The outcome of a {@link #publish}. */
  public enum Published {
    DONE,
    /** It was cancelled. */
    CANCELLED,
    /** The response has moved or was dropped. */
    MOVED,
    /** There is no record for it: space has to be made. */
    NO_RECORD
  }

  private final IndexStripes stripes;
  private final HeldBytes held;
  private final Segments segments;
  private final DiskAdmission admission;
  private final LongSupplier ids;
  private final Journal journal;
  private final Eviction eviction;
  private final SegmentContents contents;
  private volatile boolean fullOfLate;

  /**
   * An empty catalogue.
   *
   * @param capacity responses at most
   * @param admission guarded by {@code segments}
   * @param ids gives versions, each higher than all before
   */
  public Catalogue(
      int capacity, Segments segments, DiskAdmission admission, LongSupplier ids, Journal journal) {
    this.segments = segments;
    this.held = new HeldBytes(segments);
    this.stripes = new IndexStripes(capacity, held);
    this.admission = admission;
    this.ids = ids;
    this.journal = journal;
    this.eviction = new Eviction(stripes, segments, admission, journal);
    this.contents = new SegmentContents(stripes, held, segments);
  }

  /** Bytes of direct memory of the index when it holds {@code capacity} responses. */
  public static long memoryBytes(int capacity) {
    return IndexStripes.memoryBytes(capacity);
  }

  /** Makes space. */
  public Eviction eviction() {
    return eviction;
  }

  /** The content of packed segments. */
  public SegmentContents contents() {
    return contents;
  }

  public Segments segments() {
    return segments;
  }

  // Looking

  /** A hint; any thread, without lock. */
  public boolean mayHold(long high) {
    return stripes.of(high).index.mayHold(high);
  }

  /**
   * Whether anything is stored under {@code high}. Waits for a publication in progress: if that was
   * cancelled too late, the removal has to see its response here.
   */
  public boolean holds(long high) {
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      return stripe.index.mayHold(high);
    }
  }

  /** Whether nothing {@linkplain #holds is stored} and no start will find anything there. */
  public boolean holdsNothing(long high) {
    return !holds(high) && journal.isFlushed();
  }

  /** Stored responses. */
  public int objects() {
    return stripes.objects();
  }

  /** Bytes that stored responses take. */
  public long storedBytes() {
    return held.sum();
  }

  /**
   * Whether something was evicted for an arriving response since an eighth of the space was last
   * free.
   */
  public boolean isFullOfLate() {
    return fullOfLate;
  }

  private boolean noteFullness() {
    boolean full = isFull();
    if (full) {
      fullOfLate = true;
    } else if (fullOfLate
        && segments.freeCount() > Segments.RESERVE + segments.count() / 8
        && stripes.objects() < stripes.capacity() - stripes.capacity() / 8) {
      fullOfLate = false;
    }
    return full;
  }

  /** Whether an arriving response needs an eviction. */
  boolean isFull() {
    return segments.freeCount() <= Segments.RESERVE || !hasSlots();
  }

  public boolean hasSlots() {
    return stripes.hasSlots();
  }

  /** The placement of a response of {@code bytes}; ask once per response. */
  public DiskAdmission.Placement place(long hash, long bytes) {
    boolean full = noteFullness();
    synchronized (segments) {
      return admission.place(hash, bytes, full);
    }
  }

  /** Whether a response placed in {@code lane} may go on when it has grown to {@code bytes}. */
  public boolean mayGrow(Lane lane, long hash, long bytes) {
    boolean full = isFull();
    synchronized (segments) {
      return admission.mayGrow(lane, hash, bytes, full);
    }
  }

  /** All variants under {@code high}. */
  public List<IndexedResponse> variants(long high) {
    Stripe stripe = stripes.of(high);
    Variants found = new Variants(high);
    if (stripe.index.read(high, found) && !found.hasPieces) {
      return found.all;
    }
    synchronized (stripe) {
      found.again();
      int count = stripe.index.findAll(high, stripe.variants);
      for (int i = 0; i < count; i++) {
        found.all.add(stripes.stored(stripe, stripe.variants[i]));
      }
      return found.all;
    }
  }

  /** Collects variants without the lock. */
  private final class Variants implements ObjectIndex.Reader {
    private final long high;
    private final List<IndexedResponse> all = new ArrayList<>(1);
    private boolean hasPieces;

    Variants(long high) {
      this.high = high;
    }

    @Override
    public void found(int slot, long low, long version, long place, int length, int flags) {
      hasPieces |= (flags & HAS_PIECES) != 0;
      boolean part = (flags & PART) != 0;
      all.add(
          new IndexedResponse(
              stripes.number(high, slot), high, low, version, place, length, null, part));
    }

    @Override
    public void again() {
      all.clear();
      hasPieces = false;
    }
  }

  /** Variants under {@code high}, parts of them included. */
  public int count(long high) {
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      return stripe.index.findAll(high, stripe.variants);
    }
  }

  /** The response in {@code slot} if it has bytes in segment {@code number}; or null. */
  public @Nullable IndexedResponse inSegment(int slot, int number) {
    Stripe stripe = stripes.ofSlot(slot);
    synchronized (stripe) {
      int local = IndexStripes.local(slot);
      return stripe.index.isUsed(local) && IndexStripes.bytesIn(stripe, number, local) > 0
          ? stripes.stored(stripe, local)
          : null;
    }
  }

  public int hits(IndexedResponse stored) {
    return stripes.hits(stored);
  }

  /** Counts a request for it. Returns the approximate number of requests by now. */
  public int hit(IndexedResponse stored) {
    if (!stripes.isStill(stored)) {
      return 0;
    }
    stripes.index(stored).hit(IndexStripes.local(stored.slot()));
    return stripes.index(stored).hits(IndexStripes.local(stored.slot()));
  }

  /** A copy of the response under this hash is in memory, or is about to be. */
  public void wentToMemory(long high, long low) {
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      int slot = stripe.index.find(high, low);
      if (slot != ObjectIndex.NONE) {
        stripe.index.flags(slot, stripe.index.flags(slot) | WENT_TO_MEMORY);
      }
    }
  }

  /** Whether it is still stored as known, in the same place. Without lock. */
  public boolean isStill(IndexedResponse stored) {
    return stripes.isStill(stored);
  }

  /** A reader continues with the pieces of {@code stored}; false if it is no longer stored. */
  public boolean beginReading(IndexedResponse stored) {
    Stripe stripe = stripes.ofSlot(stored.slot());
    Pieces pieces = stored.pieces();
    synchronized (stripe) {
      if (pieces == null
          || pieces.gone
          || stripe.pieces.get(IndexStripes.local(stored.slot())) != pieces) {
        return false;
      }
      pieces.readers++;
      return true;
    }
  }

  /** Ends one {@link #beginReading}. */
  public void endReading(IndexedResponse stored) {
    Pieces pieces = stored.pieces();
    assert pieces != null : "no reading began";
    synchronized (stripes.ofSlot(stored.slot())) {
      held.endReading(pieces);
    }
  }

  // Changing

  /** Publishes a response whose first block stands in its buffer. */
  public Published publish(Publication object) {
    ByteBuf block = object.block();
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      ObjectIndex index = stripe.index;
      int slot = index.find(high, low);
      if (object.isCancelled()) {
        return Published.CANCELLED;
      }
      if (object.moved() != null && !isStill(object.moved())) {
        return Published.MOVED;
      }
      if (slot != ObjectIndex.NONE && index.version(slot) > FirstBlock.version(block)) {
        return Published.CANCELLED; // a later one overtook it
      }
      boolean part = isPart(object, index, slot);
      if (part && object.moved() == null && holdsWhole(stripe, high, low)) {
        return Published.CANCELLED;
      }
      if (object.isOnlyWhereAbsent()
          && (slot != ObjectIndex.NONE || (object.alone() && index.mayHold(high)))) {
        return Published.CANCELLED;
      }
      if (slot == ObjectIndex.NONE && (!hasSlots() || index.size() >= index.capacity())) {
        return Published.NO_RECORD;
      }
      put(stripe, slot, object, part);
      return Published.DONE;
    }
  }

  /** Whether {@code object} is a part; it replaces {@code slot}. */
  private static boolean isPart(Publication object, ObjectIndex index, int slot) {
    return object.moved() == null ? object.isPart() : IndexStripes.isPart(index, slot);
  }

  /** Whether the whole of the variant of the part {@code low} is stored. */
  private static boolean holdsWhole(Stripe stripe, long high, long low) {
    int count = stripe.index.findAll(high, stripe.variants);
    for (int i = 0; i < count; i++) {
      int slot = stripe.variants[i];
      if (!IndexStripes.isPart(stripe.index, slot)
          && StoredHash.variant(stripe.index.low(slot)) == StoredHash.variant(low)) {
        return true;
      }
    }
    return false;
  }

  private void put(Stripe stripe, int slot, Publication object, boolean part) {
    ObjectIndex index = stripe.index;
    ByteBuf block = object.block();
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    int length = Block.length(block);
    boolean hasPieces = object.pieces().length > 0;
    int flags =
        (hasPieces ? HAS_PIECES : 0)
            | (FirstBlock.mayBeAlternative(block) ? ALTERNATIVE : 0)
            | (part ? PART : 0);
    Pieces before = slot == ObjectIndex.NONE ? null : stripe.pieces.remove(slot);
    int now = slot;
    if (slot == ObjectIndex.NONE) {
      now = index.insert(high, low, FirstBlock.version(block), object.place(), length, flags);
      stripes.added();
    } else {
      int hits = 0;
      if ((index.flags(slot) & HAS_OLDER) != 0) {
        // the segment of the dropped one may be freed before this is written: a start that finds
        // neither must not find the still older one
        journal.dropped(high, low, index.version(slot) - (object.leavesOlder() ? 1 : 0));
      }
      flags |= object.leavesOlder() ? HAS_OLDER : 0;
      held.let(index.place(slot), Block.aligned(index.length(slot)));
      if (object.moved() != null) {
        flags |= index.flags(slot) & WENT_TO_MEMORY;
        // in several segments: the next emptying asks the rest of it for its hits
        hits = hasPieces ? index.hits(slot) / 2 : 0;
      }
      index.move(slot, FirstBlock.version(block), object.place(), length, flags, hits);
    }
    int known = stripes.number(high, now);
    held.hold(object.place(), Block.aligned(length), known);
    if (segments.isOlderThanCheckpoint(FirstBlock.version(block))) {
      journal.kept(FirstBlock.version(block));
    }
    if (hasPieces) {
      stripe.pieces.put(now, held.pieces(object, before, known));
    } else if (before != null) {
      held.let(before);
    }
    dropSurplus(stripe, high, now, object.alone());
    noteFullness();
  }

  /** Drops the responses that must not stay beside {@code kept}; all if it has to be alone. */
  private void dropSurplus(Stripe stripe, long high, int kept, boolean alone) {
    ObjectIndex index = stripe.index;
    int count = index.findAll(high, stripe.variants);
    if (count <= 1) {
      return;
    }
    int[] there = Arrays.copyOf(stripe.variants, count);
    boolean part = IndexStripes.isPart(index, kept);
    long variant = StoredHash.variant(index.low(kept));
    int beside = 0;
    for (int i = 0; i < count; i++) {
      int slot = there[i];
      boolean covered =
          !part
              && IndexStripes.isPart(index, slot)
              && StoredHash.variant(index.low(slot)) == variant;
      if (slot != kept && (alone || covered)) {
        dropBeside(stripe, slot);
      } else if (slot != kept && IndexStripes.isPart(index, slot) == part) {
        there[beside++] = slot;
      }
    }
    for (int left = beside; left >= (part ? MAX_PARTS : MAX_VARIANTS); left--) {
      int oldest = 0;
      for (int i = 1; i < left; i++) {
        oldest = index.version(there[i]) < index.version(there[oldest]) ? i : oldest;
      }
      dropBeside(stripe, there[oldest]);
      there[oldest] = there[left - 1];
    }
  }

  private void dropBeside(Stripe stripe, int slot) {
    ObjectIndex index = stripe.index;
    journal.dropped(index.high(slot), index.low(slot), index.version(slot));
    stripes.drop(stripe, slot);
  }

  /** Drops {@code stored} if it is still stored as known; returns whether it was. */
  public boolean drop(IndexedResponse stored) {
    Stripe stripe = stripes.ofSlot(stored.slot());
    synchronized (stripe) {
      if (!stripes.isStill(stored)) {
        return false;
      }
      journal.dropped(stored.high(), stored.low(), stored.version());
      stripes.drop(stripe, IndexStripes.local(stored.slot()));
      return true;
    }
  }

  /** Drops the variant of exactly this hash. Returns the number of responses. */
  public int dropVariant(long high, long low) {
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      int slot = stripe.index.find(high, low);
      if (slot == ObjectIndex.NONE) {
        return 0;
      }
      journal.dropped(high, low, ids.getAsLong());
      stripes.drop(stripe, slot);
      return 1;
    }
  }

  /**
   * Drops all variants under {@code high}, including those that only a start would find. Returns
   * the number of known ones.
   *
   * @param durably whether not even a power failure may bring back responses dropped earlier
   */
  public int dropAll(long high, boolean durably) {
    Stripe stripe = stripes.of(high);
    synchronized (stripe) {
      boolean none = !stripe.index.mayHold(high);
      if (none && (durably ? journal.isForced() : journal.isFlushed())) {
        return 0; // and the records of earlier drops are written, or forced
      }
      journal.droppedAll(high, ids.getAsLong());
      int dropped = 0;
      for (int count = stripe.index.findAll(high, stripe.variants);
          count > 0;
          count = stripe.index.findAll(high, stripe.variants)) {
        int[] some = Arrays.copyOf(stripe.variants, count);
        for (int slot : some) {
          stripes.drop(stripe, slot);
        }
        dropped += count;
      }
      return dropped;
    }
  }

  /**
   * Records that responses that stand only in buffers are not stored: they are lost, and a start
   * must not find the ones that they replaced.
   */
  public void dropUnwritten() {
    for (SegmentBuffer buffer : segments.unwritten()) {
      int number = buffer.segment().number();
      for (int slot : segments.noted(number, buffer.generation())) {
        Contents.Entry entry = contents.entry(slot, number);
        if (entry != null && entry.offset() >= buffer.start()) {
          journal.dropped(entry.high(), entry.low(), entry.version());
        }
      }
    }
  }

  /** Slots looked at under one lock while everything is dropped. */
  private static final int CLEAR_SLOTS = 1024;

  /** Drops everything that is stored now. */
  public void clear() {
    long version = ids.getAsLong();
    journal.cleared(version);
    for (Stripe stripe : stripes.all()) {
      int slots = stripe.index.slots();
      for (int from = 0; from < slots; from += CLEAR_SLOTS) {
        synchronized (stripe) {
          for (int slot = from; slot < Math.min(slots, from + CLEAR_SLOTS); slot++) {
            if (stripe.index.isUsed(slot) && stripe.index.version(slot) <= version) {
              stripes.drop(stripe, slot);
            }
          }
        }
      }
    }
    journal.cleared(version); // a checkpoint begun meanwhile has the rest of that time
  }

  /** All entries were added: the segments are sorted by their lives. */
  public void settle() {
    segments.settle();
    noteFullness();
  }
}

package io.loligo.store.disk.index;

import io.loligo.core.caching.StoredHash;
import io.loligo.store.admission.DiskAdmission;
import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final int STRIPES = 16;
  private static final int SLOT_BITS = 27;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;

  /** Directories for fewer responses have a single stripe. */
  private static final int STRIPED_FROM = 1 << 16;

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

  /** A share of the index. Guarded by itself. */
  private static final class Stripe {
    private final ObjectIndex index;
    private final IntObjectHashMap<Pieces> pieces = new IntObjectHashMap<>();
    private final int[] variants = new int[MAX_VARIANTS + MAX_PARTS + 1];

    Stripe(int capacity) {
      index = new ObjectIndex(capacity);
    }
  }

  private final Stripe[] stripes;
  private final int capacity;
  private final Segments segments;
  private final DiskAdmission admission;
  private final LongSupplier ids;
  private final Journal journal;
  private final HeldBytes held;
  private final AtomicInteger objects = new AtomicInteger();
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
    this.capacity = capacity;
    this.segments = segments;
    this.held = new HeldBytes(segments);
    this.admission = admission;
    this.ids = ids;
    this.journal = journal;
    this.stripes = new Stripe[stripes(capacity)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(stripeCapacity(capacity));
    }
  }

  private static int stripes(int capacity) {
    return capacity < STRIPED_FROM ? 1 : STRIPES;
  }

  private static int stripeCapacity(int capacity) {
    return capacity < STRIPED_FROM ? capacity : capacity / STRIPES / 8 * 9 + 1024;
  }

  /** Bytes of direct memory of the index when it holds {@code capacity} responses. */
  public static long memoryBytes(int capacity) {
    return stripes(capacity) * ObjectIndex.memoryBytes(stripeCapacity(capacity));
  }

  private int stripeOf(long high) {
    return (int) (high >>> 60) & (stripes.length - 1);
  }

  private Stripe stripe(long high) {
    return stripes[stripeOf(high)];
  }

  private int global(long high, int slot) {
    return stripeOf(high) << SLOT_BITS | slot;
  }

  private Stripe stripeOfSlot(int slot) {
    return stripes[slot >>> SLOT_BITS];
  }

  public Segments segments() {
    return segments;
  }

  // Looking

  /** A hint; any thread, without lock. */
  public boolean mayHold(long high) {
    return stripe(high).index.mayHold(high);
  }

  /**
   * Whether anything is stored under {@code high}. Waits for a publication in progress: if that was
   * cancelled too late, the removal has to see its response here.
   */
  public boolean holds(long high) {
    Stripe stripe = stripe(high);
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
    return objects.get();
  }

  /** Responses at most. */
  int capacity() {
    return capacity;
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
        && objects.get() < capacity - capacity / 8) {
      fullOfLate = false;
    }
    return full;
  }

  /** Whether an arriving response needs an eviction. */
  boolean isFull() {
    return segments.freeCount() <= Segments.RESERVE || !hasSlots();
  }

  public boolean hasSlots() {
    return objects.get() < capacity;
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
    Stripe stripe = stripe(high);
    Variants found = new Variants(high);
    if (stripe.index.read(high, found) && !found.hasPieces) {
      return found.all;
    }
    synchronized (stripe) {
      found.again();
      int count = stripe.index.findAll(high, stripe.variants);
      for (int i = 0; i < count; i++) {
        found.all.add(stored(stripe, stripe.variants[i]));
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
          new IndexedResponse(global(high, slot), high, low, version, place, length, null, part));
    }

    @Override
    public void again() {
      all.clear();
      hasPieces = false;
    }
  }

  private IndexedResponse stored(Stripe stripe, int slot) {
    ObjectIndex index = stripe.index;
    long high = index.high(slot);
    return new IndexedResponse(
        global(high, slot),
        high,
        index.low(slot),
        index.version(slot),
        index.place(slot),
        index.length(slot),
        stripe.pieces.get(slot),
        isPart(index, slot));
  }

  private static boolean isPart(ObjectIndex index, int slot) {
    return (index.flags(slot) & PART) != 0;
  }

  /** Variants under {@code high}, parts of them included. */
  public int count(long high) {
    Stripe stripe = stripe(high);
    synchronized (stripe) {
      return stripe.index.findAll(high, stripe.variants);
    }
  }

  /** The response in {@code slot} if it has bytes in segment {@code number}; or null. */
  public @Nullable IndexedResponse inSegment(int slot, int number) {
    Stripe stripe = stripeOfSlot(slot);
    synchronized (stripe) {
      int local = slot & SLOT_MASK;
      return stripe.index.isUsed(local) && bytesIn(stripe, number, local) > 0
          ? stored(stripe, local)
          : null;
    }
  }

  public int hits(IndexedResponse stored) {
    return isStill(stored) ? index(stored).hits(stored.slot() & SLOT_MASK) : 0;
  }

  /** Counts a request for it. Returns the approximate number of requests by now. */
  public int hit(IndexedResponse stored) {
    if (!isStill(stored)) {
      return 0;
    }
    index(stored).hit(stored.slot() & SLOT_MASK);
    return index(stored).hits(stored.slot() & SLOT_MASK);
  }

  private ObjectIndex index(IndexedResponse stored) {
    return stripeOfSlot(stored.slot()).index;
  }

  /** A copy of the response under this hash is in memory, or is about to be. */
  public void wentToMemory(long high, long low) {
    Stripe stripe = stripe(high);
    synchronized (stripe) {
      int slot = stripe.index.find(high, low);
      if (slot != ObjectIndex.NONE) {
        stripe.index.flags(slot, stripe.index.flags(slot) | WENT_TO_MEMORY);
      }
    }
  }

  /** Whether it is still stored as known, in the same place. Without lock. */
  public boolean isStill(IndexedResponse stored) {
    int slot = stored.slot() & SLOT_MASK;
    return index(stored).isUsed(slot) && index(stored).version(slot) == stored.version();
  }

  /** A reader continues with the pieces of {@code stored}; false if it is no longer stored. */
  public boolean beginReading(IndexedResponse stored) {
    Stripe stripe = stripeOfSlot(stored.slot());
    Pieces pieces = stored.pieces();
    synchronized (stripe) {
      if (pieces == null || pieces.gone || stripe.pieces.get(stored.slot() & SLOT_MASK) != pieces) {
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
    synchronized (stripeOfSlot(stored.slot())) {
      held.endReading(pieces);
    }
  }

  // Changing

  /** Publishes a response whose first block stands in its buffer. */
  public Published publish(Publication object) {
    ByteBuf block = object.block();
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    Stripe stripe = stripe(high);
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
    return object.moved() == null ? object.isPart() : isPart(index, slot);
  }

  /** Whether the whole of the variant of the part {@code low} is stored. */
  private static boolean holdsWhole(Stripe stripe, long high, long low) {
    int count = stripe.index.findAll(high, stripe.variants);
    for (int i = 0; i < count; i++) {
      int slot = stripe.variants[i];
      if (!isPart(stripe.index, slot)
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
      objects.incrementAndGet();
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
    int known = global(high, now);
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
    boolean part = isPart(index, kept);
    long variant = StoredHash.variant(index.low(kept));
    int beside = 0;
    for (int i = 0; i < count; i++) {
      int slot = there[i];
      boolean covered =
          !part && isPart(index, slot) && StoredHash.variant(index.low(slot)) == variant;
      if (slot != kept && (alone || covered)) {
        dropBeside(stripe, slot);
      } else if (slot != kept && isPart(index, slot) == part) {
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
    drop(stripe, slot);
  }

  private void drop(Stripe stripe, int slot) {
    ObjectIndex index = stripe.index;
    held.let(index.place(slot), Block.aligned(index.length(slot)));
    Pieces pieces = stripe.pieces.remove(slot);
    if (pieces != null) {
      held.let(pieces);
    }
    index.remove(slot);
    objects.decrementAndGet();
  }

  /** Drops {@code stored} if it is still stored as known; returns whether it was. */
  public boolean drop(IndexedResponse stored) {
    Stripe stripe = stripeOfSlot(stored.slot());
    synchronized (stripe) {
      if (!isStill(stored)) {
        return false;
      }
      journal.dropped(stored.high(), stored.low(), stored.version());
      drop(stripe, stored.slot() & SLOT_MASK);
      return true;
    }
  }

  /** Drops the variant of exactly this hash. Returns the number of responses. */
  public int dropVariant(long high, long low) {
    Stripe stripe = stripe(high);
    synchronized (stripe) {
      int slot = stripe.index.find(high, low);
      if (slot == ObjectIndex.NONE) {
        return 0;
      }
      journal.dropped(high, low, ids.getAsLong());
      drop(stripe, slot);
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
    Stripe stripe = stripe(high);
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
          drop(stripe, slot);
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
        Contents.Entry entry = entry(slot, number);
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
    for (Stripe stripe : stripes) {
      int slots = stripe.index.slots();
      for (int from = 0; from < slots; from += CLEAR_SLOTS) {
        synchronized (stripe) {
          for (int slot = from; slot < Math.min(slots, from + CLEAR_SLOTS); slot++) {
            if (stripe.index.isUsed(slot) && stripe.index.version(slot) <= version) {
              drop(stripe, slot);
            }
          }
        }
      }
    }
    journal.cleared(version); // a checkpoint begun meanwhile has the rest of that time
  }

  // Making space

  /** The segment to be emptied next, or null where none may be. */
  public @Nullable Segment victim(long slabBytes) {
    synchronized (segments) {
      Segment dead = segments.dead();
      if (dead != null) {
        return dead;
      }
      long probation = segments.liveBytes(Lane.PROBATION);
      long main = segments.liveBytes(Lane.MAIN);
      // small responses use up the records first: then the present number of responses is the
      // maximum
      long most = hasSlots() ? slabBytes : Math.min(slabBytes, probation + main);
      Lane first = probation + main == 0 ? Lane.PROBATION : admission.victim(probation, main, most);
      Segment segment = segments.oldest(first);
      return segment != null ? segment : segments.oldest(Lane.values()[1 - first.ordinal()]);
    }
  }

  /** The result of {@link #sift} for a segment that is being emptied. */
  public record Sifted(List<IndexedResponse> stay, List<IndexedResponse> doubtful) {
    public Sifted() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  /**
   * Decides on the content of {@code slot} in {@code segment}; drops what must go.
   *
   * @return whether it was dropped
   */
  public boolean sift(Segment segment, Lane lane, int slot, Sifted out) {
    Stripe stripe = stripeOfSlot(slot);
    synchronized (stripe) {
      int local = slot & SLOT_MASK;
      ObjectIndex index = stripe.index;
      long bytes = index.isUsed(local) ? bytesIn(stripe, segment.number(), local) : 0;
      if (bytes == 0) {
        return false;
      }
      Pieces pieces = stripe.pieces.get(local);
      if (pieces != null && pieces.readers > 0) {
        out.stay.add(stored(stripe, local));
        return false;
      }
      boolean mayBeInMemory = (index.flags(local) & WENT_TO_MEMORY) != 0;
      DiskAdmission.Verdict verdict =
          reclaim(lane, index.high(local), bytes, index.hits(local), mayBeInMemory);
      if (verdict.reason() == DiskAdmission.Reason.IN_MEMORY) {
        out.doubtful.add(stored(stripe, local));
      } else if (verdict.stays()) {
        out.stay.add(stored(stripe, local));
      } else {
        evict(stripe, local, segment.number(), lane, bytes);
        return true;
      }
      return false;
    }
  }

  private DiskAdmission.Verdict reclaim(
      Lane lane, long high, long bytes, int hits, boolean inMemory) {
    synchronized (segments) {
      return admission.reclaim(lane, high, bytes, hits, inMemory);
    }
  }

  private void evict(Stripe stripe, int slot, int segment, Lane lane, long bytes) {
    long high = stripe.index.high(slot);
    boolean mayBeFound =
        SlabPlace.segment(stripe.index.place(slot)) != segment
            || (stripe.index.flags(slot) & HAS_OLDER) != 0;
    if (mayBeFound) {
      journal.dropped(high, stripe.index.low(slot), stripe.index.version(slot));
    }
    drop(stripe, slot);
    synchronized (segments) {
      admission.evicted(lane, high, bytes);
    }
  }

  /** Evicts {@code stored} from {@code segment} for lack of space, if it is still there. */
  public boolean evict(IndexedResponse stored, Segment segment, Lane lane) {
    Stripe stripe = stripeOfSlot(stored.slot());
    synchronized (stripe) {
      if (!isStill(stored)) {
        return false;
      }
      int slot = stored.slot() & SLOT_MASK;
      evict(stripe, slot, segment.number(), lane, bytesIn(stripe, segment.number(), slot));
      return true;
    }
  }

  /** Whether {@code stored}, which memory does not hold, stays. */
  public boolean staysUnheld(Lane lane, IndexedResponse stored, long bytes) {
    return reclaim(lane, stored.high(), bytes, hits(stored), false).stays();
  }

  /** Bytes of {@code stored} in {@code segment}; 0 if it has moved. */
  public long bytesIn(int segment, IndexedResponse stored) {
    Stripe stripe = stripeOfSlot(stored.slot());
    synchronized (stripe) {
      return isStill(stored) ? bytesIn(stripe, segment, stored.slot() & SLOT_MASK) : 0;
    }
  }

  private static long bytesIn(Stripe stripe, int segment, int slot) {
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

  /** {@code stored} was moved to the main lane. */
  public void kept(Lane from, IndexedResponse stored, long bytes) {
    synchronized (segments) {
      admission.kept(from, stored.high(), bytes);
    }
  }

  // Contents of packed segments

  /**
   * The content of packed segment {@code number} in its life {@code generation}; empty in another
   * life.
   */
  public List<Contents.Entry> contents(int number, long generation) {
    int[] slots = segments.noted(number, generation);
    Arrays.sort(slots);
    List<Contents.Entry> entries = new ArrayList<>(slots.length);
    for (int i = 0; i < slots.length; i++) {
      Contents.Entry entry = i > 0 && slots[i] == slots[i - 1] ? null : entry(slots[i], number);
      if (entry != null) {
        entries.add(entry);
      }
    }
    return entries;
  }

  /** The content of {@code slot} in packed segment {@code number}; or null. */
  private Contents.@Nullable Entry entry(int slot, int number) {
    Stripe stripe = stripeOfSlot(slot);
    synchronized (stripe) {
      int local = slot & SLOT_MASK;
      ObjectIndex index = stripe.index;
      if (!index.isUsed(local) || SlabPlace.segment(index.place(local)) != number) {
        return null;
      }
      Pieces pieces = stripe.pieces.get(local);
      boolean alternative = (index.flags(local) & ALTERNATIVE) != 0;
      Contents.Entry.Builder entry =
          Contents.Entry.of(index.high(local), index.low(local))
              .version(index.version(local))
              .offset(SlabPlace.offset(index.place(local)))
              .length(index.length(local))
              .hits(index.hits(local))
              .flags(
                  (alternative ? Contents.ALTERNATIVE : 0)
                      | (isPart(index, local) ? Contents.PART : 0));
      if (pieces != null) {
        entry
            .pieces(pieces.places)
            .fullPieceBytes(pieces.fullBytes)
            .lastPieceBytes(pieces.lastBytes);
      }
      return entry.build();
    }
  }

  /**
   * Adds an entry that was found on disk while the directory is being opened; false if a later
   * version is known or there is no room.
   */
  public boolean adopt(Contents.Entry entry, int segment) {
    Stripe stripe = stripe(entry.high());
    synchronized (stripe) {
      ObjectIndex index = stripe.index;
      int there = index.find(entry.high(), entry.low());
      if (there != ObjectIndex.NONE) {
        if (index.version(there) >= entry.version()) {
          if (index.version(there) > entry.version()) {
            index.flags(there, index.flags(there) | HAS_OLDER);
          }
          return false;
        }
        drop(stripe, there);
      }
      boolean hasPieces = entry.pieces().length > 0;
      int flags =
          (hasPieces ? HAS_PIECES : 0)
              | (there != ObjectIndex.NONE ? HAS_OLDER : 0)
              | ((entry.flags() & Contents.ALTERNATIVE) != 0 ? ALTERNATIVE : 0)
              | ((entry.flags() & Contents.PART) != 0 ? PART : 0);
      long place = SlabPlace.of(segment, entry.offset());
      int slot =
          hasSlots()
              ? index.insert(
                  entry.high(), entry.low(), entry.version(), place, entry.length(), flags)
              : ObjectIndex.NONE;
      if (slot == ObjectIndex.NONE) {
        return false;
      }
      objects.incrementAndGet();
      index.hits(slot, entry.hits());
      int known = global(entry.high(), slot);
      held.hold(place, Block.aligned(entry.length()), known);
      if (hasPieces) {
        Pieces pieces =
            new Pieces(
                entry.pieces(), entry.fullPieceBytes(), entry.lastPieceBytes(), entry.version());
        for (int i = 0; i < entry.pieces().length; i++) {
          held.hold(entry.pieces()[i], pieces.bytesOf(i), known);
        }
        stripe.pieces.put(slot, pieces);
      }
      return true;
    }
  }

  /** All entries were added: the segments are sorted by their lives. */
  public void settle() {
    segments.settle();
    noteFullness();
  }
}

package io.loligo.store.disk;

import io.loligo.store.admission.DiskAdmission;
import io.loligo.store.admission.Lane;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What a directory holds: index, map and segments, changed together. Thread-safe: disk threads;
 * event loops ask {@link #mayHold} only. All else is guarded by {@code this}; the map is used under
 * the lock, slabs never are.
 *
 * <p>Who reads or writes in a segment pins it first, in the same step in which it learns the place;
 * a pinned segment is not given out again, so what was true when it was pinned stays readable.
 */
final class Catalogue {
  /** Variants of a key that are kept. */
  static final int MAX_VARIANTS = 16;

  /** Set in {@link ObjectIndex#flags} where the record holds the whole first block. */
  static final int IN_RECORD = 1;

  /**
   * Set in {@link ObjectIndex#flags} where a copy went to memory. It may have gone since, but where
   * this is not set there is none: most objects are evicted without a look at their records.
   */
  static final int WENT_TO_MEMORY = 2;

  /**
   * Set in {@link ObjectIndex#flags} where the slabs are known to have the block that the record is
   * a copy of: after a power failure records may be there of what was removed.
   */
  static final int IN_SLABS = 4;

  /** How a {@link #publish} ended. */
  enum Published {
    DONE,
    /** It is not wanted any more. */
    CANCELLED,
    /** The object is elsewhere or gone since. */
    MOVED,
    /** There is no record for it: space has to be made. */
    NO_RECORD
  }

  private final ObjectIndex index;
  private final RecordMap map;
  private final Segments segments;
  private final DiskAdmission admission;
  private final LongSupplier ids;
  private final IntObjectHashMap<long[]> pieces = new IntObjectHashMap<>();
  private final int[] variants = new int[MAX_VARIANTS + 1];
  private volatile long storedBytes;
  private volatile int objects;
  private final int segmentCount;
  private volatile boolean fullOfLate;
  private final Unsettled unsettled;

  /**
   * @param ids gives numbers of objects and lives of segments, each higher than all before
   * @param unsettled who publishes is a change in it, and so is who drops and then strikes out
   */
  Catalogue(
      ObjectIndex index,
      RecordMap map,
      Segments segments,
      DiskAdmission admission,
      LongSupplier ids,
      Unsettled unsettled) {
    this.unsettled = unsettled;
    this.index = index;
    this.map = map;
    this.segments = segments;
    this.admission = admission;
    this.ids = ids;
    this.segmentCount = segments.freeCount();
  }

  /** A hint; any thread, without lock. */
  boolean mayHold(long high) {
    return index.mayHold(high);
  }

  /**
   * Whether nothing is stored under {@code high}, in the slabs neither, and nothing will be that is
   * cancelled already; false now and then. Any thread, without lock.
   */
  boolean holdsNothing(long high) {
    // in this order: who publishes begins a change before he asks whether it is cancelled
    return unsettled.isNone(high) && !index.mayHold(high);
  }

  /** Stored objects. Any thread, without lock. */
  int objects() {
    return objects;
  }

  /** Octets that stored objects take. Any thread, without lock. */
  long storedBytes() {
    return storedBytes;
  }

  synchronized int freeSegments() {
    return segments.freeCount();
  }

  /**
   * Whether something had to go for what came, since an eighth was free the last time. Any thread,
   * without lock.
   */
  boolean isFullOfLate() {
    return fullOfLate;
  }

  private void noteFullness() {
    if (isFull()) {
      fullOfLate = true;
    } else if (fullOfLate
        && segments.freeCount() > Segments.RESERVE + segmentCount / 8
        && index.size() < index.capacity() - index.capacity() / 8) {
      fullOfLate = false;
    }
  }

  /** Whether something has to go for what comes. */
  synchronized boolean isFull() {
    return segments.freeCount() <= Segments.RESERVE || index.size() >= index.capacity();
  }

  synchronized boolean hasSlots() {
    return index.size() < index.capacity();
  }

  synchronized DiskAdmission.Placement place(long hash, long bytes) {
    return admission.place(hash, bytes, isFull());
  }

  /** Whether what was placed in {@code lane} may go on when it has grown to {@code bytes}. */
  synchronized boolean mayGrow(Lane lane, long hash, long bytes) {
    return admission.mayGrow(lane, hash, bytes, isFull());
  }

  // Space

  /**
   * Room for {@code bytes} in {@code lane}, or null where space has to be made first. Pinned.
   *
   * @param after the life of a first block of the same number, which a rebuild must not prefer; 0:
   *     there is none
   */
  synchronized Extent allocate(int bytes, Lane lane, long after, boolean moving) {
    Segment segment = segments.withRoom(bytes, lane, after, moving, ids.getAsLong());
    return segment == null ? null : take(segment, bytes);
  }

  /** A whole free segment less its header, or null. Pinned; to be {@link #trim}med. */
  synchronized Extent allocateSegment(int bytes, Lane lane) {
    Segment segment = segments.openFree(lane, false, ids.getAsLong());
    return segment == null ? null : take(segment, bytes);
  }

  private static Extent take(Segment segment, int bytes) {
    boolean opens = segment.used == Geometry.SEGMENT_HEADER_BYTES;
    Extent extent =
        new Extent(
            Place.of(segment.number, segment.used), bytes, segment.generation, segment.lane, opens);
    segment.used += bytes;
    segment.pins++;
    return extent;
  }

  /** Of a whole segment only {@code bytes} were needed. */
  synchronized void trim(Extent extent, int bytes) {
    Segment segment = segments.get(Place.segment(extent.place()));
    segment.used = Place.offset(extent.place()) + bytes;
    segments.share(segment);
  }

  /** Lets go of one pin. */
  synchronized void unpin(long place) {
    Segment segment = segments.get(Place.segment(place));
    segment.pins--;
    assert segment.pins >= 0 : "unpinned once too often";
    segments.unpinned(segment);
  }

  /** Lets go of {@code stored}. Any thread. */
  synchronized void unpin(Stored stored) {
    unpin(stored.place());
    for (long piece : stored.pieces()) {
      unpin(piece);
    }
  }

  /** Lets go of all of {@code stored}. */
  synchronized void unpinAll(List<Stored> stored) {
    for (int i = 0; i < stored.size(); i++) {
      unpin(stored.get(i));
    }
  }

  // Looking

  /** All variants under {@code high}, pinned, the newest record first known last. */
  synchronized List<Stored> pinAll(long high) {
    int count = index.findAll(high, variants);
    List<Stored> found = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      found.add(pin(variants[i]));
    }
    return found;
  }

  /** Variants under {@code high}. */
  synchronized int count(long high) {
    return index.findAll(high, variants);
  }

  /** Any object, pinned, for the scrubber; null where there is none in {@code slot}. */
  synchronized Stored pinSlot(int slot) {
    return slot < index.capacity() && index.isUsed(slot) ? pin(slot) : null;
  }

  int capacity() {
    return index.capacity();
  }

  /** Pins once more what is pinned already. */
  synchronized void pinAgain(Stored stored) {
    segments.get(Place.segment(stored.place())).pins++;
    for (long piece : stored.pieces()) {
      segments.get(Place.segment(piece)).pins++;
    }
  }

  private Stored pin(int slot) {
    long[] known = pieces.get(slot);
    long[] places = known == null ? Stored.NO_PIECES : Arrays.copyOf(known, known.length - 1);
    long place = index.place(slot);
    segments.get(Place.segment(place)).pins++;
    for (long piece : places) {
      segments.get(Place.segment(piece)).pins++;
    }
    boolean inRecord = (index.flags(slot) & IN_RECORD) != 0;
    return new Stored(
        slot, index.high(slot), index.low(slot), place, index.length(slot), places, inRecord);
  }

  synchronized int hits(Stored stored) {
    return isStill(stored) ? index.hits(stored.slot()) : 0;
  }

  /** It was asked for. How often by now. */
  synchronized int hit(Stored stored) {
    if (!isStill(stored)) {
      return 0;
    }
    index.hit(stored.slot());
    return index.hits(stored.slot());
  }

  /** A copy of what is stored under this hash is in memory, or is about to be. */
  synchronized void wentToMemory(long high, long low) {
    int slot = index.find(high, low);
    if (slot != ObjectIndex.NONE) {
      index.flags(slot, index.flags(slot) | WENT_TO_MEMORY);
    }
  }

  /** Whether its record may be used without a look at the slabs. */
  synchronized boolean isInSlabs(Stored stored) {
    return isStill(stored) && (index.flags(stored.slot()) & IN_SLABS) != 0;
  }

  /** The slabs have the block that the record of {@code stored} is a copy of. */
  synchronized void seenInSlabs(Stored stored) {
    if (isStill(stored)) {
      index.flags(stored.slot(), index.flags(stored.slot()) | IN_SLABS);
    }
  }

  /** Whether it still stands where it was pinned. */
  synchronized boolean isStill(Stored stored) {
    int slot = stored.slot();
    return index.isUsed(slot)
        && index.place(slot) == stored.place()
        && index.high(slot) == stored.high()
        && index.low(slot) == stored.low();
  }

  /** Copies the record of {@code stored} to {@code into}, if it is still there. */
  boolean record(Stored stored, ByteBuf into) throws IOException {
    return map.get(stored.high(), stored.low(), into);
  }

  // Changing

  /**
   * Makes an object that is written known. Its extents stay pinned.
   *
   * @param record scratch for the record, borrowed
   */
  synchronized Published publish(Publication object, ByteBuf record) throws IOException {
    if (object.cancelled()) {
      return Published.CANCELLED;
    }
    if (object.moved() != null && !isStill(object.moved())) {
      return Published.MOVED;
    }
    ByteBuf block = object.block();
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    int slot = index.find(high, low);
    if (object.isOnlyWhereAbsent()
        && (slot != ObjectIndex.NONE || (object.alone() && index.mayHold(high)))) {
      return Published.CANCELLED;
    }
    if (slot == ObjectIndex.NONE && !hasSlots()) {
      return Published.NO_RECORD;
    }
    StoredRecord.write(record, block, object.place());
    if (!map.put(high, low, record)) {
      return Published.NO_RECORD;
    }
    int length = Block.length(block);
    int flags = (StoredRecord.holdsAll(length) ? IN_RECORD : 0) | IN_SLABS;
    if (slot != ObjectIndex.NONE && object.moved() != null) {
      flags |= index.flags(slot) & WENT_TO_MEMORY;
    }
    if (slot != ObjectIndex.NONE) {
      object.displaced().add(pin(slot));
      uncount(slot);
      // in several segments: what is left of it is asked for its hits when the next is emptied
      int hits = object.moved() != null && object.pieces().length > 0 ? index.hits(slot) / 2 : 0;
      index.move(slot, object.place(), length, object.lane().ordinal(), flags, hits);
    }
    dropSurplus(high, slot, object.alone(), object.displaced());
    if (slot == ObjectIndex.NONE) {
      slot = index.insert(high, low, object.place(), length, object.lane().ordinal(), flags);
    }
    Layout layout = object.layout();
    count(
        slot,
        object.place(),
        length,
        object.pieces(),
        layout.fullPieceBytes(),
        layout.lastPieceBytes());
    return Published.DONE;
  }

  /** Drops variants beside {@code kept}: all, or what there are too many of. */
  private void dropSurplus(long high, int kept, boolean alone, List<Stored> out)
      throws IOException {
    int count = index.findAll(high, variants);
    int surplus = alone ? count : count - MAX_VARIANTS + (kept == ObjectIndex.NONE ? 1 : 0);
    int[] there = Arrays.copyOf(variants, count);
    for (int i = 0; i < count && surplus > 0; i++) {
      if (there[i] != kept) {
        out.add(pin(there[i]));
        drop(there[i]);
        surplus--;
      }
    }
  }

  private void count(
      int slot, long place, int length, long[] places, int fullPieceBytes, int lastPieceBytes) {
    live(place, Block.aligned(length));
    note(place, slot);
    if (places.length > 0) {
      long[] known = Arrays.copyOf(places, places.length + 1);
      known[places.length] = (long) fullPieceBytes << 32 | lastPieceBytes;
      pieces.put(slot, known);
      for (int i = 0; i < places.length; i++) {
        live(places[i], i == places.length - 1 ? lastPieceBytes : fullPieceBytes);
        note(places[i], slot);
      }
    }
  }

  private void uncount(int slot) {
    live(index.place(slot), -Block.aligned(index.length(slot)));
    long[] known = pieces.remove(slot);
    if (known != null) {
      int last = known.length - 1;
      for (int i = 0; i < last; i++) {
        live(known[i], -pieceBytes(known, i));
      }
    }
  }

  private void live(long place, long bytes) {
    segments.live(segments.get(Place.segment(place)), bytes);
    long now = storedBytes + bytes;
    storedBytes = now;
    objects = index.size();
    noteFullness();
  }

  private void note(long place, int slot) {
    segments.get(Place.segment(place)).note(slot);
  }

  private void drop(int slot) throws IOException {
    long high = index.high(slot);
    long low = index.low(slot);
    map.remove(high, low); // first: what the index does not have no killed process has
    uncount(slot);
    index.remove(slot);
    objects = index.size();
  }

  /** Drops {@code stored} if it still stands where it did; whether it did. It stays pinned. */
  synchronized boolean drop(Stored stored) throws IOException {
    if (!isStill(stored)) {
      return false;
    }
    drop(stored.slot());
    return true;
  }

  /** {@code stored} goes for lack of space, if it still stands where it did. */
  synchronized boolean evict(Stored stored, Lane lane, long bytes) throws IOException {
    if (!isStill(stored)) {
      return false;
    }
    evict(stored.slot(), lane, bytes);
    return true;
  }

  /** Drops the variant of exactly this hash. What it was, pinned; or empty. */
  synchronized List<Stored> dropVariant(long high, long low) throws IOException {
    int slot = index.find(high, low);
    if (slot == ObjectIndex.NONE) {
      return List.of();
    }
    Stored dropped = pin(slot);
    drop(slot);
    return List.of(dropped);
  }

  /** Drops all variants under {@code high}. What they were, pinned. */
  synchronized List<Stored> dropAll(long high) throws IOException {
    List<Stored> dropped = new ArrayList<>();
    for (List<Stored> some = pinAll(high); !some.isEmpty(); some = pinAll(high)) {
      for (Stored stored : some) {
        drop(stored.slot());
      }
      dropped.addAll(some);
    }
    return dropped;
  }

  // Making space

  /** The segment to be emptied next, or null where none may be. */
  synchronized Segment victim(long slabBytes) {
    Segment dead = segments.dead();
    if (dead != null) {
      return dead;
    }
    long probation = segments.liveBytes(Lane.PROBATION);
    long main = segments.liveBytes(Lane.MAIN);
    // small objects use up the records first: then what is stored is all there can be
    long capacity = hasSlots() ? slabBytes : Math.min(slabBytes, probation + main);
    Lane first =
        probation + main == 0 ? Lane.PROBATION : admission.victim(probation, main, capacity);
    Segment segment = segments.oldest(first);
    return segment != null ? segment : segments.oldest(Lane.values()[1 - first.ordinal()]);
  }

  synchronized int[] noted(Segment segment) {
    return segment.noted();
  }

  synchronized Lane laneOf(Segment segment) {
    return segment.lane;
  }

  /**
   * What {@link #sift} found, in a segment that is being emptied.
   *
   * @param stay is to be moved, pinned
   * @param doubtful stays if memory holds it, pinned
   * @param gone was dropped, its first block is in another segment, pinned
   */
  record Sifted(List<Stored> stay, List<Stored> doubtful, List<Stored> gone) {
    Sifted() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }
  }

  /**
   * Decides on what the objects of {@code slots} have in {@code segment}; what has to go has gone.
   *
   * @return how many went
   */
  synchronized int sift(Segment segment, Lane lane, int[] slots, Sifted out) throws IOException {
    int went = 0;
    for (int slot : slots) {
      long bytes = index.isUsed(slot) ? bytesIn(segment.number, slot) : 0;
      if (bytes == 0) {
        continue;
      }
      boolean mayBeInMemory = (index.flags(slot) & WENT_TO_MEMORY) != 0;
      DiskAdmission.Verdict verdict =
          admission.reclaim(lane, index.high(slot), bytes, index.hits(slot), mayBeInMemory);
      if (verdict.reason() == DiskAdmission.Reason.IN_MEMORY) {
        out.doubtful.add(pin(slot));
      } else if (verdict.stays()) {
        out.stay.add(pin(slot));
      } else {
        if (Place.segment(index.place(slot)) != segment.number) {
          out.gone.add(pin(slot));
        }
        evict(slot, lane, bytes);
        went++;
      }
    }
    return went;
  }

  private void evict(int slot, Lane lane, long bytes) throws IOException {
    long high = index.high(slot);
    drop(slot);
    admission.evicted(lane, high, bytes);
  }

  /** Whether {@code stored}, which memory does not hold, stays. */
  synchronized boolean staysUnheld(Lane lane, Stored stored, long bytes) {
    return admission.reclaim(lane, stored.high(), bytes, hits(stored), false).stays();
  }

  /** Octets that {@code stored} has in {@code segment}; 0 where it stands elsewhere by now. */
  synchronized long bytesIn(int segment, Stored stored) {
    return isStill(stored) ? bytesIn(segment, stored.slot()) : 0;
  }

  private long bytesIn(int segment, int slot) {
    long place = index.place(slot);
    long bytes = Place.segment(place) == segment ? Block.aligned(index.length(slot)) : 0;
    long[] known = pieces.get(slot);
    for (int i = 0; known != null && i < known.length - 1; i++) {
      if (Place.segment(known[i]) == segment) {
        bytes += pieceBytes(known, i);
      }
    }
    return bytes;
  }

  private static int pieceBytes(long[] known, int piece) {
    int last = known.length - 1;
    return piece == last - 1 ? (int) known[last] : (int) (known[last] >>> 32);
  }

  /** {@code stored} was moved to the main lane. */
  synchronized void kept(Lane from, Stored stored, long bytes) {
    admission.kept(from, stored.high(), bytes);
  }

  /** See {@link Segments#takeSpent}. */
  synchronized Segment takeSpent() {
    return segments.takeSpent();
  }

  /** See {@link Segments#overwritten}. */
  synchronized void overwritten(Segment segment) {
    segments.overwritten(segment);
  }

  /** The segment was emptied and its header struck out: it is free when nobody pins it. */
  synchronized void condemn(Segment segment) {
    segments.condemn(segment);
  }

  // Taking up what was found on disk

  /**
   * Takes up an object while the directory is being opened; false where there is no room or a newer
   * one of its hash. {@link #settle} follows.
   *
   * @param inSlabs see {@link #IN_SLABS}
   */
  synchronized boolean adopt(
      ByteBuf block,
      long place,
      Lane lane,
      long[] places,
      int fullPieceBytes,
      int lastPieceBytes,
      boolean inSlabs) {
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    if (index.find(high, low) != ObjectIndex.NONE || !hasSlots()) {
      return false;
    }
    int length = Block.length(block);
    found(place, lane, Block.generation(block), Block.aligned(length));
    for (int i = 0; i < places.length; i++) {
      int bytes = i == places.length - 1 ? lastPieceBytes : fullPieceBytes;
      found(places[i], lane, Block.generation(block), bytes);
    }
    int flags = (StoredRecord.holdsAll(length) ? IN_RECORD : 0) | (inSlabs ? IN_SLABS : 0);
    int slot = index.insert(high, low, place, length, lane.ordinal(), flags);
    count(slot, place, length, places, fullPieceBytes, lastPieceBytes);
    return true;
  }

  /** While it is being opened: what was taken up under this hash is not to be. */
  synchronized void forget(long high, long low) throws IOException {
    int slot = index.find(high, low);
    if (slot != ObjectIndex.NONE) {
      drop(slot);
    }
  }

  private void found(long place, Lane lane, long generation, int bytes) {
    segments.found(Place.segment(place), lane, generation, Place.offset(place) + bytes);
  }

  /** Where the object of {@code slot} stands whose record holds all of it; -1: none does. */
  synchronized long placeInRecord(int slot) {
    boolean whole = index.isUsed(slot) && (index.flags(slot) & IN_RECORD) != 0;
    return whole ? index.place(slot) : -1;
  }

  /** Whether nothing is in {@code segment}. */
  synchronized boolean isFree(int segment) {
    return segments.get(segment).lane == null;
  }

  /** All was taken up: segments stand in the order of their lives. */
  synchronized void settle() {
    segments.settle();
    noteFullness();
  }

  synchronized void close() throws IOException {
    map.close();
  }
}

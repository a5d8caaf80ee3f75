package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;

/**
 * Makes space: empties the oldest segments, moves what stays to the main lane. Thread-safe: disk
 * threads, one of which does it while others that need space wait.
 */
final class Space {
  /** Whether memory holds an object, and was asked for it there; given the first block's head. */
  interface InMemory {
    boolean holds(ByteBuf block);
  }

  private static final int MAX_ROUNDS = 64;

  /** Objects decided on at a time: for so long the catalogue is locked. */
  private static final int BATCH = 32;

  private final Catalogue catalogue;
  private final Unsettled unsettled;
  private final Blocks blocks;
  private final Geometry geometry;
  private final InMemory inMemory;
  private final Lock making;
  private final LongAdder evictions = new LongAdder();
  private final LongAdder damaged;

  Space(
      Catalogue catalogue,
      Unsettled unsettled,
      Blocks blocks,
      Geometry geometry,
      InMemory inMemory,
      Lock making,
      LongAdder damaged) {
    this.making = making;
    this.catalogue = catalogue;
    this.unsettled = unsettled;
    this.blocks = blocks;
    this.geometry = geometry;
    this.inMemory = inMemory;
    this.damaged = damaged;
  }

  long evictions() {
    return evictions.sum();
  }

  /**
   * Room for {@code bytes} in {@code lane}; space is made for it. Null where none can be.
   *
   * @param after see {@link Catalogue#allocate}
   */
  Extent allocate(int bytes, Lane lane, long after) throws IOException {
    Extent extent = catalogue.allocate(bytes, lane, after, false);
    for (int round = 0; extent == null && round < MAX_ROUNDS && make(); round++) {
      extent = catalogue.allocate(bytes, lane, after, false);
    }
    return opened(extent);
  }

  /** A whole segment for one user; null where there is none. */
  Extent allocateSegment(int bytes, Lane lane) throws IOException {
    Extent extent = catalogue.allocateSegment(bytes, lane);
    for (int round = 0; extent == null && round < MAX_ROUNDS && make(); round++) {
      extent = catalogue.allocateSegment(bytes, lane);
    }
    return opened(extent);
  }

  private Extent opened(Extent extent) throws IOException {
    if (extent != null) {
      blocks.openSegment(extent);
    }
    return extent;
  }

  /** Makes records free; whether there are some. */
  boolean makeSlots() throws IOException {
    boolean progress = true;
    for (int round = 0; !catalogue.hasSlots() && progress && round < MAX_ROUNDS; round++) {
      making.lock();
      try {
        overwriteSpent();
        progress = catalogue.hasSlots() || emptyOne();
      } finally {
        making.unlock();
      }
    }
    return catalogue.hasSlots();
  }

  /** Makes one segment ready, unless somebody did meanwhile; false where none can be emptied. */
  private boolean make() throws IOException {
    making.lock();
    try {
      return overwriteSpent() || catalogue.freeSegments() > Segments.RESERVE || emptyOne();
    } finally {
      making.unlock();
    }
  }

  /**
   * Overwrites a segment that was used before, if there is one: whole pages, which the system need
   * not read. What is written there later ends within a page, and the page of something that was
   * written long ago would have to come from the disk first.
   */
  private boolean overwriteSpent() throws IOException {
    Segment spent = catalogue.takeSpent();
    if (spent == null) {
      return false;
    }
    try {
      blocks.overwrite(spent.number);
    } finally {
      catalogue.overwritten(spent);
    }
    return true;
  }

  private boolean emptyOne() throws IOException {
    Segment victim = catalogue.victim(geometry.slabBytes());
    if (victim == null) {
      return false;
    }
    Lane lane = catalogue.laneOf(victim);
    // first, so that a process killed half way leaves no second copies that count
    blocks.strikeSegment(victim.number);
    int[] slots = distinct(catalogue.noted(victim));
    for (int from = 0; from < slots.length; from += BATCH) {
      empty(victim, lane, slots, from, Math.min(slots.length, from + BATCH));
    }
    catalogue.condemn(victim);
    return true;
  }

  /** Sorted, each once. */
  private static int[] distinct(int[] slots) {
    Arrays.sort(slots);
    int count = 0;
    for (int i = 0; i < slots.length; i++) {
      if (i == 0 || slots[i] != slots[i - 1]) {
        slots[count++] = slots[i];
      }
    }
    return Arrays.copyOf(slots, count);
  }

  /**
   * Empties {@code victim} of some of the slots that were noted there. Nothing else comes into it;
   * but an object may change its first block meanwhile, and leave pieces: it is looked at again.
   */
  private void empty(Segment victim, Lane lane, int[] slots, int from, int to) throws IOException {
    int[] left = Arrays.copyOfRange(slots, from, to);
    for (int round = 0; left.length > 0 && round < MAX_ROUNDS; round++) {
      Catalogue.Sifted sifted = new Catalogue.Sifted();
      int[] again = new int[left.length];
      int count = 0;
      try {
        evictions.add(catalogue.sift(victim, lane, left, sifted));
        for (Stored stored : sifted.gone()) {
          strikeUnless(victim.number, stored);
        }
        for (Stored stored : sifted.stay()) {
          if (!moveOrEvict(victim, lane, stored)) {
            again[count++] = stored.slot();
          }
        }
        for (Stored stored : sifted.doubtful()) {
          if (!decide(victim, lane, stored)) {
            again[count++] = stored.slot();
          }
        }
      } finally {
        catalogue.unpinAll(sifted.gone());
        catalogue.unpinAll(sifted.stay());
        catalogue.unpinAll(sifted.doubtful());
      }
      left = Arrays.copyOf(again, count);
    }
  }

  /** Moves or evicts what stays if memory holds it; false where it is to be looked at again. */
  private boolean decide(Segment victim, Lane lane, Stored stored) throws IOException {
    long bytes = catalogue.bytesIn(victim.number, stored);
    boolean stays = isInMemory(stored) || catalogue.staysUnheld(lane, stored, bytes);
    return stays ? moveOrEvict(victim, lane, stored) : evict(victim, lane, stored, bytes);
  }

  /** False where it stood elsewhere by then, and is to be looked at again. */
  private boolean moveOrEvict(Segment victim, Lane lane, Stored stored) throws IOException {
    long bytes = catalogue.bytesIn(victim.number, stored);
    Catalogue.Published moved =
        bytes == 0 ? Catalogue.Published.MOVED : move(stored, victim.number);
    if (moved == Catalogue.Published.DONE) {
      catalogue.kept(lane, stored, bytes);
      return true;
    }
    return moved == Catalogue.Published.NO_RECORD && evict(victim, lane, stored, bytes);
  }

  private boolean evict(Segment victim, Lane lane, Stored stored, long bytes) throws IOException {
    boolean gone = catalogue.evict(stored, lane, bytes);
    if (gone) {
      evictions.increment();
      strikeUnless(victim.number, stored);
    }
    return gone;
  }

  /** Strikes out the first block of what was dropped or moved, unless its segment goes anyway. */
  private void strikeUnless(int victim, Stored stored) throws IOException {
    if (Place.segment(stored.place()) != victim) {
      blocks.strike(stored.place());
    }
  }

  /** Reads the record to know the key: only where something depends on it. */
  private boolean isInMemory(Stored stored) throws IOException {
    ByteBuf record = Blocks.record();
    if (!catalogue.record(stored, record) || !StoredRecord.isWhole(record)) {
      return false;
    }
    ByteBuf block = StoredRecord.block(record);
    return FirstBlock.FIXED_BYTES + FirstBlock.keyLength(block) <= block.readableBytes()
        && inMemory.holds(block);
  }

  /** Writes what {@code stored} has in {@code segment} elsewhere; NO_RECORD where that failed. */
  private Catalogue.Published move(Stored stored, int segment) throws IOException {
    ByteBuf block = blocks.tryReadFirst(stored.place(), stored.length());
    if (block == null || !stored.isSame(block)) {
      damaged.increment();
      if (block != null) {
        block.release();
      }
      return Catalogue.Published.NO_RECORD;
    }
    long[] pieces = FirstBlock.allPieces(block);
    Moved moved = new Moved(pieces.length);
    try {
      return movePieces(block, pieces, segment, moved)
          ? moveFirst(stored, block, segment, moved)
          : Catalogue.Published.NO_RECORD;
    } finally {
      moved.unpin();
      block.release();
    }
  }

  /** Extents given out for one move. */
  private final class Moved {
    private final Extent[] extents;
    private int count;

    Moved(int pieces) {
      extents = new Extent[pieces + 1];
    }

    Extent allocate(int bytes, long after) throws IOException {
      Extent extent = opened(catalogue.allocate(bytes, Lane.MAIN, after, true));
      if (extent != null) {
        extents[count++] = extent;
      }
      return extent;
    }

    void unpin() {
      for (int i = 0; i < count; i++) {
        catalogue.unpin(extents[i].place());
      }
    }
  }

  private boolean movePieces(ByteBuf block, long[] pieces, int segment, Moved moved)
      throws IOException {
    Layout layout = Layout.of(block, geometry);
    long number = 0;
    for (int i = 0; i < pieces.length; i++) {
      int bytes = layout.bytesOf(i);
      int blockCount = (int) ((layout.contentOfPiece(i) - 1) / Block.FURTHER_CONTENT) + 1;
      if (Place.segment(pieces[i]) == segment) {
        Extent extent = moved.allocate(bytes, 0);
        if (extent == null || !copy(block, layout, pieces, number, blockCount, extent)) {
          return false;
        }
        FirstBlock.piece(block, i, extent.place());
      }
      number += blockCount;
    }
    return true;
  }

  private boolean copy(ByteBuf first, Layout layout, long[] pieces, long from, int count, Extent to)
      throws IOException {
    for (int i = 0; i < count; i++) {
      long number = from + i;
      ByteBuf block =
          blocks.tryReadFurther(
              layout.placeOf(number, pieces),
              layout.contentOfBlock(number),
              Block.id(first),
              (int) number + 1);
      if (block == null) {
        damaged.increment();
        return false;
      }
      try {
        Block.seal(block, to.lane().ordinal(), to.generation());
        blocks.write(to.place() + (long) i * Block.MAX_BYTES, block);
      } finally {
        block.release();
      }
    }
    return true;
  }

  private Catalogue.Published moveFirst(Stored stored, ByteBuf block, int segment, Moved moved)
      throws IOException {
    long after = Place.segment(stored.place()) == segment ? 0 : Block.generation(block);
    Extent extent = moved.allocate(Block.aligned(stored.length()), after);
    if (extent == null) {
      return Catalogue.Published.NO_RECORD;
    }
    Layout layout = Layout.of(block, geometry);
    Block.seal(block, extent.lane().ordinal(), extent.generation());
    Publication publication =
        new Publication(block, extent.place(), Lane.MAIN, FirstBlock.allPieces(block), layout)
            .moved(stored);
    return unsettled.change(stored.high(), () -> publish(publication, stored, segment));
  }

  private Catalogue.Published publish(Publication publication, Stored stored, int segment)
      throws IOException {
    if (!publication.isWanted(catalogue)) {
      return Catalogue.Published.MOVED;
    }
    blocks.write(publication.place(), publication.block());
    Catalogue.Published published = publication.to(catalogue);
    for (Stored before : publication.displaced()) {
      catalogue.unpin(before);
    }
    if (published == Catalogue.Published.DONE) {
      strikeUnless(segment, stored);
    } else {
      blocks.strike(publication.place());
    }
    return published;
  }
}

package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Fills an empty catalogue with what a directory holds: from the records where the map can be
 * trusted, else from the blocks in the slabs. Confined to one thread.
 */
final class Opening {
  /** Records compared in the order of the slabs at a time: half a MB. */
  private static final int BATCH = 1 << 16;

  /** Areas in which reads fail, in a row: with so many it is the disk that fails. */
  private static final int MAX_UNREADABLE = 16;

  /** Octets of an area: what fails within is one place. */
  private static final int AREA_BYTES = 64 << 10;

  private static final long FREE = -1;
  private static final long UNKNOWN = -2;

  /** Bits for a slot: an index has no more. */
  private static final int SLOT_BITS = 26;

  private final Catalogue catalogue;
  private final RecordMap map;
  private final Blocks blocks;
  private final Geometry geometry;
  private final BooleanSupplier stopped;
  private final Consumer<OptionalInt> alternatives;
  private final boolean inOrder;
  private final long[] generations;
  private final List<Long> unreadable = new ArrayList<>();
  private int unreadableInRow;
  private long lastUnreadable;
  private long highestId;
  private long rejected;

  /** The slabs cannot be read or written, whatever the map is like. */
  static final class SlabFailure extends IOException {
    private static final long serialVersionUID = 1;

    SlabFailure(IOException why) {
      super("the slabs cannot be used: " + why.getMessage(), why);
    }
  }

  /**
   * @param inOrder whether the map is as it was closed, or filled anew: records are of what the
   *     slabs have
   * @param alternatives see {@link DiskTier.MemoryView#alternativeLeft}
   */
  Opening(
      Catalogue catalogue,
      RecordMap map,
      Blocks blocks,
      Geometry geometry,
      boolean inOrder,
      BooleanSupplier stopped,
      Consumer<OptionalInt> alternatives) {
    this.alternatives = alternatives;
    this.inOrder = inOrder;
    this.catalogue = catalogue;
    this.map = map;
    this.blocks = blocks;
    this.geometry = geometry;
    this.stopped = stopped;
    this.generations = new long[geometry.segments()];
  }

  /** The highest number of an object or a segment's life that was found. */
  long highestId() {
    return highestId;
  }

  /** Records or blocks that were not what they should be. */
  long rejected() {
    return rejected;
  }

  /** Takes up what the records say, without looking at the slabs. */
  void fromRecords() throws IOException {
    List<long[]> bad = new ArrayList<>();
    map.forEach(
        (high, low, record) -> {
          if (!stopped.getAsBoolean() && !adopt(high, low, record.slice())) {
            bad.add(new long[] {high, low});
          }
        });
    if (unreadableInRow >= MAX_UNREADABLE) {
      throw new SlabFailure(new IOException("no place can be read"));
    }
    for (long[] key : bad) {
      map.remove(key[0], key[1]);
    }
    for (long place : unreadable) {
      strike(place);
    }
    rejected = bad.size();
    catalogue.settle();
  }

  private void read() {
    unreadableInRow = 0;
  }

  private void countUnreadable(long place) {
    long area = number(place) * Block.ALIGNMENT / AREA_BYTES;
    if (unreadableInRow == 0 || area != lastUnreadable) {
      unreadableInRow++;
    }
    lastUnreadable = area;
  }

  /** One place too many that cannot be read is a disk that fails. */
  private void failedToRead(long place, IOException why) throws SlabFailure {
    countUnreadable(place);
    if (unreadableInRow >= MAX_UNREADABLE) {
      throw new SlabFailure(why);
    }
  }

  /** What cannot be read may be another time, when nobody knows any more what was removed. */
  private void strike(long place) throws SlabFailure {
    try {
      blocks.strike(place);
    } catch (IOException e) {
      throw new SlabFailure(e);
    }
  }

  /**
   * After records were taken up that an unclean end left: drops those that hold all of an object
   * the slabs do not have any more. Others are compared with the slabs at each load.
   */
  void dropStruck() throws IOException {
    long[] batch = new long[BATCH];
    int count = 0;
    for (int slot = 0; slot < catalogue.capacity() && !stopped.getAsBoolean(); slot++) {
      long place = catalogue.placeInRecord(slot);
      if (place >= 0) {
        batch[count++] = number(place) << SLOT_BITS | slot;
      }
      if (count == BATCH || slot == catalogue.capacity() - 1) {
        // in the order in which they stand on the disk
        Arrays.sort(batch, 0, count);
        for (int i = 0; i < count; i++) {
          dropIfStruck((int) (batch[i] & (1 << SLOT_BITS) - 1));
        }
        count = 0;
      }
    }
  }

  private long number(long place) {
    return ((long) Place.segment(place) * geometry.segmentBytes() + Place.offset(place))
        / Block.ALIGNMENT;
  }

  private void dropIfStruck(int slot) throws IOException {
    Stored stored = catalogue.pinSlot(slot);
    ByteBuf block = null;
    try {
      block = readFirst(stored);
      if (block == null || !stored.isSame(block)) {
        catalogue.drop(stored);
        rejected++;
      } else {
        catalogue.seenInSlabs(stored);
      }
    } finally {
      if (block != null) {
        block.release();
      }
      catalogue.unpin(stored);
    }
  }

  /** Owned, or null; what cannot be read is struck out. */
  private ByteBuf readFirst(Stored stored) throws SlabFailure {
    try {
      ByteBuf block = blocks.readFirst(stored.place(), stored.length());
      read();
      return block;
    } catch (IOException e) {
      failedToRead(stored.place(), e);
      strike(stored.place());
      return null;
    }
  }

  /**
   * After records were taken up that an unclean end left: what stands in segments without any is
   * struck out, so that it counts for no rebuild.
   */
  void strikeFree() throws IOException {
    for (int i = 0; i < geometry.segments(); i++) {
      if (catalogue.isFree(i) && generation(i) != FREE) {
        strikeSegment(i);
      }
    }
  }

  /** The generation of {@code segment}, or {@link #FREE}, or {@link #UNKNOWN}. */
  private long generation(int segment) throws SlabFailure {
    try {
      long generation = blocks.generation(segment);
      read();
      return generation < 0 ? FREE : generation;
    } catch (IOException e) {
      failedToRead(Place.of(segment, 0), e);
      return UNKNOWN;
    }
  }

  private void strikeSegment(int segment) throws SlabFailure {
    try {
      blocks.strikeSegment(segment);
    } catch (IOException e) {
      throw new SlabFailure(e);
    }
  }

  private boolean adopt(long high, long low, ByteBuf record) {
    if (!StoredRecord.isWhole(record)) {
      return false;
    }
    ByteBuf block = StoredRecord.block(record);
    if (FirstBlock.high(block) != high || FirstBlock.low(block) != low) {
      return false;
    }
    if (FirstBlock.pieces(block) == 0 || StoredRecord.reachesFields(block)) {
      return adopt(block, StoredRecord.place(record));
    }
    long place = StoredRecord.place(record);
    if (unreadableInRow >= MAX_UNREADABLE || !fits(place, Block.length(block))) {
      return false;
    }
    try {
      ByteBuf whole = blocks.readFirst(place, Block.length(block));
      read();
      try {
        return whole != null && adopt(whole, place);
      } finally {
        if (whole != null) {
          whole.release();
        }
      }
    } catch (IOException e) {
      countUnreadable(place);
      unreadable.add(place);
      return false;
    }
  }

  private boolean adopt(ByteBuf block, long place) {
    Layout layout = Layout.of(block, geometry);
    if (!fits(place, Block.length(block)) || layout.pieces() != FirstBlock.pieces(block)) {
      return false;
    }
    long[] pieces = FirstBlock.allPieces(block);
    for (int i = 0; i < pieces.length; i++) {
      if (!fits(pieces[i], layout.bytesOf(i))) {
        return false;
      }
    }
    highestId = Math.max(highestId, Math.max(Block.id(block), Block.generation(block)));
    if (FirstBlock.mayBeAlternative(block)) {
      alternatives.accept(FirstBlock.pathHash(block));
    }
    return catalogue.adopt(
        block,
        place,
        Block.lane(block) == Lane.MAIN.ordinal() ? Lane.MAIN : Lane.PROBATION,
        pieces,
        layout.fullPieceBytes(),
        layout.lastPieceBytes(),
        inOrder);
  }

  private boolean fits(long place, int length) {
    int segment = Place.segment(place);
    int offset = Place.offset(place);
    return segment >= 0
        && segment < geometry.segments()
        && offset >= Geometry.SEGMENT_HEADER_BYTES
        && length > 0
        && (long) offset + Block.aligned(length) <= geometry.segmentBytes();
  }

  /** Reads all slabs and takes up every object whose first block is whole; fills the map anew. */
  void fromSlabs() throws IOException {
    ByteBuf segment = blocks.buffer(geometry.segmentBytes());
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    try {
      for (int i = 0; i < geometry.segments(); i++) {
        generations[i] = generation(i);
      }
      for (int i = 0; i < geometry.segments(); i++) {
        if (generations[i] == UNKNOWN) {
          strikeSegment(i);
        }
      }
      for (int i = 0; i < geometry.segments() && !stopped.getAsBoolean(); i++) {
        long generation = generations[i] < 0 ? -1 : readSegment(i, segment);
        if (generation >= 0) {
          scan(i, generation, segment, record);
        }
      }
    } finally {
      segment.release();
      record.release();
    }
    catalogue.settle();
  }

  private long readSegment(int number, ByteBuf into) throws IOException {
    try {
      return blocks.readSegment(number, into);
    } catch (IOException e) {
      return blocks.readSteps(
          number,
          into,
          (at, why) -> {
            if (why == null) {
              read();
            } else {
              failedToRead(Place.of(number, at), why);
            }
          });
    }
  }

  private void scan(int number, long generation, ByteBuf segment, ByteBuf record)
      throws IOException {
    highestId = Math.max(highestId, generation);
    int end = segment.writerIndex();
    int at = Geometry.SEGMENT_HEADER_BYTES;
    while (at + Block.HEADER_BYTES <= end) {
      ByteBuf block = segment.slice(at, Math.min(Block.MAX_BYTES, end - at));
      boolean first = Block.isWhole(block, Block.FIRST);
      boolean ours =
          (first || Block.isWhole(block, Block.FURTHER)) && Block.generation(block) == generation;
      if (ours && first && FirstBlock.isSound(block)) {
        takeUp(block, Place.of(number, at), record);
      }
      at += ours ? Block.aligned(Block.length(block)) : Block.ALIGNMENT;
    }
  }

  private void takeUp(ByteBuf block, long place, ByteBuf record) throws IOException {
    long high = FirstBlock.high(block);
    long low = FirstBlock.low(block);
    record.clear();
    if (map.get(high, low, record)) {
      ByteBuf other = StoredRecord.block(record);
      if (!isNewer(block, other)) {
        return;
      }
      catalogue.forget(high, low);
    }
    if (!piecesThere(block)) {
      rejected++;
      return;
    }
    StoredRecord.write(record, block, place);
    if (!map.put(high, low, record) || !adopt(block, place)) {
      rejected++;
      map.remove(high, low);
    }
  }

  private static boolean isNewer(ByteBuf block, ByteBuf other) {
    return Block.id(block) != Block.id(other)
        ? Block.id(block) > Block.id(other)
        : Block.generation(block) > Block.generation(other);
  }

  /** Whether each piece of the object still begins with a block of it, of its segment's life. */
  private boolean piecesThere(ByteBuf block) throws IOException {
    Layout layout = Layout.of(block, geometry);
    if (layout.pieces() != FirstBlock.pieces(block)) {
      return false;
    }
    long[] pieces = FirstBlock.allPieces(block);
    int perPiece = geometry.blocksPerPiece();
    for (int i = 0; i < pieces.length; i++) {
      if (!fits(pieces[i], layout.bytesOf(i))) {
        return false;
      }
      long number = (long) i * perPiece;
      ByteBuf further =
          blocks.tryReadFurther(
              pieces[i], layout.contentOfBlock(number), Block.id(block), (int) number + 1);
      if (further == null) {
        return false;
      }
      boolean counts = Block.generation(further) == generations[Place.segment(pieces[i])];
      further.release();
      if (!counts) {
        return false;
      }
    }
    return true;
  }
}

package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Fills an empty catalogue with what a directory holds: from the records where the map can be
 * trusted, else from the blocks in the slabs. Confined to one thread.
 */
final class Opening {
  /** Records compared in the order of the slabs at a time: half a MB. */
  private static final int BATCH = 1 << 16;

  /** Bits for a slot: an index has no more. */
  private static final int SLOT_BITS = 26;

  private final Catalogue catalogue;
  private final RecordMap map;
  private final Blocks blocks;
  private final Geometry geometry;
  private final BooleanSupplier stopped;
  private final long[] generations;
  private long highestId;
  private long rejected;

  Opening(
      Catalogue catalogue,
      RecordMap map,
      Blocks blocks,
      Geometry geometry,
      BooleanSupplier stopped) {
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
    for (long[] key : bad) {
      map.remove(key[0], key[1]);
    }
    rejected = bad.size();
    catalogue.settle();
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
      block = blocks.readFirst(stored.place(), stored.length());
      if (block == null || !stored.isSame(block)) {
        catalogue.drop(stored);
        rejected++;
      }
    } finally {
      if (block != null) {
        block.release();
      }
      catalogue.unpin(stored);
    }
  }

  /**
   * After records were taken up that an unclean end left: what stands in segments without any is
   * struck out, so that it counts for no rebuild.
   */
  void strikeFree() throws IOException {
    for (int i = 0; i < geometry.segments(); i++) {
      if (catalogue.isFree(i) && blocks.generation(i) >= 0) {
        blocks.strikeSegment(i);
      }
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
    try {
      ByteBuf whole = blocks.readFirst(StoredRecord.place(record), Block.length(block));
      try {
        return whole != null && adopt(whole, StoredRecord.place(record));
      } finally {
        if (whole != null) {
          whole.release();
        }
      }
    } catch (IOException e) {
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
    return catalogue.adopt(
        block,
        place,
        Block.lane(block) == Lane.MAIN.ordinal() ? Lane.MAIN : Lane.PROBATION,
        pieces,
        layout.fullPieceBytes(),
        layout.lastPieceBytes());
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
        generations[i] = blocks.generation(i);
      }
      for (int i = 0; i < geometry.segments() && !stopped.getAsBoolean(); i++) {
        long generation = blocks.readSegment(i, segment);
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
          blocks.readFurther(
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

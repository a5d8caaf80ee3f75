package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import net.openhft.chronicle.hash.impl.CompactOffHeapLinearHashTable;
import net.openhft.chronicle.map.VanillaChronicleMap;
import net.openhft.chronicle.map.impl.CompiledMapQueryContext;

/**
 * One thread's way to the entry of a key. Confined to the thread that made it.
 *
 * <p>Chronicle Map believes what it finds in its own pages. With constant sizes these are positions
 * only, and here each is checked before it is followed, so that no damage to the file leads out of
 * the mapping, round in circles, or to a file that grows:
 *
 * <ul>
 *   <li>a slot names a chunk: {@link #nextPos} refuses one that the segment does not have;
 *   <li>a header names a further tier of its segment, which would be mapped wherever it points, the
 *       file extended or an address outside of it used: there are no tiers, so {@link #hasNextTier}
 *       and {@link #nextTier} do not look;
 *   <li>taking a slot out moves those behind it up to the next empty one, for ever where none is
 *       empty: {@link #remove} looks for it first.
 * </ul>
 *
 * What is left is harmless: counters and the list of free chunks are compared with their bounds by
 * Chronicle Map, a key is compared with the one asked for, a lock that is never free times out.
 */
final class RecordQuery extends CompiledMapQueryContext<byte[], byte[], Object> {
  private final VanillaChronicleMap<byte[], byte[], Object> map;
  private final Geometry geometry;
  private final Octets key = new Octets(Geometry.KEY_BYTES);
  private final Octets record = new Octets(RecordMap.RECORD_BYTES);

  RecordQuery(VanillaChronicleMap<byte[], byte[], Object> map, Geometry geometry) {
    super(map);
    this.map = map;
    this.geometry = geometry;
  }

  /** Begins a query of a key; {@link #close} ends it. Touches nothing that is mapped. */
  int segmentOf(long high, long low) {
    key.whole().putLong(0, high).putLong(8, low);
    initUsed(true, map);
    initInputKey(key);
    return segmentIndex();
  }

  /** Copies the record to {@code into}; whether there is one. */
  boolean read(ByteBuf into) {
    if (!entryPresent()) {
      return false;
    }
    record.copyFrom(tierBaseAddr() + valueOffset());
    into.writeBytes(record.whole());
    return true;
  }

  /** What became of a record that was to be written. */
  enum Written {
    NEW,
    REPLACED,
    /** Nothing is changed. */
    NO_ROOM
  }

  /** Writes the record. */
  Written write(ByteBuf octets) {
    octets.getBytes(octets.readerIndex(), record.whole());
    updateLock().lock();
    if (entryPresent()) {
      doReplaceValue(record);
      return Written.REPLACED;
    }
    try {
      doInsert(record);
      return Written.NEW;
    } catch (SegmentFull e) {
      return Written.NO_ROOM;
    }
  }

  /** Removes the record; whether there was one. */
  boolean delete() {
    updateLock().lock();
    if (!entryPresent()) {
      return false;
    }
    doRemove();
    return true;
  }

  @Override
  public long nextPos() {
    long chunk = super.nextPos();
    if (chunk >= geometry.chunks()) {
      throw new DamagedIndexException("a slot names chunk " + chunk + " of " + geometry.chunks());
    }
    return chunk;
  }

  @Override
  public boolean hasNextTier() {
    return false;
  }

  @Override
  public void nextTier() {
    throw new SegmentFull();
  }

  @Override
  public void remove() {
    CompactOffHeapLinearHashTable slots = hl();
    long slot = hashLookupPos();
    for (int steps = geometry.slots(); !slots.empty(slots.readEntry(tierBaseAddr(), slot)); ) {
      if (--steps == 0) {
        throw new DamagedIndexException("all slots of a segment are taken");
      }
      slot = slots.step(slot);
    }
    super.remove();
  }
}

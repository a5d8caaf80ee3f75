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
 *       empty: {@link #remove} gives up. {@link Slots} says why these two read slots themselves.
 * </ul>
 *
 * What is left is harmless: counters and the list of free chunks are compared with their bounds by
 * Chronicle Map, a key is compared with the one asked for, a lock that is never free times out.
 */
final class RecordQuery extends CompiledMapQueryContext<byte[], byte[], Object> {
  private static final String ALL_TAKEN = "all slots of a segment are taken";

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

  /** The next chunk whose slot has the key's hash; -1 at an empty slot, where one would be put. */
  @Override
  public long nextPos() {
    CompactOffHeapLinearHashTable slots = hl();
    long start = searchStartPos();
    for (long at = hashLookupPos(); ; ) {
      long slot = Slots.read(tierBaseAddr(), at);
      if (slot == Slots.EMPTY) {
        setHashLookupPosGuarded(at);
        return -1;
      }
      at = slots.step(at);
      if (at == start) {
        throw new DamagedIndexException(ALL_TAKEN);
      }
      if (slots.key(slot) == searchKey()) {
        setHashLookupPosGuarded(at);
        return existing(slots.value(slot));
      }
    }
  }

  private long existing(long chunk) {
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

  /** Moves those behind the key's slot up, as far as none gets before the slot it hashes to. */
  @Override
  public void remove() {
    CompactOffHeapLinearHashTable slots = hl();
    long base = tierBaseAddr();
    long mask = (long) geometry.slots() * Geometry.SLOT_BYTES - 1;
    long hole = hashLookupPos();
    long at = hole;
    for (int left = geometry.slots(); left > 0; left--) {
      at = slots.step(at);
      long slot = Slots.read(base, at);
      if (slot == Slots.EMPTY) {
        Slots.write(base, hole, Slots.EMPTY);
        setHashLookupPosGuarded(hole);
        return;
      }
      long home = slots.hlPos(slots.key(slot));
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        Slots.write(base, hole, slot);
        hole = at;
      }
    }
    throw new DamagedIndexException(ALL_TAKEN);
  }
}

package io.loligo.store.disk.record;

import java.util.BitSet;
import net.openhft.chronicle.algo.hashing.LongHashFunction;
import net.openhft.chronicle.hash.impl.CompactOffHeapLinearHashTable;
import net.openhft.chronicle.map.VanillaChronicleMap;

/**
 * Finds all entries of a segment, by its slots, past Chronicle Map's own iteration: that follows
 * damaged slots, and visits in the order of the slots, which is at random in the file. Confined to
 * one thread, which holds the lock of the segment.
 */
final class SegmentScan {
  private final VanillaChronicleMap<byte[], byte[], Object> map;
  private final Geometry geometry;
  private final BitSet live;

  SegmentScan(VanillaChronicleMap<byte[], byte[], Object> map, Geometry geometry) {
    this.map = map;
    this.geometry = geometry;
    live = new BitSet(geometry.chunks());
  }

  /** Copies the entries to the beginning of {@code copy}; the octets copied. */
  int copy(int segment, Octets copy) {
    long base = map.segmentBaseAddr(segment);
    mark(segment, base);
    long chunks = base + geometry.chunksOffset();
    int end = 0;
    for (int chunk = live.nextSetBit(0); chunk >= 0; chunk = live.nextSetBit(chunk + 1)) {
      copy.copyFrom(chunks + (long) chunk * Geometry.CHUNK_BYTES, end, Geometry.CHUNK_BYTES);
      end += Geometry.CHUNK_BYTES;
    }
    return end;
  }

  private void mark(int segment, long base) {
    CompactOffHeapLinearHashTable slots = map.hashLookup;
    live.clear();
    for (int i = 0; i < geometry.slots(); i++) {
      long slot = Slots.read(base, (long) i * Geometry.SLOT_BYTES);
      if (slot != Slots.EMPTY) {
        long chunk = slots.value(slot);
        if (chunk < geometry.chunks() && leadsTo(segment, slot, base, chunk)) {
          live.set((int) chunk);
        }
      }
    }
  }

  private boolean leadsTo(int segment, long slot, long base, long chunk) {
    long key = base + geometry.chunksOffset() + chunk * Geometry.CHUNK_BYTES;
    long hash = LongHashFunction.xx_r39().hashMemory(key, Geometry.KEY_BYTES);
    return map.hashSplitting.segmentIndex(hash) == segment
        && map.hashLookup.maskUnsetKey(map.hashSplitting.segmentHash(hash))
            == map.hashLookup.key(slot);
  }
}

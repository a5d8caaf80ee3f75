package io.loligo.store.disk;

import io.loligo.store.admission.QueueAdmission;
import io.loligo.store.admission.SecondRequestAdmission;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.read.Records;
import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.segment.BufferPool;
import io.loligo.store.memory.SizeClass;

/**
 * The memory that the directories of a configuration take when they are full, known before they are
 * opened; bytes. It excludes bytes on their way to or from disk: responses pending to be written
 * are still in the tier's ledger, and those that arrive, are loaded or read are in the ledger of
 * transit.
 *
 * @param heapBytes lists of the content of each segment and of pieces, and the memory of the
 *     admission
 * @param directBytes indexes, segment buffers, and the buffers of disk threads
 * @param indexBytes the indexes and the maps of heads, which are not buffers of the allocator
 */
public record DiskMemory(long heapBytes, long directBytes, long indexBytes) {
  /** Without directories. */
  public static final DiskMemory NONE = new DiskMemory(0, 0, 0);

  /**
   * Blocks that a disk thread holds at most: it moves one to make space while it freshens another.
   */
  private static final int BLOCKS_OF_A_THREAD = 5;

  /** Of a list of slots that has just doubled. */
  private static final int NOTE_BYTES = 2 * Integer.BYTES;

  /**
   * Of an object with pieces, usually one: an array of two, and its place in a table that has just
   * doubled.
   */
  private static final int PIECES_BYTES = 32 + 4 * (Integer.BYTES + Long.BYTES);

  /** Of {@code disk}; a directory too small to be opened counts nothing. */
  public static DiskMemory of(DiskSettings disk) {
    DiskMemory sum = NONE;
    for (CacheDir dir : disk.dirs()) {
      Geometry geometry = DiskDirectory.geometry(dir, disk.meanObjectBytes());
      if (geometry != null) {
        sum = sum.plus(of(geometry, disk));
      }
    }
    return sum;
  }

  private static DiskMemory of(Geometry geometry, DiskSettings disk) {
    int threads = DiskDirectory.threads(disk);
    long mean = geometry.totalBytes() / geometry.records();
    long admission =
        QueueAdmission.memoryBytes(geometry.slabBytes(), mean)
            + (disk.onSecondRequest()
                ? SecondRequestAdmission.memoryBytes(geometry.slabBytes(), mean)
                : 0);
    long buffers = (long) threads * BLOCKS_OF_A_THREAD * SizeClass.packed(Block.STRIDE);
    long small = (long) geometry.records() * NOTE_BYTES;
    // each takes more than a block of the slabs, so there are fewer of them
    long large =
        Math.min(geometry.records(), geometry.slabBytes() / Block.STRIDE)
            * (2 * NOTE_BYTES + PIECES_BYTES);
    long records = Records.capacity(geometry.records());
    long index =
        Catalogue.memoryBytes(geometry.records()) + records * ChronicleRecordMap.ENTRY_BYTES;
    long segmentBuffers =
        (long) (BufferPool.MAX + threads) * BufferPool.bytes(geometry.segmentBytes());
    return new DiskMemory(
        admission + Math.max(small, large) + records * 2 * Long.BYTES,
        index + buffers + segmentBuffers,
        index);
  }

  private DiskMemory plus(DiskMemory other) {
    return new DiskMemory(
        heapBytes + other.heapBytes,
        directBytes + other.directBytes,
        indexBytes + other.indexBytes);
  }
}

package io.loligo.store.disk.record;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import net.openhft.chronicle.algo.hashing.LongHashFunction;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.values.Values;

/**
 * The pages of a map's file that say where everything is, looked at before the file is mapped:
 * Chronicle Map believes them, waits a minute for a header that is not complete, and makes the file
 * as long as they say. Stateless; blocks.
 *
 * <p>The first page is: checksum of the header (8 octets), its length (4), with the highest bit set
 * while it is not complete; the header, a text; from the next multiple of 64 a lock (8) and the
 * global state; nothing up to the end of the page.
 */
final class MapFile {
  private static final int SIZE_OFFSET = 8;
  private static final int TEXT_OFFSET = 12;
  private static final int SIZE_MASK = (1 << 30) - 1;

  /**
   * Chronicle Map keeps so much for the state; a longer header would move the segments' headers.
   */
  private static final int STATE_BYTES = 1024;

  private static final int STATE_ALIGNMENT = 64;
  private static final int LOCK_BYTES = 8;

  /** In the header of a segment: lock, entries, lowest free chunk, next tier. */
  private static final int ENTRIES = 8;

  private static final int LOWEST_FREE = 12;
  private static final int NEXT_TIER = 16;

  private MapFile() {}

  /**
   * Checks that a map of this geometry was closed in this file.
   *
   * @throws IOException it was not, with what is wrong
   */
  static void check(Path file, Geometry geometry) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      checkLength(file, open, geometry);
      ByteBuffer first = littleEndian(read(open, 0, Geometry.FIRST_PAGE_BYTES));
      int headerBytes = headerBytes(first);
      if (headerBytes == 0) {
        throw new IOException(file + " has no header of a map, or a damaged one");
      }
      checkState(file, first, headerBytes, geometry);
      checkSegments(file, open, geometry);
    }
  }

  /**
   * Makes the first page one from which a map can be recovered: its state empty, for all of it
   * follows from the geometry, and its header absent where it is damaged or {@code discard}.
   *
   * @throws IOException the file is of another geometry, or cannot be written
   */
  static void prepareRecovery(Path file, Geometry geometry, boolean discard) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      checkLength(file, open, geometry);
      byte[] page = read(open, 0, Geometry.FIRST_PAGE_BYTES);
      ByteBuffer first = littleEndian(page);
      int headerBytes = discard ? 0 : headerBytes(first);
      int kept = headerBytes > 0 ? TEXT_OFFSET + headerBytes : 0;
      Arrays.fill(page, kept, page.length, (byte) 0);
      // complete; one octet has no checksum of zero, so that a header is written where none is kept
      first.putInt(SIZE_OFFSET, Math.max(1, headerBytes));
      open.seek(0);
      open.write(page);
      readIndex(open, geometry);
    }
  }

  /** A disk that cannot read its index says so here, where that is no fault in a mapped page. */
  private static void readIndex(RandomAccessFile open, Geometry geometry) throws IOException {
    byte[] index = new byte[Math.toIntExact(geometry.chunksOffset())];
    long first = Geometry.FIRST_PAGE_BYTES + (long) geometry.segments() * geometry.headerBytes();
    for (int segment = 0; segment < geometry.segments(); segment++) {
      open.seek(first + segment * geometry.segmentBytes());
      open.readFully(index);
    }
  }

  private static void checkLength(Path file, RandomAccessFile open, Geometry geometry)
      throws IOException {
    if (open.length() != geometry.fileBytes()) {
      throw new IOException(
          file
              + " has "
              + open.length()
              + " octets (expected: "
              + geometry.fileBytes()
              + "): it was cut, or made for another number of records");
    }
  }

  /** Octets of the header's text; 0 where there is none that can be trusted. */
  private static int headerBytes(ByteBuffer first) {
    int size = first.getInt(SIZE_OFFSET) & SIZE_MASK;
    if (size == 0 || size > Geometry.FIRST_PAGE_BYTES - STATE_BYTES - TEXT_OFFSET) {
      return 0;
    }
    ByteBuffer complete = first.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int sizeWord = first.getInt(SIZE_OFFSET);
    complete.putInt(SIZE_OFFSET, size);
    long checksum = LongHashFunction.xx_r39().hashBytes(complete, SIZE_OFFSET, size + 4);
    complete.putInt(SIZE_OFFSET, sizeWord);
    return checksum == first.getLong(0) ? size : 0;
  }

  private static void checkState(Path file, ByteBuffer first, int headerBytes, Geometry geometry)
      throws IOException {
    if (first.getInt(SIZE_OFFSET) != headerBytes) {
      throw new IOException(file + " was not closed: its recovery was not finished");
    }
    int offset = (TEXT_OFFSET + headerBytes + STATE_ALIGNMENT - 1) & -STATE_ALIGNMENT;
    VanillaGlobalMutableState state = Values.newNativeReference(VanillaGlobalMutableState.class);
    state.bytesStore(BytesStore.wrap(first), offset + LOCK_BYTES, state.maxSize());
    if (state.getSegmentHeadersOffset() != Geometry.FIRST_PAGE_BYTES
        || state.getDataStoreSize() != geometry.dataBytes()
        || state.getAllocatedExtraTierBulks() != 0
        || state.getExtraTiersInUse() != 0
        || state.getFirstFreeTierIndex() != 0) {
      throw new IOException(file + " has a damaged state, or one of another number of records");
    }
  }

  private static void checkSegments(Path file, RandomAccessFile open, Geometry geometry)
      throws IOException {
    int step = geometry.headerBytes();
    ByteBuffer headers =
        littleEndian(read(open, Geometry.FIRST_PAGE_BYTES, geometry.segments() * step));
    for (int at = 0; at < headers.capacity(); at += step) {
      long entries = headers.getInt(at + ENTRIES) & 0xffff_ffffL;
      long lowestFree = headers.getInt(at + LOWEST_FREE) & 0xffff_ffffL;
      if (headers.getLong(at) != 0) {
        throw new IOException(file + " was not closed: segment " + at / step + " is locked");
      }
      if (entries > geometry.chunks()
          || lowestFree > geometry.chunks()
          || headers.getLong(at + NEXT_TIER) != 0) {
        throw new IOException(file + " has a damaged header of segment " + at / step);
      }
    }
  }

  private static byte[] read(RandomAccessFile open, long offset, int size) throws IOException {
    byte[] octets = new byte[size];
    open.seek(offset);
    open.readFully(octets);
    return octets;
  }

  private static ByteBuffer littleEndian(byte[] octets) {
    return ByteBuffer.wrap(octets).order(ByteOrder.LITTLE_ENDIAN);
  }
}

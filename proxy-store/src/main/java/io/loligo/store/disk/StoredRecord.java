package io.loligo.store.disk;

import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * What the map holds of an object: where its first block stands and the beginning of it, all of it
 * where it fits. Stateless; see {@code docs/disk-format.md}.
 */
final class StoredRecord {
  /** Octets in front of the copy. */
  static final int HEADER_BYTES = 16;

  /** Octets of the first block at most. */
  static final int COPY_BYTES = RecordMap.RECORD_BYTES - HEADER_BYTES;

  private static final int COPIED = 4;
  private static final int PLACE = 8;

  private StoredRecord() {}

  /** Whether a record holds all of a first block of {@code length}. */
  static boolean holdsAll(int length) {
    return length <= COPY_BYTES;
  }

  /** Writes the record of {@code block}, borrowed, which stands at {@code place}. */
  static void write(ByteBuf record, ByteBuf block, long place) {
    int copied = Math.min(COPY_BYTES, Block.length(block));
    record.clear();
    record.writeInt(0);
    record.writeInt(copied);
    record.writeLong(place);
    record.writeBytes(block, 0, copied);
    record.writeZero(RecordMap.RECORD_BYTES - record.writerIndex());
    record.setInt(0, crc(record, HEADER_BYTES + copied));
  }

  /** Whether it is whole and unchanged, and goes as far as the places of all pieces. */
  static boolean isWhole(ByteBuf record) {
    int copied = record.getInt(COPIED);
    return copied >= FirstBlock.FIXED_BYTES
        && copied <= COPY_BYTES
        && record.getInt(0) == crc(record, HEADER_BYTES + copied);
  }

  private static int crc(ByteBuf record, int length) {
    CRC32C crc = new CRC32C();
    crc.update(record.nioBuffer(COPIED, length - COPIED));
    return (int) crc.getValue();
  }

  static long place(ByteBuf record) {
    return record.getLong(PLACE);
  }

  /** The beginning of the first block, borrowed from {@code record}. */
  static ByteBuf block(ByteBuf record) {
    return record.slice(HEADER_BYTES, record.getInt(COPIED));
  }

  /** Whether {@code block}, a beginning, has all field lines. */
  static boolean holdsHead(ByteBuf block) {
    int length = FirstBlock.fieldsLength(block);
    return reachesFields(block)
        && length >= 0
        && length <= block.writerIndex() - FirstBlock.fieldsStart(block);
  }

  /** Whether {@code block}, a beginning, goes at least as far as the field lines. */
  static boolean reachesFields(ByteBuf block) {
    int start = FirstBlock.fieldsStart(block);
    return start >= 0 && start <= block.writerIndex();
  }
}

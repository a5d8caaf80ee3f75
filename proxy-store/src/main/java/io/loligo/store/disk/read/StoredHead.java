package io.loligo.store.disk.read;

import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record: the beginning of a first block, at least up to the end of its field lines. Stateless.
 */
public final class StoredHead {
  /** Bytes before the copy: a checksum, and the length. */
  private static final int HEADER_BYTES = 8;

  private static final int COPIED = 4;

  /** Bytes of the first block at most. */
  public static final int COPY_BYTES = RecordMap.RECORD_BYTES - HEADER_BYTES;

  private StoredHead() {}

  /** Whether a record has room for all of {@code block}. */
  static boolean isTiny(ByteBuf block) {
    return Block.length(block) <= COPY_BYTES;
  }

  /** Whether a record has room for the head of {@code block}. */
  static boolean fits(ByteBuf block) {
    return FirstBlock.fieldsStart(block) + FirstBlock.fieldsLength(block) <= COPY_BYTES;
  }

  /** Writes the record of {@code block}, borrowed, whose head {@link #fits}. */
  static void write(ByteBuf record, ByteBuf block) {
    int copied = Math.min(COPY_BYTES, Block.length(block));
    record.clear();
    record.writeInt(0);
    record.writeInt(copied);
    record.writeBytes(block, 0, copied);
    record.writeZero(RecordMap.RECORD_BYTES - record.writerIndex());
    record.setInt(0, crc(record, HEADER_BYTES + copied));
  }

  /** The beginning of a first block in {@code record}, borrowed from it; null if it is damaged. */
  static @Nullable ByteBuf block(ByteBuf record) {
    int copied = record.getInt(COPIED);
    boolean whole =
        copied >= FirstBlock.FIXED_BYTES
            && copied <= COPY_BYTES
            && record.getInt(0) == crc(record, HEADER_BYTES + copied);
    return whole ? record.slice(HEADER_BYTES, copied) : null;
  }

  private static int crc(ByteBuf record, int length) {
    CRC32C crc = new CRC32C();
    crc.update(record.nioBuffer(COPIED, length - COPIED));
    return (int) crc.getValue();
  }
}

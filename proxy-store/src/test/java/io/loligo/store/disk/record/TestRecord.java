package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;

/** Records that know whose they are and whether they are whole. */
final class TestRecord {
  static final long ABSENT = -1;

  private TestRecord() {}

  /** The other half of a key. */
  static long high(long low) {
    return low * 0x9E3779B97F4A7C15L;
  }

  /** Every byte depends on the key and the version. */
  static ByteBuf of(long low, long version) {
    ByteBuf record = Unpooled.buffer(RecordMap.RECORD_BYTES);
    for (int i = 0; i < RecordMap.RECORD_BYTES; i += Long.BYTES) {
      record.writeLong(version + i * high(low));
    }
    return record;
  }

  /**
   * The version of a record.
   *
   * @throws AssertionError it is not whole, or another key's
   */
  static long version(long low, ByteBuf record) {
    long version = record.getLong(record.readerIndex());
    if (!record.equals(of(low, version))) {
      throw new AssertionError("record " + low + " is not whole");
    }
    return version;
  }

  static boolean put(RecordMap map, long low, long version) throws IOException {
    return map.put(high(low), low, of(low, version));
  }

  static long get(RecordMap map, long low) throws IOException {
    ByteBuf into = Unpooled.buffer(RecordMap.RECORD_BYTES);
    return map.get(high(low), low, into) ? version(low, into) : ABSENT;
  }
}

package io.loligo.server.sim.disk;

import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.HashMap;
import java.util.Map;

/** Records in a map of Java. Confined to the world's thread. */
final class SimRecordMap implements RecordMap {
  private final Map<Key, byte[]> records = new HashMap<>();
  private final int capacity;
  private final Runnable goOn;

  private record Key(long high, long low) {}

  /**
   * Empty.
   *
   * @param goOn lets others go on before something is read, which is done without locks
   */
  SimRecordMap(int capacity, Runnable goOn) {
    this.capacity = capacity;
    this.goOn = goOn;
  }

  @Override
  public boolean get(long high, long low, ByteBuf into) {
    goOn.run();
    byte[] record = records.get(new Key(high, low));
    if (record != null) {
      into.writeBytes(record);
    }
    return record != null;
  }

  @Override
  public boolean contains(long high, long low) {
    return records.containsKey(new Key(high, low));
  }

  @Override
  public boolean put(long high, long low, ByteBuf record) {
    Key key = new Key(high, low);
    if (records.size() == capacity && !records.containsKey(key)) {
      return false;
    }
    records.put(key, ByteBufUtil.getBytes(record, record.readerIndex(), RECORD_BYTES));
    return true;
  }

  @Override
  public boolean remove(long high, long low) {
    return records.remove(new Key(high, low)) != null;
  }

  @Override
  public long size() {
    return records.size();
  }

  @Override
  public void close() {
    records.clear();
  }
}

package io.loligo.store.disk;

import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/** Records one behind the other in a {@link SimFile}, each with its key. Confined like it. */
final class SimRecordMap implements RecordMap {
  private static final int KEY_BYTES = 16;
  private static final int CHUNK_BYTES = KEY_BYTES + RECORD_BYTES;

  private final SimFiles files;
  private final SimFile file;
  private final int chunks;
  private final Map<Key, Integer> index = new LinkedHashMap<>();
  private final BitSet used = new BitSet();
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private final Runnable goOn;

  private record Key(long high, long low) {}

  /**
   * Takes up what is in {@code file}, however it came there.
   *
   * @param goOn lets others go on before something is read, which is done without locks
   */
  SimRecordMap(SimFiles files, SimFile file, int chunks, Runnable goOn) throws IOException {
    this.goOn = goOn;
    if (file.size() != bytes(chunks)) {
      throw new IOException(file.size() + " octets (expected: " + bytes(chunks) + ")");
    }
    this.files = files;
    this.file = file;
    this.chunks = chunks;
    for (int i = 0; i < chunks; i++) {
      read(i);
      ByteBuf octets = Unpooled.wrappedBuffer(chunk);
      Key key = new Key(octets.getLong(0), octets.getLong(Long.BYTES));
      if (!key.equals(new Key(0, 0)) && index.putIfAbsent(key, i) == null) {
        used.set(i);
      }
    }
  }

  /** Octets of a file for so many. */
  static long bytes(long records) {
    return records * CHUNK_BYTES;
  }

  private void read(int number) {
    file.read((long) number * CHUNK_BYTES, chunk, 0, CHUNK_BYTES);
  }

  private void write(int number) {
    file.write((long) number * CHUNK_BYTES, chunk, 0, CHUNK_BYTES, files.now());
  }

  @Override
  public boolean get(long high, long low, ByteBuf into) {
    goOn.run();
    Integer number = index.get(new Key(high, low));
    if (number != null) {
      read(number);
      into.writeBytes(chunk, KEY_BYTES, RECORD_BYTES);
    }
    return number != null;
  }

  @Override
  public boolean put(long high, long low, ByteBuf record) {
    Key key = new Key(high, low);
    Integer there = index.get(key);
    int number = there == null ? used.nextClearBit(0) : there;
    if (number == chunks) {
      return false;
    }
    Unpooled.wrappedBuffer(chunk).setLong(0, high).setLong(Long.BYTES, low);
    record.getBytes(record.readerIndex(), chunk, KEY_BYTES, RECORD_BYTES);
    write(number);
    used.set(number);
    index.put(key, number);
    return true;
  }

  @Override
  public boolean remove(long high, long low) {
    Integer number = index.remove(new Key(high, low));
    if (number != null) {
      Arrays.fill(chunk, (byte) 0);
      write(number);
      used.clear(number);
    }
    return number != null;
  }

  @Override
  public void forEach(Visitor visitor) {
    for (Map.Entry<Key, Integer> each : index.entrySet()) {
      byte[] octets = new byte[CHUNK_BYTES];
      file.read((long) each.getValue() * CHUNK_BYTES, octets, 0, CHUNK_BYTES);
      Key key = each.getKey();
      visitor.visit(key.high(), key.low(), Unpooled.wrappedBuffer(octets, KEY_BYTES, RECORD_BYTES));
    }
  }

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public void close() {}
}

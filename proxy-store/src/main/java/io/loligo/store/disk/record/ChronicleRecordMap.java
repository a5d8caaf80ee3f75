package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.openhft.chronicle.map.ChronicleMap;

/**
 * Records in a Chronicle Map in anonymous memory. Thread-safe: any disk thread.
 *
 * <p>It is never backed by a file: a thread that waits for a page of a mapped file waits in the
 * middle of Java code, and every other thread waits for it at the next safepoint.
 *
 * <p>The first use in a process loads many classes, so it must not delay the opening of the port.
 */
public final class ChronicleRecordMap implements RecordMap {
  /** Bytes of a key. */
  static final int KEY_BYTES = 16;

  /** Approximate bytes of memory for each record of the capacity, with slots and spare room. */
  public static final int ENTRY_BYTES = 640;

  /** For a lock that another thread of this process holds. */
  /** Chronicle Map loads it as it starts, and compiles nothing. */
  private static final String COMPILER = "jdk.compiler";

  private static final String LOCK_TIMEOUT = "net.openhft.chronicle.map.lockTimeoutSeconds";

  /**
   * Else Chronicle makes a directory "target", from the working directory up or for temporaries.
   */
  private static final String TARGET_DIRECTORY = "project.build.directory";

  /** Hashing fills segments unevenly: this much more room, as a divisor. */
  private static final int SPARE = 8;

  private static final int SPARE_RECORDS = 512;

  private final ChronicleMap<byte[], byte[]> map;
  private final FastThreadLocal<Scratch> scratch =
      new FastThreadLocal<>() {
        @Override
        protected Scratch initialValue() {
          return new Scratch();
        }
      };

  /** Working memory of one thread. */
  private static final class Scratch {
    private final byte[] key = new byte[KEY_BYTES];
    private byte[] record = new byte[RECORD_BYTES];

    byte[] key(long high, long low) {
      ByteBuffer.wrap(key).putLong(high).putLong(low);
      return key;
    }
  }

  private ChronicleRecordMap(ChronicleMap<byte[], byte[]> map) {
    this.map = map;
  }

  /**
   * Makes an empty map.
   *
   * @param records that it has room for
   * @throws IOException there is no memory for it, or Chronicle Map cannot be used here
   */
  public static ChronicleRecordMap create(long records) throws IOException {
    if (ModuleLayer.boot().findModule(COMPILER).isEmpty()) {
      throw new IOException("this Java lacks the module " + COMPILER);
    }
    setUnlessSet(LOCK_TIMEOUT, "2");
    setUnlessSet(TARGET_DIRECTORY, System.getProperty("java.io.tmpdir"));
    try {
      return new ChronicleRecordMap(
          ChronicleMap.of(byte[].class, byte[].class)
              .name("records")
              .constantKeySizeBySample(new byte[KEY_BYTES])
              .constantValueSizeBySample(new byte[RECORD_BYTES])
              .entries(records + records / SPARE + SPARE_RECORDS)
              .allowSegmentTiering(false)
              .putReturnsNull(true)
              .removeReturnsNull(true)
              .checksumEntries(false)
              .skipCloseOnExitHook(true)
              .create());
    } catch (RuntimeException | LinkageError | AssertionError e) {
      throw new IOException("no map of " + records + " records: " + rootOf(e), e);
    }
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  @Override
  public boolean get(long high, long low, ByteBuf into) throws IOException {
    Scratch mine = scratch.get();
    try {
      byte[] found = map.getUsing(mine.key(high, low), mine.record);
      if (found == null) {
        return false;
      }
      mine.record = found;
      into.writeBytes(found);
      return true;
    } catch (RuntimeException e) {
      throw new IOException("records cannot be used: " + rootOf(e), e);
    }
  }

  @Override
  public boolean contains(long high, long low) throws IOException {
    try {
      return map.containsKey(scratch.get().key(high, low));
    } catch (RuntimeException e) {
      throw new IOException("records cannot be used: " + rootOf(e), e);
    }
  }

  @Override
  public boolean put(long high, long low, ByteBuf record) throws IOException {
    if (record.readableBytes() < RECORD_BYTES) {
      throw new IllegalArgumentException(
          "bytes: " + record.readableBytes() + " (expected: " + RECORD_BYTES + ")");
    }
    Scratch mine = scratch.get();
    record.getBytes(record.readerIndex(), mine.record);
    try {
      map.put(mine.key(high, low), mine.record);
      return true;
    } catch (IllegalStateException segmentFull) {
      return false;
    } catch (RuntimeException e) {
      throw new IOException("records cannot be used: " + rootOf(e), e);
    }
  }

  @Override
  public boolean remove(long high, long low) throws IOException {
    try {
      byte[] key = scratch.get().key(high, low);
      boolean was = map.containsKey(key);
      map.remove(key);
      return was;
    } catch (RuntimeException e) {
      throw new IOException("records cannot be used: " + rootOf(e), e);
    }
  }

  @Override
  public long size() {
    return map.longSize();
  }

  /** Bytes of memory that it takes once all of it has been used. */
  public long memoryBytes() {
    return map.offHeapMemoryUsed();
  }

  @Override
  public void close() {
    map.close();
  }
}

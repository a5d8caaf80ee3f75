package io.loligo.bench.micro;

import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * What does a record cost on a disk thread, in time and in bytes on the heap? Half of the keys
 * asked for are not there in {@code getAny}.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar RecordMapBenchmark -prof gc
 * </pre>
 */
@State(Scope.Benchmark)
public class RecordMapBenchmark extends AbstractBenchmark {
  private static final int FILLED = 100_000;

  /** Room in the map, which holds {@value #FILLED} records. */
  @Param({"100000", "1000000"})
  long records;

  private RecordMap map;

  /** A thread's buffers and its place in a sequence of keys without a pattern. */
  @State(Scope.Thread)
  public static class Caller {
    private final ByteBuf record =
        PooledByteBufAllocator.DEFAULT.directBuffer(RecordMap.RECORD_BYTES);
    private long next;

    @Setup
    public void start() {
      record.writeZero(RecordMap.RECORD_BYTES);
      next = Thread.currentThread().getId() * 0x9E3779B97F4A7C15L;
    }

    @TearDown
    public void release() {
      record.release();
    }

    private long key(int keys) {
      next = next * 6364136223846793005L + 1442695040888963407L;
      return (next >>> 20) % keys;
    }
  }

  @Setup
  public void fill() throws IOException {
    map = ChronicleRecordMap.create(records);
    ByteBuf record = PooledByteBufAllocator.DEFAULT.directBuffer(RecordMap.RECORD_BYTES);
    record.writeZero(RecordMap.RECORD_BYTES);
    for (long key = 0; key < FILLED; key++) {
      map.put(high(key), key, record);
    }
    record.release();
  }

  @TearDown
  public void remove() throws IOException {
    map.close();
  }

  private static long high(long key) {
    return key * 0x9E3779B97F4A7C15L;
  }

  /** A record that is there. */
  @Benchmark
  public boolean get(Caller caller) throws IOException {
    long key = caller.key(FILLED);
    return map.get(high(key), key, caller.record.clear());
  }

  /** As get, from two threads. */
  @Benchmark
  @Threads(2)
  public boolean getByTwo(Caller caller) throws IOException {
    return get(caller);
  }

  /** A record that is there, or not. */
  @Benchmark
  public boolean getAny(Caller caller) throws IOException {
    long key = caller.key(2 * FILLED);
    return map.get(high(key), key, caller.record.clear());
  }

  /** Over a record that is there. */
  @Benchmark
  public boolean overwrite(Caller caller) throws IOException {
    long key = caller.key(FILLED);
    caller.record.setIndex(0, RecordMap.RECORD_BYTES);
    return map.put(high(key), key, caller.record);
  }

  /** A record that was not there, and away with it again. */
  @Benchmark
  public boolean putAndRemove(Caller caller) throws IOException {
    long key = FILLED + caller.key(FILLED);
    caller.record.setIndex(0, RecordMap.RECORD_BYTES);
    return map.put(high(key), key, caller.record) && map.remove(high(key), key);
  }
}

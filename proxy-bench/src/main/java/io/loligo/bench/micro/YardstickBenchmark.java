package io.loligo.bench.micro;

import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Nothing of ours: bytes are scanned and hashed, a map is asked, memory is copied, as a hit does.
 * {@code TimesCheck} says times as multiples of it, so that they hold on another machine.
 */
@State(Scope.Thread)
public class YardstickBenchmark extends AbstractBenchmark {
  private static final int KEYS = 1024;
  private static final int PRIME = 31;

  private final byte[] text = new byte[512];
  private final ByteBuffer from = ByteBuffer.allocateDirect(4096);
  private final ByteBuffer to = ByteBuffer.allocateDirect(4096);
  private final ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();

  /** Fills what is worked on, always alike. */
  public YardstickBenchmark() {
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + i % PRIME);
    }
    for (int i = 0; i < KEYS; i++) {
      map.put(i, i);
    }
  }

  @Benchmark
  public int work() {
    int hash = 0;
    int found = 0;
    for (byte b : text) {
      hash = hash * PRIME + b;
      if (b == 'q') {
        found++;
      }
    }
    text[hash & text.length - 1]++;
    to.put(0, from, 0, from.capacity());
    Integer each = map.get(hash & KEYS - 1);
    assert each != null : "all keys are in it";
    return each + found;
  }
}

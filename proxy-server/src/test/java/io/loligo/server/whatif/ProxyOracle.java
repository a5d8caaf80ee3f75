package io.loligo.server.whatif;

import io.loligo.core.caching.HashedKey;
import io.loligo.store.admission.DirectoryModel;
import io.loligo.store.admission.MemoryPolicy;
import io.loligo.store.map.WeighedMap;
import io.loligo.store.stripes.Stripes;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A whole proxy without content, which sees each request of a {@link Trace}: memory as the store
 * has it (in units of 64 bytes), and a directory behind it or not.
 */
final class ProxyOracle {
  static final int OVERHEAD = 512;
  static final long LARGEST_IN_MEMORY = 512L << 10;
  static final int MEAN_BYTES = 13 << 10;

  /** Requests in a second. */
  static final int SECOND = 1000;

  private static final int UNIT = 64;

  /** The place of the answer. */
  enum Answer {
    MEMORY,
    DISK,
    ORIGIN
  }

  /** A response in memory. */
  private static final class Held implements HashedKey {
    final int hash;
    final long bytes;
    boolean asked;

    Held(int hash, long bytes) {
      this.hash = hash;
      this.bytes = bytes;
    }

    int units() {
      return (int) ((bytes + UNIT - 1) / UNIT);
    }

    @Override
    public long high() {
      return Trace.hash(hash, 1);
    }

    @Override
    public long low() {
      return hash;
    }
  }

  private final Trace trace;
  private final long memoryBytes;
  private final WeighedMap<Held> memory;
  private long usedUnits;
  private final DirectoryModel disk;
  private final boolean hasDisk;
  private final Queue<Held> arriving = new ArrayDeque<>();
  private final long[] answers = new long[Answer.values().length];
  private final long[] bytes = new long[Answer.values().length];

  ProxyOracle(Trace trace, long memoryBytes, long diskBytes) {
    this.trace = trace;
    this.memoryBytes = memoryBytes;
    memory =
        new WeighedMap<>(
            Stripes.ONE,
            memoryBytes / UNIT,
            Held::units,
            (held, evicted) -> usedUnits -= held.units(),
            Runnable::run);
    hasDisk = diskBytes > 0;
    disk = new DirectoryModel(diskBytes, MEAN_BYTES * 2 / 3, false, this::serves, 1 << 30);
  }

  /** A tenth of the requests find a changed response. */
  static boolean isChanged(int i) {
    return i % 10 == 3;
  }

  /** A seventh of the requests get 304. */
  static boolean isConditional(int i) {
    return i % 7 == 5;
  }

  static long sent(Trace trace, int i) {
    return isConditional(i) ? 200 : trace.sizes()[trace.requests()[i]];
  }

  /** All requests of the trace. */
  ProxyOracle run() {
    for (int i = 0; i < trace.requests().length; i++) {
      request(i);
    }
    return this;
  }

  /** Request number {@code i}. */
  Answer request(int i) {
    Answer answer = answer(i);
    answers[answer.ordinal()]++;
    bytes[answer.ordinal()] += sent(trace, i);
    if (i % SECOND == SECOND - 1) {
      second();
    }
    return answer;
  }

  private Answer answer(int i) {
    int object = trace.requests()[i];
    int hash = (int) Trace.hash(object, 0);
    long size = trace.sizes()[object];
    Held held = memory.get(key(hash));
    boolean onDisk = hasDisk && disk.holds(hash);
    if (isChanged(i) || (held == null && !onDisk)) {
      if (!isConditional(i)) {
        arrive(hash, size);
      }
      return Answer.ORIGIN;
    }
    if (held != null) {
      held.asked = true;
      return Answer.MEMORY;
    }
    int hits = disk.hit(hash);
    long inMemory = size + OVERHEAD;
    if (!isConditional(i)
        && size <= LARGEST_IN_MEMORY
        && MemoryPolicy.promote(inMemory, hits, used(), memoryBytes, memoryBytes).inMemory()) {
      put(new Held(hash, inMemory));
    }
    return Answer.DISK;
  }

  private void arrive(int hash, long size) {
    if (hasDisk) {
      disk.put(hash, 0, (int) size);
    }
    if (size > LARGEST_IN_MEMORY) {
      memory.remove(key(hash));
      return;
    }
    Held held = new Held(hash, size + OVERHEAD);
    put(held);
    if (hasDisk) {
      arriving.add(held);
    }
  }

  private static Held key(int hash) {
    return new Held(hash, 0);
  }

  private void put(Held held) {
    usedUnits += held.units();
    memory.compute(held, before -> held);
  }

  private boolean serves(int hash) {
    Held held = memory.peek(key(hash));
    return held != null && held.asked;
  }

  /** The disk has the responses of the last second. */
  private void second() {
    for (Held held = arriving.poll(); held != null; held = arriving.poll()) {
      boolean present = memory.peek(held) == held;
      if (present && !MemoryPolicy.written(held.asked, used(), memoryBytes).inMemory()) {
        memory.remove(held);
      }
    }
  }

  private long used() {
    return usedUnits * UNIT;
  }

  /** Share of the requests that memory answered. */
  HitRatio memory() {
    return ratio(0);
  }

  /** Share of the requests that memory or disk answered. */
  HitRatio all() {
    return ratio(1);
  }

  private HitRatio ratio(int diskWeight) {
    return new HitRatio(share(answers, diskWeight), share(bytes, diskWeight));
  }

  private static double share(long[] of, int diskWeight) {
    double hits = of[0] + diskWeight * (double) of[1];
    return hits / (of[0] + of[1] + of[2]);
  }
}

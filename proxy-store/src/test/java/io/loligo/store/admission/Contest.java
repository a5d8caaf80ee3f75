package io.loligo.store.admission;

import java.util.ArrayList;
import java.util.List;

/** A trace and a cache of {@code capacityBytes} in {@code segments}. */
record Contest(Trace trace, String size, long capacityBytes, int segments) {
  private static final int REQUESTS = 200_000;
  private static final int SEGMENTS = 128;
  private static final int MEAN_BYTES = (int) Traces.bytesOf(1);
  private static final int WINDOW = REQUESTS / 12;
  private static final double RECURRENCE = 0.58;

  static List<Contest> all() {
    List<Contest> all = new ArrayList<>();
    int popular = REQUESTS / 4;
    Trace zipf = Traces.zipfWithWonders(REQUESTS, popular, 0.8, 0.3);
    add(all, zipf, popular, 0.01, 0.05, 0.2);
    int read = REQUESTS / 8;
    add(all, Traces.scan(REQUESTS, read, 0.9, read, 3), read, 0.05, 0.2);
    int set = REQUESTS / 20;
    add(all, Traces.hotSet(REQUESTS, set), set, 0.1, 1 / 2.3, 0.8);
    Trace uniform = Traces.slidingSet(REQUESTS, WINDOW, RECURRENCE, false);
    add(all, uniform, WINDOW, 0.2, 1 / 2.3, 0.8, 1.1);
    Trace biased = Traces.slidingSet(REQUESTS, WINDOW, RECURRENCE, true);
    add(all, biased, WINDOW, 0.2, 1 / 2.3, 0.8, 1.1);
    return all;
  }

  /** Polygraph's PolyMix-4 with a working set 2.3 times the cache. */
  static Contest polygraph() {
    return of(Traces.slidingSet(REQUESTS, WINDOW, RECURRENCE, true), WINDOW, 1 / 2.3);
  }

  private static void add(List<Contest> all, Trace trace, int set, double... sizes) {
    for (double size : sizes) {
      all.add(of(trace, set, size));
    }
  }

  private static Contest of(Trace trace, int set, double size) {
    return new Contest(trace, String.format("%.2f", size), Traces.bytesOf(set * size), SEGMENTS);
  }

  /** What our policy gets, in an engine that loses space at the ends of its segments. */
  Score run() {
    return disk().run(trace);
  }

  LogDisk disk() {
    return new LogDisk(
        new QueueAdmission(capacityBytes, capacityBytes / segments, MEAN_BYTES),
        trace.bytes(),
        capacityBytes,
        segments);
  }

  /** LRU, LFU, W-TinyLFU. */
  List<Score> rivals() {
    return List.of(
        Rivals.lru(trace, capacityBytes),
        Rivals.lfu(trace, capacityBytes),
        Rivals.tinyLfu(trace, capacityBytes));
  }

  @Override
  public String toString() {
    return trace.name() + ", cache " + size + " of the set";
  }
}

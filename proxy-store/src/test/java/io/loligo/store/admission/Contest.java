package io.loligo.store.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A trace and a cache of {@code capacityBytes} in {@value #SEGMENTS} segments. */
record Contest(Trace trace, double size, long capacityBytes) {
  private static final int REQUESTS = 90_000;
  private static final int SEGMENTS = 100;
  private static final int MEAN_BYTES = (int) Traces.bytesOf(1);
  private static final int WINDOW = REQUESTS / 12;
  private static final double RECURRENCE = 0.58;

  /** A working set 2.3 times the cache. */
  static final double SMALL = 1 / 2.3;

  /** The compared policies. */
  static final List<Contest> ALL = all();

  private static List<Contest> all() {
    List<Contest> all = new ArrayList<>();
    int popular = REQUESTS / 4;
    add(all, Traces.zipfWithWonders(REQUESTS, popular, 0.8, 0.3), popular, 0.01, 0.05, 0.2);
    int read = REQUESTS / 8;
    add(all, Traces.scan(REQUESTS, read, 0.9, read, 3), read, 0.05, 0.2, 0.5);
    int set = REQUESTS / 20;
    add(all, Traces.hotSet(REQUESTS, set), set, 0.1, SMALL, 0.8);
    add(all, Traces.slidingSet(REQUESTS, WINDOW, RECURRENCE, false), WINDOW, SMALL, 0.8, 1.1);
    add(all, Traces.slidingSet(REQUESTS, WINDOW, RECURRENCE, true), WINDOW, 0.2, SMALL, 0.8, 1.1);
    return List.copyOf(all);
  }

  private static void add(List<Contest> all, Trace trace, int set, double... sizes) {
    for (double size : sizes) {
      all.add(new Contest(trace, size, Traces.bytesOf(set * size)));
    }
  }

  /** The one of {@link #ALL} with this trace and {@link #SMALL}. */
  static Contest small(String trace) {
    return ALL.stream()
        .filter(contest -> contest.trace.name().equals(trace) && contest.size == SMALL)
        .findAny()
        .orElseThrow();
  }

  /** Our policy in an engine that loses space at the ends of its segments. */
  LogDisk disk() {
    return new LogDisk(admission(), trace.bytes(), capacityBytes, SEGMENTS);
  }

  /** An engine like ours with another policy. */
  LogDisk disk(DiskAdmission policy) {
    return new LogDisk(policy, trace.bytes(), capacityBytes, SEGMENTS);
  }

  QueueAdmission admission() {
    return new QueueAdmission(capacityBytes, capacityBytes / SEGMENTS, MEAN_BYTES);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s, cache %.2f of the set", trace.name(), size);
  }
}

package io.loligo.store.admission;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.TreeSet;

/** Textbook policies, each with all of the bytes and no cost of its own. */
final class Rivals {
  private static final int RUNS = 5;

  private Rivals() {}

  /** Least recently used goes first. */
  static Score lru(Trace trace, long capacityBytes) {
    LinkedHashMap<Integer, Integer> kept = new LinkedHashMap<>(1 << 12, 0.75f, true);
    Score.Tally tally = new Score.Tally();
    long used = 0;
    for (int object : trace.requests()) {
      int bytes = trace.bytes()[object];
      boolean hit = kept.get(object) != null;
      tally.count(hit, bytes);
      if (!hit && bytes <= capacityBytes) {
        kept.put(object, bytes);
        used += bytes;
        var oldest = kept.entrySet().iterator();
        while (used > capacityBytes) {
          used -= oldest.next().getValue();
          oldest.remove();
        }
      }
    }
    return tally.score();
  }

  /** First in, first out, like a cyclone buffer. */
  static Score fifo(Trace trace, long capacityBytes) {
    boolean[] kept = new boolean[trace.bytes().length];
    ArrayDeque<Integer> order = new ArrayDeque<>();
    Score.Tally tally = new Score.Tally();
    long used = 0;
    for (int object : trace.requests()) {
      int bytes = trace.bytes()[object];
      tally.count(kept[object], bytes);
      if (!kept[object] && bytes <= capacityBytes) {
        kept[object] = true;
        order.add(object);
        used += bytes;
        while (used > capacityBytes) {
          int oldest = order.remove();
          kept[oldest] = false;
          used -= trace.bytes()[oldest];
        }
      }
    }
    return tally.score();
  }

  /** Least often used since it came goes first, of these the least recently used. */
  static Score lfu(Trace trace, long capacityBytes) {
    int objects = trace.bytes().length;
    int[] uses = new int[objects];
    long[] rank = new long[objects];
    Arrays.fill(rank, -1);
    TreeSet<Integer> kept =
        new TreeSet<>(
            (a, b) -> uses[a] != uses[b] ? uses[a] - uses[b] : Long.compare(rank[a], rank[b]));
    Score.Tally tally = new Score.Tally();
    long used = 0;
    long now = 0;
    for (int object : trace.requests()) {
      int bytes = trace.bytes()[object];
      boolean hit = rank[object] >= 0;
      tally.count(hit, bytes);
      if (hit) {
        kept.remove(object);
      } else if (bytes > capacityBytes) {
        continue;
      } else {
        uses[object] = 0;
        used += bytes;
        while (used > capacityBytes) {
          int least = kept.pollFirst();
          rank[least] = -1;
          used -= trace.bytes()[least];
        }
      }
      uses[object]++;
      rank[object] = now++;
      kept.add(object);
    }
    return tally.score();
  }

  /**
   * Caffeine, the median of five. Not the same to the last digit each time: it admits at random now
   * and then.
   */
  static Score tinyLfu(Trace trace, long capacityBytes) {
    double[] hitRatios = new double[RUNS];
    double[] byteHitRatios = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      Score score = oneTinyLfu(trace, capacityBytes);
      hitRatios[run] = score.hitRatio();
      byteHitRatios[run] = score.byteHitRatio();
    }
    Arrays.sort(hitRatios);
    Arrays.sort(byteHitRatios);
    return new Score(hitRatios[RUNS / 2], byteHitRatios[RUNS / 2]);
  }

  private static Score oneTinyLfu(Trace trace, long capacityBytes) {
    Cache<Integer, Integer> cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(capacityBytes)
            .weigher((Integer object, Integer bytes) -> bytes)
            .build();
    Score.Tally tally = new Score.Tally();
    for (int object : trace.requests()) {
      int bytes = trace.bytes()[object];
      boolean hit = cache.getIfPresent(object) != null;
      tally.count(hit, bytes);
      if (!hit) {
        cache.put(object, bytes);
      }
    }
    return tally.score();
  }

  /**
   * Knows the future: the object whose next request is last is evicted first, or does not enter.
   */
  static Score clairvoyant(Trace trace, long capacityBytes) {
    int[] requests = trace.requests();
    int[] next = new int[requests.length];
    int[] seen = new int[trace.bytes().length];
    Arrays.fill(seen, Integer.MAX_VALUE);
    for (int i = requests.length - 1; i >= 0; i--) {
      next[i] = seen[requests[i]];
      seen[requests[i]] = i;
    }
    int[] due = new int[trace.bytes().length];
    Arrays.fill(due, -1);
    TreeSet<Long> kept = new TreeSet<>();
    Score.Tally tally = new Score.Tally();
    long used = 0;
    for (int i = 0; i < requests.length; i++) {
      int object = requests[i];
      int bytes = trace.bytes()[object];
      boolean hit = due[object] >= 0;
      tally.count(hit, bytes);
      if (hit) {
        kept.remove((long) due[object] << 32 | object);
        used -= bytes;
      }
      due[object] = -1;
      if (next[i] != Integer.MAX_VALUE) {
        due[object] = next[i];
        kept.add((long) next[i] << 32 | object);
        used += bytes;
        while (used > capacityBytes) {
          int last = (int) (long) kept.pollLast();
          due[last] = -1;
          used -= trace.bytes()[last];
        }
      }
    }
    return tally.score();
  }
}

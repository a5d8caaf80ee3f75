package io.loligo.server.metrics;

import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The causes of misses of one event loop, by origin. The loop writes, any thread reads.
 *
 * <p>An origin has two kinds of causes: why no stored response could be used ({@code nothing
 * stored}, {@code stale}), one per miss, and after {@value #UNSTORED} why the fetched response was
 * not stored, if it was not. At most {@value #KEPT} origins are distinguished; if another one
 * comes, the one with the fewest misses is added to {@value #OTHER}.
 */
final class OriginMisses {
  /** Stands for all origins that are not distinguished. */
  static final String OTHER = "other";

  /** Prefix of the causes why a response was not stored. */
  static final String UNSTORED = "not stored: ";

  /** Origins that are shown. */
  static final int SHOWN = 32;

  static final int KEPT = 128;

  private static final int MAX_NAME = 260;

  /** Causes are constants; a greater number can only be a mistake. */
  private static final int MAX_CAUSES = 64;

  /** The counts of one origin. */
  private static final class Origin {
    private final Map<String, AtomicLong> causes = new ConcurrentHashMap<>();
    private long misses;

    void add(String cause, long count) {
      AtomicLong known = causes.get(cause);
      if (known != null) {
        known.setOpaque(known.getPlain() + count);
      } else if (causes.size() < MAX_CAUSES) {
        causes.put(cause, new AtomicLong(count));
      }
    }
  }

  private final Map<String, Origin> origins = new ConcurrentHashMap<>();
  private final Origin other = new Origin();

  /** Counts a miss. For the loop. */
  void count(ExchangeRecord record) {
    assert record.decision != null : "it was not looked up";
    Origin origin = origin(record);
    origin.misses++;
    origin.add(record.decision.reason().detail(), 1);
    if (record.refusal != null) {
      origin.add(UNSTORED.concat(record.refusal), 1);
    }
  }

  private Origin origin(ExchangeRecord record) {
    assert record.target != null : "it was looked up without a target";
    String name = record.target.authority();
    if (name.length() > MAX_NAME) {
      return other;
    }
    Origin known = origins.get(name);
    if (known != null) {
      return known;
    }
    if (origins.size() >= KEPT) {
      dropLeast();
    }
    Origin added = new Origin();
    origins.put(name, added);
    return added;
  }

  private void dropLeast() {
    Map.Entry<String, Origin> least = null;
    for (Map.Entry<String, Origin> one : origins.entrySet()) {
      if (least == null || one.getValue().misses < least.getValue().misses) {
        least = one;
      }
    }
    if (least != null) {
      Origin dropped = least.getValue();
      origins.remove(least.getKey());
      other.misses += dropped.misses;
      dropped.causes.forEach((cause, count) -> other.add(cause, count.get()));
    }
  }

  /** Adds the counts so far to {@code sums}. Any thread. */
  void addTo(Map<String, Map<String, Long>> sums) {
    origins.forEach((name, origin) -> addTo(sums, name, origin));
    addTo(sums, OTHER, other);
  }

  private static void addTo(Map<String, Map<String, Long>> sums, String name, Origin origin) {
    Map<String, Long> sum = sums.computeIfAbsent(name, ignored -> new TreeMap<>());
    origin.causes.forEach((cause, count) -> sum.merge(cause, count.get(), Long::sum));
  }

  /** The origins with the most misses, the others' sums last. */
  static Map<String, Map<String, Long>> top(Map<String, Map<String, Long>> all) {
    Map<String, Map<String, Long>> sums = new HashMap<>(all);
    Map<String, Long> rest = new TreeMap<>();
    Map<String, Long> other = sums.remove(OTHER);
    if (other != null) {
      rest.putAll(other);
    }
    List<Map.Entry<String, Map<String, Long>>> origins = new ArrayList<>(sums.entrySet());
    origins.sort(
        Comparator.comparingLong(
                (Map.Entry<String, Map<String, Long>> one) -> misses(one.getValue()))
            .reversed()
            .thenComparing(Map.Entry.comparingByKey()));
    Map<String, Map<String, Long>> top = new LinkedHashMap<>();
    for (Map.Entry<String, Map<String, Long>> one : origins) {
      if (top.size() < SHOWN) {
        top.put(one.getKey(), one.getValue());
      } else {
        one.getValue().forEach((cause, count) -> rest.merge(cause, count, Long::sum));
      }
    }
    if (!rest.isEmpty()) {
      top.put(OTHER, rest);
    }
    return top;
  }

  private static long misses(Map<String, Long> causes) {
    long sum = 0;
    for (Map.Entry<String, Long> cause : causes.entrySet()) {
      sum += cause.getKey().startsWith(UNSTORED) ? 0 : cause.getValue();
    }
    return sum;
  }
}

package io.loligo.server.traffic;

import io.loligo.core.caching.CacheReason;
import io.loligo.server.traffic.Traffic.Misses;
import io.loligo.server.traffic.Traffic.Ranking;
import io.loligo.server.traffic.Traffic.Sums;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Merges the copies of the event loops. Confined to one thread. */
final class TrafficMerge {
  /** Most rows of a table. */
  static final int SHOWN = 64;

  private static final CacheReason[] CAUSES = CacheReason.values();

  /** The rows of one table by name. */
  private static final class Rows {
    private final Function<HeavyKeys.Row, String> name;
    private final Map<String, long[]> sums = new HashMap<>();
    private final long[] others = new long[TrafficSums.COLUMNS];

    Rows(Function<HeavyKeys.Row, String> name) {
      this.name = name;
    }

    void add(LoopCopy.Table table) {
      for (HeavyKeys.Row row : table.rows) {
        long[] sum =
            sums.computeIfAbsent(name.apply(row), ignored -> new long[TrafficSums.COLUMNS]);
        for (int column = 0; column < sum.length; column++) {
          sum[column] += row.sum(column);
        }
      }
      plus(others, table.others);
    }

    Ranking ranking() {
      List<Map.Entry<String, long[]>> all = new ArrayList<>(sums.entrySet());
      all.sort(
          Comparator.comparingLong((Map.Entry<String, long[]> row) -> -cost(row.getValue()))
              .thenComparing(Map.Entry.comparingByKey()));
      List<Sums> rows = new ArrayList<>();
      for (Map.Entry<String, long[]> row : all) {
        if (rows.size() < SHOWN) {
          rows.add(sums(row.getKey(), row.getValue()));
        } else {
          plus(others, row.getValue());
        }
      }
      return new Ranking(rows, sums("", others));
    }

    private static long cost(long[] sums) {
      return TrafficSums.weight(
          sums[TrafficSums.REQUESTS], sums[TrafficSums.BYTES], sums[TrafficSums.NANOS]);
    }

    private static Sums sums(String name, long[] sums) {
      return new Sums(
          name,
          sums[TrafficSums.REQUESTS],
          sums[TrafficSums.HITS],
          sums[TrafficSums.MISSES],
          sums[TrafficSums.ERRORS],
          sums[TrafficSums.BYTES],
          sums[TrafficSums.NANOS]);
    }
  }

  private final TrafficView view;
  private final Rows origins = new Rows(HeavyKeys.Row::origin);
  private final Rows clients;
  private final Rows users = new Rows(HeavyKeys.Row::text);
  private final List<SlowRequest> slowest = new ArrayList<>();
  private final long[] misses = new long[CAUSES.length];
  private final long[] missBytes = new long[CAUSES.length];
  private final long[] clientTls = new long[TrafficSums.TLS.size()];
  private final long[] serverTls = new long[TrafficSums.TLS.size()];
  private long sinceMillis = Long.MAX_VALUE;

  TrafficMerge(TrafficView view) {
    this.view = view;
    clients = new Rows(row -> view.client(row.text()));
  }

  void add(LoopCopy copy) {
    sinceMillis = Math.min(sinceMillis, copy.sinceMillis());
    for (LoopCopy.Generation one : copy.generations()) {
      origins.add(one.origins);
      clients.add(one.clients);
      users.add(one.users);
      slowest.addAll(one.slowest);
      plus(misses, one.misses);
      plus(missBytes, one.missBytes);
      plus(clientTls, one.clientTls);
      plus(serverTls, one.serverTls);
    }
  }

  private static void plus(long[] sums, long[] more) {
    for (int i = 0; i < sums.length; i++) {
      sums[i] += more[i];
    }
  }

  Traffic traffic(long nowMillis) {
    return new Traffic(
        Math.min(sinceMillis, nowMillis),
        nowMillis,
        origins.ranking(),
        clients.ranking(),
        users.ranking(),
        slowest.stream()
            .sorted(Comparator.comparingLong(SlowRequest::nanos).reversed())
            .limit(SlowestRequests.KEPT)
            .map(slow -> slow.shown(view))
            .toList(),
        causes(),
        versions(clientTls),
        versions(serverTls));
  }

  private List<Misses> causes() {
    List<Misses> causes = new ArrayList<>();
    for (CacheReason cause : CAUSES) {
      long requests = misses[cause.ordinal()];
      if (requests > 0) {
        causes.add(new Misses(cause, requests, missBytes[cause.ordinal()]));
      }
    }
    causes.sort(Comparator.comparingLong(Misses::requests).reversed());
    return List.copyOf(causes);
  }

  private static Map<String, Long> versions(long[] counts) {
    Map<String, Long> versions = new LinkedHashMap<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        versions.put(TrafficSums.TLS.get(i), counts[i]);
      }
    }
    return versions;
  }
}

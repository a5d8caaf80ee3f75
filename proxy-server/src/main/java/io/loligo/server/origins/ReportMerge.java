package io.loligo.server.origins;

import io.loligo.server.origins.OriginReport.Cost;
import io.loligo.server.origins.OriginReport.Origin;
import io.loligo.server.traffic.Generations;
import io.loligo.server.traffic.HeavyKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Merges the findings of the event loops. Confined to one thread. */
final class ReportMerge {
  /** Most origins of a report. */
  static final int SHOWN = 64;

  /** Validations that clients waited for, from which an origin is under load. */
  static final int WAITS_UNDER_LOAD = 10;

  private static final OriginFault[] FINDINGS = OriginFault.values();

  /**
   * A copy of the tables of one loop. Immutable by agreement: nobody changes the arrays.
   *
   * @param others of the newer generation, then of the older one
   */
  record Copy(long sinceMillis, List<HeavyKeys.Row> rows, List<long[]> others) {
    static Copy of(Generations<LintSums> sums) {
      List<HeavyKeys.Row> rows = new ArrayList<>();
      List<long[]> others = new ArrayList<>();
      for (LintSums one : sums.both()) {
        rows.addAll(one.origins.rows());
        others.add(one.origins.others());
      }
      return new Copy(sums.sinceMillis(), rows, others);
    }
  }

  private final Map<String, long[]> origins = new HashMap<>();
  private final long[] others = new long[2 * FINDINGS.length];
  private long sinceMillis = Long.MAX_VALUE;

  void add(Copy copy) {
    sinceMillis = Math.min(sinceMillis, copy.sinceMillis());
    for (HeavyKeys.Row row : copy.rows()) {
      long[] sum = origins.computeIfAbsent(row.origin(), ignored -> new long[others.length]);
      for (int column = 0; column < sum.length; column++) {
        sum[column] += row.sum(column);
      }
    }
    copy.others().forEach(this::addToOthers);
  }

  private void addToOthers(long[] more) {
    for (int column = 0; column < others.length; column++) {
      others[column] += more[column];
    }
  }

  OriginReport report(long nowMillis) {
    List<Map.Entry<String, long[]>> all = new ArrayList<>(origins.entrySet());
    all.sort(
        Comparator.comparingLong((Map.Entry<String, long[]> one) -> -cost(one.getValue()))
            .thenComparing(Map.Entry.comparingByKey()));
    List<Origin> shown = new ArrayList<>();
    for (Map.Entry<String, long[]> one : all) {
      List<Cost> findings = findings(one.getValue());
      if (shown.size() == SHOWN) {
        addToOthers(one.getValue());
      } else if (!findings.isEmpty()) {
        shown.add(new Origin(one.getKey(), findings));
      }
    }
    return new OriginReport(Math.min(sinceMillis, nowMillis), nowMillis, shown, findings(others));
  }

  private static long cost(long[] sums) {
    return Arrays.stream(FINDINGS)
        .mapToLong(
            finding ->
                LintSums.weight(sums[LintSums.requests(finding)], sums[LintSums.bytes(finding)]))
        .sum();
  }

  private static List<Cost> findings(long[] sums) {
    List<Cost> findings = new ArrayList<>();
    for (OriginFault finding : FINDINGS) {
      long requests = sums[LintSums.requests(finding)];
      boolean waits = finding == OriginFault.NO_STALE_WHILE_REVALIDATE;
      if (requests >= (waits ? WAITS_UNDER_LOAD : 1)) {
        findings.add(new Cost(finding, requests, sums[LintSums.bytes(finding)]));
      }
    }
    findings.sort(Comparator.comparingLong(Cost::requests).reversed());
    return List.copyOf(findings);
  }
}

package io.loligo.server.manager;

import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The numbers of a {@link PeriodCounts} under the names of Squid's counters. Stateless. */
final class SquidCounters {
  /** The numbers of ICP and digests have names of their own: {@code loligo_icp_*}. */
  private static final List<String> NEVER =
      List.of(
          "icp.pkts_sent",
          "icp.pkts_recv",
          "icp.queries_sent",
          "icp.replies_sent",
          "icp.queries_recv",
          "icp.replies_recv",
          "icp.query_timeouts",
          "icp.replies_queued",
          "icp.kbytes_sent",
          "icp.kbytes_recv",
          "icp.q_kbytes_sent",
          "icp.r_kbytes_sent",
          "icp.q_kbytes_recv",
          "icp.r_kbytes_recv");

  private static final List<String> NEVER_IN_TOTAL =
      List.of(
          "icp.times_used",
          "cd.times_used",
          "cd.msgs_sent",
          "cd.msgs_recv",
          "cd.memory",
          "cd.local_memory",
          "cd.kbytes_sent",
          "cd.kbytes_recv");

  private SquidCounters() {}

  /** Exchanges that were served by an origin or a parent: fetches and tunnels. */
  static long forwarded(PeriodCounts tally) {
    return tally.sum(CounterFamily.HIERARCHY)
        - tally.of(CounterFamily.HIERARCHY, HierarchyCode.HIER_NONE.name());
  }

  static long requests(PeriodCounts tally) {
    return tally.sum(CounterFamily.CLASS);
  }

  /** Counters of clients, in the order of Squid. */
  static Map<String, Double> ofClients(PeriodCounts tally) {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("client_http.requests", (double) requests(tally));
    all.put("client_http.hits", (double) tally.of(Counter.HITS));
    all.put("client_http.errors", (double) tally.sum(CounterFamily.ERROR));
    all.put("client_http.kbytes_in", PageLines.kilobytes(tally.of(Counter.CLIENT_BYTES_IN)));
    all.put("client_http.kbytes_out", PageLines.kilobytes(tally.of(Counter.CLIENT_BYTES_OUT)));
    return all;
  }

  /** Counters of origins and parents, and of what Squid has besides; in the order of Squid. */
  static Map<String, Double> ofServers(PeriodCounts tally, boolean total) {
    long forwarded = forwarded(tally);
    long tunnels =
        Math.min(
            forwarded,
            tally.of(CounterFamily.CLASS, HitClass.TUNNEL.name().toLowerCase(Locale.ROOT)));
    double errors =
        (double) tally.of(Counter.SERVER_CONNECT_FAILURES)
            + tally.sum(CounterFamily.RESPONSE_REFUSAL);
    double in = PageLines.kilobytes(tally.of(Counter.SERVER_BYTES_IN));
    double out = PageLines.kilobytes(tally.of(Counter.SERVER_BYTES_OUT));
    Map<String, Double> all = new LinkedHashMap<>();
    server(all, "all", forwarded, errors, in, out);
    server(all, "http", forwarded - tunnels, errors, in, out);
    server(all, "ftp", 0, 0, 0, 0);
    server(all, "other", tunnels, 0, 0, 0);
    NEVER.forEach(name -> all.put(name, 0.0));
    if (total) {
      NEVER_IN_TOTAL.forEach(name -> all.put(name, 0.0));
    }
    all.put("unlink.requests", 0.0);
    return all;
  }

  private static void server(
      Map<String, Double> all, String kind, long requests, double errors, double in, double out) {
    String name = "server." + kind;
    all.put(name + ".requests", (double) requests);
    all.put(name + ".errors", errors);
    all.put(name + ".kbytes_in", in);
    all.put(name + ".kbytes_out", out);
  }

  /** Counters of the disks, and of broken requests; in the order of Squid. */
  static Map<String, Double> ofDisks(PeriodCounts tally) {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("swap.outs", (double) tally.of(DiskNumber.WRITES));
    all.put("swap.ins", (double) tally.of(DiskNumber.HITS));
    all.put("swap.files_cleaned", 0.0);
    all.put("aborted_requests", (double) tally.of(Counter.ABORTED));
    return all;
  }
}

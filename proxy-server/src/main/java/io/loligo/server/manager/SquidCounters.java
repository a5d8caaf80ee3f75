package io.loligo.server.manager;

import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The numbers of a {@link PeriodCounts} under the names of Squid's counters. Stateless. */
final class SquidCounters {
  /** Codes of requests whose hop the replies of peers have chosen. */
  private static final List<HierarchyCode> BY_QUERIES =
      List.of(
          HierarchyCode.SIBLING_HIT,
          HierarchyCode.PARENT_HIT,
          HierarchyCode.CLOSEST_PARENT_MISS,
          HierarchyCode.FIRST_PARENT_MISS);

  private static final List<HierarchyCode> BY_DIGESTS =
      List.of(HierarchyCode.CD_SIBLING_HIT, HierarchyCode.CD_PARENT_HIT);

  /** Numbers of digests that are not counted. */
  private static final List<String> NOT_COUNTED =
      List.of("cd.local_memory", "cd.kbytes_sent", "cd.kbytes_recv");

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
  static Map<String, Double> ofServers(PeriodCounts tally) {
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
    icp(all, tally);
    return all;
  }

  private static void icp(Map<String, Double> all, PeriodCounts tally) {
    double queriesSent = tally.of(IcpCount.QUERIES_SENT);
    double queriesIn = tally.of(IcpCount.QUERIES_RECEIVED);
    double repliesSent = tally.of(IcpCount.REPLIES_SENT);
    double repliesIn = tally.of(IcpCount.REPLIES_RECEIVED);
    double queryOut = PageLines.kilobytes(tally.of(IcpCount.QUERY_BYTES_SENT));
    double queryIn = PageLines.kilobytes(tally.of(IcpCount.QUERY_BYTES_RECEIVED));
    double replyOut = PageLines.kilobytes(tally.of(IcpCount.REPLY_BYTES_SENT));
    double replyIn = PageLines.kilobytes(tally.of(IcpCount.REPLY_BYTES_RECEIVED));
    all.put("icp.pkts_sent", queriesSent + repliesSent);
    all.put("icp.pkts_recv", queriesIn + repliesIn);
    all.put("icp.queries_sent", queriesSent);
    all.put("icp.replies_sent", repliesSent);
    all.put("icp.queries_recv", queriesIn);
    all.put("icp.replies_recv", repliesIn);
    all.put("icp.query_timeouts", (double) tally.of(IcpCount.ROUND_TIMEOUTS));
    all.put("icp.replies_queued", 0.0);
    all.put("icp.kbytes_sent", queryOut + replyOut);
    all.put("icp.kbytes_recv", queryIn + replyIn);
    all.put("icp.q_kbytes_sent", queryOut);
    all.put("icp.r_kbytes_sent", replyOut);
    all.put("icp.q_kbytes_recv", queryIn);
    all.put("icp.r_kbytes_recv", replyIn);
  }

  /** Counters of neighbours that only the totals have, and the one after them. */
  static Map<String, Double> ofNeighbours(PeriodCounts tally, long digestBytes) {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("icp.times_used", used(tally, BY_QUERIES));
    all.put("cd.times_used", used(tally, BY_DIGESTS));
    all.put("cd.msgs_sent", 0.0);
    all.put("cd.msgs_recv", 0.0);
    all.put("cd.memory", PageLines.kilobytes(digestBytes));
    for (String name : NOT_COUNTED) {
      all.put(name, 0.0);
    }
    return all;
  }

  private static double used(PeriodCounts tally, List<HierarchyCode> codes) {
    return codes.stream().mapToLong(code -> tally.of(CounterFamily.HIERARCHY, code.name())).sum();
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

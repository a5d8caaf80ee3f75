package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.purges.ReplicationLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Computes the table of ADR 43 for clusters of 10, 50 and 100 nodes, from sizes and intervals of
 * the product and the assumptions that the ADR lists. The popularity of keys is Zipf 1.0; owners
 * are those of {@link Ring}.
 */
class ClusterSizesTest {
  private static final int[] SIZES = {10, 50, 100};
  private static final int KEYS = 1_000_000;

  /** Requests of clients a second, for each node. */
  private static final double RATE = 5_000;

  /** Requests in {@link HotKeys} that make a key hot, of all event loops. */
  private static final double THRESHOLD = 10;

  /** Of a short message: greeting, TLS record, TCP and IP included. */
  private static final int MESSAGE_BYTES = 150;

  private static final double HEARTBEAT_SECONDS = 10 / 8.0;

  /** Bytes of one stream in a vector of the replication. */
  private static final int POSITION_BYTES = 40;

  /** Of a summary without streams: 64 sums. */
  private static final int SUMMARY_BYTES = 525;

  private static final int PURGE_BYTES = 100;

  /** Answers of nodes to requests, as shares of all requests of clients. */
  private record Balance(double busiest, double leaving, int copies) {}

  private final Map<Integer, Balance> balances = new HashMap<>();

  @Test
  void theTableIsThatOfTheRecord() throws IOException {
    String record = Files.readString(Path.of("../docs/adr/0043-one-cache.md"));
    assertThat(record).contains(table());
  }

  /** Without copies the owner of the most popular key limits the whole cluster. */
  @Test
  void copiesOfHotKeysMakeAHundredNodesCount() {
    assertThat(1 / balance(100, false).busiest).isBetween(11.0, 14.0);
    assertThat(1 / balance(100, true).busiest).isGreaterThan(80.0);
  }

  private String table() {
    return String.join(
        "\n",
        row("nodes", n -> Integer.toString(n)),
        "| --- | --- | --- | --- |",
        row("heartbeats a second that a node gets", n -> whole((n - 1) / HEARTBEAT_SECONDS)),
        row("idle: control traffic of a node, each way, KB/s", n -> tenth(idleBytes(n) / 1e3)),
        row("100 purges a second from one node: messages there, a second", n -> purges(n, 100)),
        row("1,000 purges a second from one node: messages there", n -> purges(n, 1_000)),
        row("the same: MB/s that it sends", n -> tenth((n - 1) * purgeBytes(n) / 1e6)),
        row("view change: summaries sent by all nodes", n -> whole((double) n * (n - 1))),
        row("view change: MB that a node sends, no purge in 10 minutes", n -> view(n, 0)),
        row("view change: MB that a node sends, purges of all nodes", n -> view(n, n)),
        row(
            "a node that knows no stream joins: MB that it gets, with the most streams",
            n -> tenth(ReplicationLimits.USUAL.streams() * POSITION_BYTES / 1e6)),
        row("keys that move when a node comes", n -> percent(1.0 / n)),
        row("answers of the busiest node, without copies", n -> busiest(n, false)),
        row("answers of the busiest node, with copies", n -> busiest(n, true)),
        row("worth this many nodes without copies", n -> worth(n, false)),
        row("worth this many nodes with copies", n -> worth(n, true)),
        row("hot keys of a node", n -> whole(balance(n, true).copies)),
        row("requests that leave their node, without copies", n -> leaving(n, false)),
        row("requests that leave their node, with copies", n -> leaving(n, true)));
  }

  private static String row(String name, IntFunction<String> value) {
    return IntStream.of(SIZES)
        .mapToObj(value)
        .collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
  }

  private static double idleBytes(int nodes) {
    double gossip = ReplicationLimits.USUAL.gossipNanos() / 1e9;
    return (nodes - 1) / HEARTBEAT_SECONDS * MESSAGE_BYTES
        + (MESSAGE_BYTES + SUMMARY_BYTES) / gossip;
  }

  /** Batches that go out, and acknowledgements that come; a batch has the purges of some time. */
  private static String purges(int nodes, double rate) {
    return whole(2 * (nodes - 1) * batches(nodes, rate));
  }

  private static double batches(int nodes, double rate) {
    return Math.min(rate, 1e9 / ReplicationLimits.USUAL.batchNanos(nodes));
  }

  private static double purgeBytes(int nodes) {
    return 1_000.0 * PURGE_BYTES + batches(nodes, 1_000) * MESSAGE_BYTES;
  }

  /** {@code recent} streams have purges of the last minutes. */
  private static String view(int nodes, int recent) {
    double bytes = MESSAGE_BYTES + SUMMARY_BYTES + (double) recent * POSITION_BYTES;
    return tenth((nodes - 1) * bytes / 1e6);
  }

  private String busiest(int nodes, boolean copies) {
    return percent(balance(nodes, copies).busiest);
  }

  private String worth(int nodes, boolean copies) {
    return whole(1 / balance(nodes, copies).busiest);
  }

  private String leaving(int nodes, boolean copies) {
    return percent(balance(nodes, copies).leaving);
  }

  private Balance balance(int nodes, boolean copies) {
    return balances.computeIfAbsent(copies ? -nodes : nodes, any -> compute(nodes, copies));
  }

  private static Balance compute(int nodes, boolean copies) {
    Ring ring = Members.ring(Members.view(nodes));
    double all = 0;
    for (int rank = 1; rank <= KEYS; rank++) {
      all += 1.0 / rank;
    }
    Map<ClusterPeer, Double> answers = new IdentityHashMap<>();
    double leaving = 0;
    double fromCopies = 0;
    int hot = 0;
    for (int rank = 1; rank <= KEYS; rank++) {
      double share = 1.0 / rank / all;
      double asked = copies ? asked(share * RATE) / RATE : share;
      hot += share * RATE >= THRESHOLD / 10 ? 1 : 0;
      double toOwner = (share + (nodes - 1) * asked) / nodes;
      answers.merge(ring.owner(rank), toOwner, Double::sum);
      fromCopies += share - toOwner;
      leaving += asked * (nodes - 1) / nodes;
    }
    double busiest = answers.values().stream().mapToDouble(each -> each).max().orElse(0);
    return new Balance(busiest + fromCopies / nodes, leaving, hot);
  }

  /**
   * Requests a second that leave a node for one key of {@code rate}: if it is hot, four fifths of
   * the threshold, then none for the life of the copy.
   */
  private static double asked(double rate) {
    double again = 0.8 * THRESHOLD;
    return rate < THRESHOLD / 10 ? rate : again / (again / rate + HotKeys.LONGEST_MILLIS / 1_000.0);
  }

  private static String whole(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String tenth(double value) {
    return String.format(Locale.ROOT, "%,.1f", value);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}

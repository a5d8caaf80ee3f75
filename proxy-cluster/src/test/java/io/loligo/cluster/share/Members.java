package io.loligo.cluster.share;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Members for tests: node {@code n} has the name {@code n}. */
final class Members {
  private Members() {}

  static NodeRun run(int node) {
    return new NodeRun(new UUID(0, node), 1);
  }

  static Member member(int node) {
    return member(node, 100, false);
  }

  static Member member(int node, int weight, boolean draining) {
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", 7800 + node);
    return new Member(run(node), Integer.toString(node), address, address, weight, draining, 1);
  }

  static View view(Member... members) {
    return new View(1, List.of(members));
  }

  /** Nodes 0 to {@code count} - 1, of equal weight. */
  static View view(int count) {
    return new View(1, IntStream.range(0, count).mapToObj(Members::member).toList());
  }

  /** The ring of {@code view} at node 0. */
  static Ring ring(View view) {
    return Ring.empty().next(view, run(0), 0);
  }
}

package io.loligo.bench.micro;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.share.ClusterPeer;
import io.loligo.cluster.share.Ring;
import io.loligo.cluster.share.Routing;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does a request pay for the owner of its key, in clusters of some sizes, with equal and with
 * different weights? The aim is below 1 us with 100 nodes, without an allocation.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar RingBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class RingBenchmark extends AbstractBenchmark {
  @Param({"3", "10", "100"})
  private int nodes;

  @Param({"1", "5"})
  private int weights;

  private Routing routing;
  private long hash;

  @Setup
  public void assemble() {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      InetSocketAddress address = InetSocketAddress.createUnresolved("node" + i, 7800);
      members.add(
          new Member(run(i), "node" + i, address, address, 100 * (1 + i % weights), false, 1));
    }
    routing = new Routing(Ring.empty().next(new View(1, members), run(0), 0));
  }

  private static NodeRun run(int node) {
    return new NodeRun(new UUID(0, node), 1);
  }

  @Benchmark
  public @Nullable ClusterPeer owner() {
    hash += 0x9e3779b97f4a7c15L;
    return routing.owner(hash, 1);
  }
}

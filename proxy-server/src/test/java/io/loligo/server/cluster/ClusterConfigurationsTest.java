package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.configuration.ConfigurationState;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.CapturedLog;
import io.loligo.server.config.Configs;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log of nodes that differ: two nodes, whose messages arrive at once. */
class ClusterConfigurationsTest {
  private static final InetSocketAddress PLACE = InetSocketAddress.createUnresolved("node", 7_800);

  private final CapturedLog log = new CapturedLog(ClusterConfigurations.class);
  private final FakeSteps steps = new FakeSteps();
  private final List<Node> nodes = new ArrayList<>();

  private final class Node extends FakeGroup {
    private final int number;
    private final ClusterConfigurations configurations;
    private ConfigurationState state = new ConfigurationState(1, Map.of());

    Node(int number, ProxyConfig config) {
      super(new NodeRun(new UUID(0, number), 1));
      this.number = number;
      configurations =
          new ClusterConfigurations(
              "web",
              steps,
              this,
              config,
              now -> state = now,
              ClusterConfigurationsTest.this::members);
      configurations.start();
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      for (Node node : nodes) {
        if (node.self().equals(to)) {
          node.listener().message(self(), message);
        }
      }
    }

    @Override
    public int configured() {
      return 2;
    }
  }

  private void pass(long seconds) {
    steps.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private List<Member> members() {
    return nodes.stream()
        .map(node -> new Member(node.self(), "n" + node.number, PLACE, PLACE, 1, false, 1))
        .toList();
  }

  @AfterEach
  void close() {
    log.close();
  }

  @Test
  void aNodeThatDiffersIsLoggedAfterAMinuteAndWhenItDiffersNoMore() {
    ProxyConfig one = Configs.of("via on\nmax_stale 1 day\n");
    ProxyConfig other = Configs.of("via off\nnegative_ttl 1 day\n");
    for (int i = 0; i < 3; i++) {
      nodes.add(new Node(i, i == 1 ? other : one));
    }
    pass(0);
    nodes.forEach(node -> node.listener().view(new View(1, members())));
    pass(59);
    assertThat(log.lines()).isEmpty();
    pass(1);
    assertThat(log.lines()).hasSize(3);
    assertThat(log.lines().get(0))
        .contains("nodes of the cluster web have different configurations")
        .contains(": n1 differs in max_stale, negative_ttl, via; next: ");
    pass(1_000);
    assertThat(log.lines()).hasSize(3);
    nodes.get(1).configurations.use(one);
    pass(0);
    assertThat(nodes.get(0).state.different()).isEqualTo(1);
    assertThat(log.lines()).hasSize(6);
    assertThat(log.lines().get(5)).contains("no node of the cluster web differs");
  }
}

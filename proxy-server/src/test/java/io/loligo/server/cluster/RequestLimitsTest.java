package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.core.acl.AclInput;
import io.loligo.server.config.Configs;
import io.loligo.server.shaping.Bucket;
import io.loligo.server.shaping.RateDirectives;
import io.loligo.server.shaping.RequestRate;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Request rates of three nodes, with a simulated clock and network. */
class RequestLimitsTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;
  private static final int NODES = 3;
  private static final int RATE = 10;
  private static final int BURST = 20;
  private static final String LINE =
      "loligo_request_rate a rate=" + RATE + "/s burst=" + BURST + " key=address";
  private static final InetSocketAddress PLACE = InetSocketAddress.createUnresolved("node", 7_800);

  private final FakeSteps steps = new FakeSteps();
  private final List<Node> nodes = new ArrayList<>();
  private Random random = new Random(1);
  private boolean cut;

  /** A node with a rate, and its messages to the others. */
  private final class Node extends FakeGroup {
    private final RequestRate rate;
    private int passed;

    Node(int number, String line) {
      super(new NodeRun(new UUID(0, number), 1));
      List<RequestRate> rates = Configs.of(line + "\n").get(RateDirectives.REQUEST_RATE);
      rate = rates.get(0);
      RequestLimits limits = new RequestLimits(steps, this, steps);
      limits.start();
      limits.use(rates);
    }

    boolean request(int client) {
      AclInput request = from(client);
      Bucket bucket = Objects.requireNonNull(rate.of(request, now()));
      boolean admitted = rate.admits(bucket, now());
      passed += admitted ? 1 : 0;
      return admitted;
    }

    long retrySeconds(int client) {
      return RequestRate.retrySeconds(Objects.requireNonNull(rate.of(from(client), now())), now());
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      for (Node node : nodes) {
        if (node.self().equals(to) && !cut) {
          steps.schedule(
              () -> node.listener().message(self(), message), random.nextLong(50 * MILLI));
        }
      }
    }

    @Override
    public int configured() {
      return NODES;
    }
  }

  private static AclInput from(int client) {
    byte[] address = {10, 0, (byte) (client >> 8), (byte) client};
    return (AclInput)
        Proxy.newProxyInstance(
            AclInput.class.getClassLoader(),
            new Class<?>[] {AclInput.class},
            (request, asked, nothing) -> {
              assertThat(asked.getName()).isEqualTo("clientAddress");
              return address;
            });
  }

  private void startNodes(String line) {
    for (int i = 0; i < NODES; i++) {
      nodes.add(new Node(i, line));
      steps.pass(random.nextLong(SECOND)); // they tell at different times
    }
    List<Member> members =
        nodes.stream()
            .map(node -> new Member(node.self(), "n", PLACE, PLACE, 1, false, 1))
            .toList();
    nodes.forEach(node -> node.listener().view(new View(1, members)));
  }

  private long now() {
    return steps.nanos();
  }

  private int passed() {
    return nodes.stream().mapToInt(node -> node.passed).sum();
  }

  /** What all others let pass before this one knows of it. */
  private static int unknown(double latencySeconds) {
    return (int) Math.ceil((NODES - 1) * (BURST + RATE * (1 + latencySeconds)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anAddressThatAsksAllNodesGetsTheLimitAndOneSecondMore(long seed) {
    random = new Random(seed);
    startNodes(LINE);
    long start = now();
    int seconds = 60;
    for (int millis = 0; millis < seconds * 1_000; millis += 5) {
      steps.pass(start + millis * MILLI - now());
      nodes.get(random.nextInt(NODES)).request(1);
      double allowed = BURST + RATE * millis / 1e3 + unknown(0.05);
      assertThat((double) passed()).as("after %s ms", millis).isLessThanOrEqualTo(allowed);
    }
    int limit = BURST + RATE * seconds;
    assertThat(passed()).as("in all").isBetween(limit - 2, limit + unknown(0.05));
  }

  @Test
  void anAddressBelowTheLimitIsNeverRefused() {
    startNodes(LINE);
    long start = now();
    for (int i = 0; i < 60 * RATE; i++) {
      steps.pass(start + i * SECOND / RATE - now());
      assertThat(nodes.get(i % NODES).request(1)).as("request %s", i).isTrue();
    }
  }

  @Test
  void anotherNodeKnowsWhatAnAddressHasUsed() {
    startNodes(LINE);
    for (int i = 0; i < 2 * BURST; i++) {
      nodes.get(0).request(1);
    }
    assertThat(passed()).isEqualTo(BURST);
    steps.pass(SECOND + 50 * MILLI);
    int soFar = passed();
    for (int i = 0; i < 2 * BURST; i++) {
      nodes.get(1).request(1);
    }
    assertThat(passed() - soFar).as("what came in since").isBetween(0, RATE + 1);
    assertThat(nodes.get(1).request(2)).as("another address").isTrue();
  }

  @Test
  void aDebtTellsWhenToComeAgain() {
    startNodes("loligo_request_rate a rate=60/h burst=30 key=address");
    for (int i = 0; i < 30; i++) {
      nodes.forEach(node -> assertThat(node.request(1)).isTrue());
    }
    steps.pass(SECOND + 50 * MILLI);
    nodes.forEach(
        node -> {
          assertThat(node.request(1)).isFalse();
          assertThat(node.retrySeconds(1)).isBetween(3_600L, 3_660L);
        });
  }

  @Test
  void whatANodeSaysOfAnotherIsBounded() {
    startNodes(LINE);
    RequestRate honest = nodes.get(0).rate;
    for (int i = 0; i < 1_000; i++) {
      honest.untold((name, count) -> {});
      Bucket bucket = Objects.requireNonNull(honest.of(from(1), now()));
      honest.admits(bucket, now());
    }
    honest.untold((name, count) -> honest.passedElsewhere(name, 65_535, NODES, now()));
    assertThat(nodes.get(0).retrySeconds(1)).isEqualTo(6); // a burst and 3 s are believed
    for (int i = 0; i < 1_000; i++) {
      honest.untold((name, count) -> honest.passedElsewhere(name, 65_535, NODES, now()));
    }
    int most = (NODES - 1) * (BURST + RATE) / RATE + 1;
    assertThat(nodes.get(0).retrySeconds(1)).isEqualTo(most);
  }

  @Test
  void eachSideOfAPartitionLimitsOnItsOwn() {
    startNodes(LINE);
    cut = true;
    for (int i = 0; i < 2 * BURST; i++) {
      nodes.forEach(node -> node.request(1));
    }
    steps.pass(2 * SECOND);
    assertThat(passed()).isEqualTo(NODES * BURST);
    assertThat(nodes.get(1).request(1)).isTrue();
  }

  @Test
  void scopeNodeSharesNothing() {
    String line = LINE + " scope=node\n";
    List<RequestRate> rates = Configs.of(line).get(RateDirectives.REQUEST_RATE);
    assertThat(rates.get(0).isShared()).isFalse();
  }

  @Test
  void ratesOfOtherNamesOrKeysAreOtherLimits() {
    List<RequestRate> rates =
        Configs.of(
                "loligo_request_rate a rate=1/s key=address\n"
                    + "loligo_request_rate b rate=1/s key=address\n")
            .get(RateDirectives.REQUEST_RATE);
    List<RequestRate> others =
        Configs.of(
                "loligo_request_rate a rate=5/s key=address\n"
                    + "loligo_request_rate b rate=1/s key=user\n")
            .get(RateDirectives.REQUEST_RATE);
    assertThat(rates.get(0).sharedId()).isNotEqualTo(rates.get(1).sharedId());
    assertThat(rates.get(0).sharedId()).isEqualTo(others.get(0).sharedId());
    assertThat(rates.get(1).sharedId()).isNotEqualTo(others.get(1).sharedId());
  }
}

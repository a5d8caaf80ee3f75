package io.loligo.cluster.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.FakeGroup;
import io.loligo.cluster.FakeSteps;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several nodes, with messages that arrive at once or not at all. */
class ConfigurationsTest {
  private static final InetSocketAddress PLACE = InetSocketAddress.createUnresolved("node", 7_800);

  private final FakeSteps steps = new FakeSteps();
  private final List<Node> nodes = new ArrayList<>();
  private boolean cut;
  private int sent;

  private final class Node extends FakeGroup {
    private final int number;
    private final Configurations configurations;
    private ConfigurationState state = new ConfigurationState(0, Map.of());

    Node(int number, String access) {
      super(new NodeRun(new UUID(0, number), 1));
      this.number = number;
      configurations = new Configurations(steps, this, of(access), now -> state = now);
      configurations.start();
    }

    void use(String access) {
      configurations.use(of(access));
    }

    List<Integer> alarmed() {
      return nodes.stream()
          .filter(node -> state.nodes().containsKey(node.self()))
          .filter(node -> state.nodes().get(node.self()).alarmed())
          .map(node -> node.number)
          .toList();
    }

    List<String> differsIn(Node node) {
      return state.nodes().get(node.self()).differsIn();
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      sent++;
      for (Node node : nodes) {
        if (!cut && node.self().equals(to)) {
          node.listener().message(self(), message);
        }
      }
    }
  }

  private static Configuration of(String access) {
    return Configuration.of(
        Map.of("http_access", List.of(access), "via", List.of("on"), "acl", List.of("a", "b")));
  }

  private void start(String... accesses) {
    for (int i = 0; i < accesses.length; i++) {
      nodes.add(new Node(i, accesses[i]));
    }
    view(nodes);
  }

  private void view(List<Node> members) {
    List<Member> seen =
        members.stream()
            .map(node -> new Member(node.self(), "n", PLACE, PLACE, 1, false, 1))
            .toList();
    // those that are told first announce before the others know them
    members.forEach(node -> node.listener().view(new View(1, seen)));
  }

  private void pass(long seconds) {
    steps.pass(TimeUnit.SECONDS.toNanos(seconds));
  }

  private void allAgree() {
    for (Node node : nodes) {
      assertThat(node.state.different()).isEqualTo(1);
      assertThat(node.alarmed()).isEmpty();
    }
  }

  @Test
  void equalConfigurationsRaiseNoAlarm() {
    start("a", "a", "a");
    pass(1_000);
    allAgree();
  }

  @Test
  void theOneThatDiffersFromMostForAMinuteRaisesTheAlarmOfAll() {
    start("a", "a", "b");
    pass(59);
    for (Node node : nodes) {
      assertThat(node.state.different()).isEqualTo(2);
      assertThat(node.differsIn(nodes.get(2))).containsExactly("http_access");
      assertThat(node.differsIn(nodes.get(0))).isEmpty();
      assertThat(node.alarmed()).isEmpty();
    }
    pass(1);
    nodes.forEach(node -> assertThat(node.alarmed()).containsExactly(2));
    nodes.get(2).use("a");
    allAgree();
  }

  @Test
  void nodesThatAreReloadedOneAfterTheOtherRaiseNone() {
    start("a", "a", "a");
    for (Node node : nodes) {
      pass(50);
      node.use("b");
      nodes.forEach(each -> assertThat(each.alarmed()).isEmpty());
    }
    pass(1_000);
    allAgree();
  }

  @Test
  void aChangeThatOneMissedRaisesItForThatOne() {
    start("a", "a", "a");
    nodes.get(0).use("b");
    nodes.get(1).use("b");
    assertThat(nodes.get(2).state.different()).isEqualTo(2);
    pass(61);
    nodes.forEach(node -> assertThat(node.alarmed()).containsExactly(2));
  }

  @Test
  void aNodeThatDiffersAgainHasItsMinuteAgain() {
    start("a", "a", "b");
    pass(50);
    nodes.get(2).use("a");
    nodes.get(2).use("b");
    pass(59);
    assertThat(nodes.get(0).alarmed()).isEmpty();
    pass(1);
    assertThat(nodes.get(0).alarmed()).containsExactly(2);
  }

  @Test
  void ofTwoNodesAllSeeTheSameOne() {
    start("a", "b");
    pass(91);
    assertThat(nodes.get(0).alarmed()).hasSize(1).isEqualTo(nodes.get(1).alarmed());
  }

  @Test
  void aLostMessageIsSentAgain() {
    start("a", "a");
    long start = steps.nanos();
    cut = true;
    nodes.get(1).use("b");
    assertThat(nodes.get(0).state.different()).isEqualTo(1);
    cut = false;
    pass(30);
    assertThat(nodes.get(0).state.different()).isEqualTo(2);
    long changed = nodes.get(0).state.nodes().get(nodes.get(1).self()).changedNanos();
    assertThat(changed).as("as that node says").isEqualTo(start);
  }

  @Test
  void aNodeThatLeavesCountsNoMore() {
    start("a", "a", "b");
    pass(91);
    view(nodes.subList(0, 2));
    assertThat(nodes.get(0).state.different()).isEqualTo(1);
    assertThat(nodes.get(0).state.nodes()).hasSize(2);
    assertThat(nodes.get(0).alarmed()).isEmpty();
  }

  @Test
  void malformedMessagesAndThoseOfOthersAreDropped() {
    start("a", "a");
    nodes.get(0).listener().message(nodes.get(1).self(), new byte[] {1, 2});
    byte[] foreign = new ConfigurationMessage(0, of("b")).encode();
    nodes.get(0).listener().message(new NodeRun(new UUID(0, 77), 1), foreign);
    allAgree();
  }

  @Test
  void nothingIsSentAfterTheEnd() {
    start("a", "a");
    nodes.forEach(node -> node.configurations.close());
    int before = sent;
    pass(1_000);
    assertThat(sent).isEqualTo(before);
    assertThat(steps.waiting()).isZero();
  }
}

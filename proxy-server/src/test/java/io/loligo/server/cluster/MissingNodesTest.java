package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MissingNodesTest {
  private final CapturedLog log = new CapturedLog(MissingNodes.class);
  private final FakeSteps steps = new FakeSteps();
  private final MissingNodes nodes = new MissingNodes("web", steps);

  @AfterEach
  void close() {
    log.close();
    assertThat(steps.waiting()).isLessThanOrEqualTo(1);
  }

  private static InetSocketAddress node(int number) {
    try {
      byte[] address = {10, 0, 0, (byte) number};
      return new InetSocketAddress(InetAddress.getByAddress(address), 7_800);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void namesTheMissingNodesOnceAndSaysWhenAllAreThere() {
    nodes.seen(1, 3, Set.of(node(3), node(2)));
    steps.pass(MissingNodes.PATIENCE_NANOS - 1);
    assertThat(log.lines()).isEmpty();
    nodes.seen(1, 3, Set.of(node(3), node(2)));
    steps.pass(1);
    assertThat(log.lines())
        .singleElement()
        .asString()
        .startsWith(
            "this node of the cluster web sees 1 of 3 nodes; missing: 10.0.0.2:7800,"
                + " 10.0.0.3:7800; next:");
    nodes.seen(1, 3, Set.of(node(3), node(2)));
    steps.pass(10 * MissingNodes.QUIET_NANOS);
    assertThat(log.lines()).hasSize(1);
    nodes.seen(3, 3, Set.of());
    assertThat(log.lines()).last().isEqualTo("this node of the cluster web sees all 3 nodes again");
  }

  @Test
  void writesAddressesOfIpv6InBrackets() {
    InetAddress address = NetUtil.createInetAddressFromIpAddressString("2001:db8::2");
    nodes.seen(1, 2, Set.of(new InetSocketAddress(address, 7_800)));
    steps.pass(MissingNodes.PATIENCE_NANOS);
    assertThat(log.lines()).singleElement().asString().contains("missing: [2001:db8::2]:7800;");
  }

  @Test
  void aStartInTimeOrAShortAbsenceHasNoLine() {
    nodes.seen(1, 3, Set.of(node(2), node(3)));
    steps.pass(MissingNodes.PATIENCE_NANOS / 2);
    nodes.seen(3, 3, Set.of());
    steps.pass(MissingNodes.QUIET_NANOS);
    assertThat(log.lines()).isEmpty();
  }

  @Test
  void otherMissingNodesHaveALineAfterAMinute() {
    nodes.seen(2, 3, Set.of(node(3)));
    steps.pass(MissingNodes.PATIENCE_NANOS);
    nodes.seen(1, 3, Set.of(node(2), node(3)));
    steps.pass(MissingNodes.QUIET_NANOS - 1);
    assertThat(log.lines()).hasSize(1);
    steps.pass(1);
    assertThat(log.lines()).hasSize(2).last().asString().contains("sees 1 of 3");
  }

  @Test
  void aNodeThatComesAndGoesHasALineAMinute() {
    for (int i = 0; i < 10; i++) {
      nodes.seen(2, 3, Set.of(node(3)));
      steps.pass(MissingNodes.PATIENCE_NANOS);
      nodes.seen(3, 3, Set.of());
    }
    assertThat(log.lines()).as("three warnings in 150 s, and their ends").hasSize(6);
  }

  /** Beside a guest, and without an answer of a name. */
  @Test
  void countsConfiguredNodesOnly() {
    nodes.seen(3, 3, Set.of(node(3)));
    steps.pass(MissingNodes.PATIENCE_NANOS);
    assertThat(log.lines()).last().asString().contains("sees 2 of 3 nodes");
    nodes.seen(1, 2, Set.of());
    steps.pass(MissingNodes.QUIET_NANOS);
    assertThat(log.lines())
        .last()
        .asString()
        .contains("sees 1 of 2 nodes; missing: one that members= does not name yet");
  }
}

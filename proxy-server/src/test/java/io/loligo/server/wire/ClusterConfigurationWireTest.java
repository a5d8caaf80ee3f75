package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** The configurations of two proxies that are nodes of one cluster. */
class ClusterConfigurationWireTest extends WireTest {
  private final List<Integer> ports = List.of(ProxyProcess.freePort(), ProxyProcess.freePort());

  private String text(int index, String... more) {
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add(
        "loligo_cluster web listen=127.0.0.1:"
            + ports.get(index)
            + " members=127.0.0.1:"
            + ports.get(0)
            + ",127.0.0.1:"
            + ports.get(1)
            + " mode=purge weight="
            + (index + 1));
    lines.add("visible_hostname node" + index + ".test");
    lines.add("access_log none");
    return configuration(lines.toArray(String[]::new));
  }

  private ProxyUnderTest node(int index, String... more) throws IOException {
    return closing(ProxyUnderTest.start(text(index, more)));
  }

  private static String page(ProxyUnderTest node, String path) throws IOException {
    String head = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private static void awaitConfigurations(ProxyUnderTest node, int count) throws Exception {
    Waiting.until(
        count + " configurations of two nodes",
        () -> {
          String page = page(node, "/cluster");
          boolean both = page.split("\"configuration\": ", -1).length == 3;
          return both && page.contains("\"configurations\": " + count + ",");
        });
  }

  private static String status(ProxyUnderTest node) {
    StringWriter out = new StringWriter();
    String admin = "127.0.0.1:" + node.adminPort();
    Main.commandLine().setOut(new PrintWriter(out)).execute("cluster", "status", "--admin", admin);
    return out.toString();
  }

  @Test
  void aReloadShowsAtAllNodesAtOnce() throws Exception {
    ProxyUnderTest first = node(0);
    ProxyUnderTest second = node(1);
    awaitConfigurations(first, 1);
    awaitConfigurations(second, 1);
    assertThat(page(first, "/cluster"))
        .contains("\"configuration_alarm\": false", "\"differs_in\": []")
        .doesNotContain("\"via\"");
    assertThat(second.reload(text(1, "via off")).done()).isTrue();
    for (ProxyUnderTest node : List.of(first, second)) {
      awaitConfigurations(node, 2);
      assertThat(page(node, "/cluster")).contains("\"differs_in\": [\"via\"]");
      assertThat(page(node, "/metrics")).contains("\nloligo_cluster_configurations 2.0\n");
      assertThat(status(node)).contains(", differs in: via\n");
    }
    ObjectName bean = new ObjectName("io.loligo:type=Cluster");
    Object shown = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Configurations");
    assertThat(shown).isEqualTo(2);
    second.reload(text(1));
    awaitConfigurations(first, 1);
    awaitConfigurations(second, 1);
  }
}

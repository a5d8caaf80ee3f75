package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Request rates of two proxies that are nodes of one cluster. */
class ClusterRatesWireTest extends WireTest {
  private static final int BURST = 5;

  private final List<Integer> ports = List.of(ProxyProcess.freePort(), ProxyProcess.freePort());
  private final List<ProxyUnderTest> nodes = new ArrayList<>();

  private void startNodes() throws Exception {
    String members = " members=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1);
    for (int port : ports) {
      String[] lines = {
        "loligo_cluster web listen=127.0.0.1:" + port + members + " mode=purge",
        "loligo_request_rate all rate=1/h burst=" + BURST + " key=address",
        "loligo_request_rate each rate=1/h burst=" + 2 * BURST + " key=address scope=node",
        "access_log none",
      };
      nodes.add(closing(ProxyUnderTest.start(configuration(lines))));
    }
    for (ProxyUnderTest node : nodes) {
      Waiting.until("two members", () -> page(node, "/cluster").contains("\"members\": 2"));
    }
    origin.onOk("/a", "content", "Cache-Control: max-age=1000");
  }

  private static String page(ProxyUnderTest node, String path) throws IOException {
    String head = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private int status(int node) throws IOException {
    try (RawClient client = RawClient.connect(nodes.get(node).port())) {
      return client.get(origin.url("/a")).response().status();
    }
  }

  @Test
  void whatAClientUsesAtOneNodeIsUsedAtTheOther() throws Exception {
    startNodes();
    for (int i = 0; i < BURST; i++) {
      assertThat(status(0)).isEqualTo(200);
    }
    assertThat(status(0)).isEqualTo(429);
    String used = "loligo_pool_lowest_level{pool=\"loligo_request_rate all\"} 0.0";
    Waiting.until("the other node knows", () -> page(nodes.get(1), "/metrics").contains(used));
    assertThat(page(nodes.get(1), "/metrics"))
        .contains("loligo_pool_buckets{pool=\"loligo_request_rate each\"} 0.0");
    assertThat(status(1)).isEqualTo(429);
  }
}

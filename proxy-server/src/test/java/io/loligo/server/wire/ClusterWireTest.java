package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.Waiting;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Proxies that are nodes of one cluster. */
class ClusterWireTest extends WireTest {
  private final List<Integer> ports = List.of(ProxyProcess.freePort(), ProxyProcess.freePort());

  private String members() {
    return "members=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1);
  }

  private ProxyUnderTest node(int index, String members, String... lines) throws IOException {
    String[] all = new String[lines.length + 2];
    System.arraycopy(lines, 0, all, 2, lines.length);
    all[0] = "loligo_cluster web listen=127.0.0.1:" + ports.get(index) + " " + members;
    all[1] = "cache_log " + dir.resolve("node" + index + ".log");
    return closing(ProxyUnderTest.start(configuration(all)));
  }

  private static String page(ProxyUnderTest node) throws IOException {
    String head = "GET /cluster HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private static void awaitMembers(ProxyUnderTest node, int members, int configured)
      throws Exception {
    Waiting.until(
        members + " members of " + configured,
        () ->
            page(node)
                .contains("\"members\": " + members + ", \"configured\": " + configured + ","));
  }

  @Test
  void twoProxiesSeeEachOtherAndTheEndOfOne() throws Exception {
    ProxyUnderTest first = node(0, members() + " mode=purge weight=7");
    assertThat(page(first))
        .contains("\"cluster\": \"web\"", "\"mode\": \"purge\"")
        .contains("\"members\": 1, \"configured\": 2")
        .contains("\"weight\": 7");
    ProxyUnderTest second = node(1, members() + " mode=purge bodies=" + ports.get(0));
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
    assertThat(page(second)).contains("\"weight\": 7", "\"weight\": 100");
    second.close();
    awaitMembers(first, 1, 2);
  }

  @Test
  void withCertificatesOnlyThoseOfTheAuthorityAreMembers() throws Exception {
    TestAuthority ours = TestAuthority.root("Cluster");
    TestAuthority foreign = TestAuthority.root("Foreign");
    Path ca = ours.write(dir, "ca.pem");
    Path foreignCa = foreign.write(dir, "foreign-ca.pem");
    String good = tls(ours.issue(TestAuthority.named("node")).write(dir, "good.pem"), ca);
    String bad = tls(foreign.issue(TestAuthority.named("node")).write(dir, "bad.pem"), foreignCa);
    ProxyUnderTest first = node(0, members() + " mode=purge", good);
    ProxyUnderTest stranger = node(1, members() + " mode=purge", bad);
    Waiting.until("a refusal", () -> page(stranger).contains("\"members\": 1"));
    stranger.close();
    ProxyUnderTest second = node(1, members() + " mode=purge", good);
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
  }

  private static String tls(Path pair, Path ca) {
    return "loligo_cluster_tls cert=" + pair + " key=" + pair + " ca=" + ca;
  }

  @Test
  void aFileNamesTheMembers() throws Exception {
    Path file = dir.resolve("members");
    Files.writeString(
        file, "# the nodes\n127.0.0.1:" + ports.get(0) + "\n127.0.0.1:" + ports.get(1) + " # b\n");
    String line = "members=file:" + file + " mode=purge insecure";
    ProxyUnderTest first = node(0, line);
    ProxyUnderTest second = node(1, line);
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
  }

  @Test
  void theIdOfANodeOutlivesARestart() throws Exception {
    String disk = "cache_dir rock " + dir.resolve("disk") + " 64";
    ProxyUnderTest first = node(0, members() + " mode=purge", disk);
    String id = page(first).replaceAll("(?s).*?\"node\": \"([0-9a-f-]+)\".*", "$1");
    first.close();
    assertThat(page(node(0, members() + " mode=purge", disk))).contains(id);
  }

  @Test
  void aPortThatIsTakenStopsTheStartWithTheLine() throws Exception {
    node(0, members() + " mode=purge");
    assertThatThrownBy(() -> node(0, members() + " mode=purge"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("test.conf:")
        .hasMessageContaining("loligo_cluster 127.0.0.1:" + ports.get(0));
  }

  @Test
  void withoutALineThePageSaysSo() throws Exception {
    startProxy();
    assertThat(page(proxy)).isEqualTo("{\"cluster\": null}\n");
  }
}

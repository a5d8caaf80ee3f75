package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.cli.Main;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;
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
    return page(node.adminPort());
  }

  private static String page(int port) throws IOException {
    String head = "GET /cluster HTTP/1.1\r\nHost: 127.0.0.1:" + port;
    try (RawClient client = RawClient.connect(port)) {
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
    try (CapturedLog log = new CapturedLog("io.loligo.cluster.jgroups.Refusals");
        ProxyUnderTest stranger = node(1, members() + " mode=purge", bad)) {
      Waiting.until(
          "a refusal",
          () -> log.lines().stream().anyMatch(line -> line.contains("127.0.0.1 is not")));
      assertThat(page(stranger)).contains("\"members\": 1");
      assertThat(page(first)).contains("\"members\": 1");
    }
    plainTextIsRefused(ports.get(0));
    ProxyUnderTest second = node(1, members() + " mode=purge", good);
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
  }

  /** The other node is admitted by an authority that only a reload has read. */
  @Test
  void aReloadReadsTheFilesAgainForNewConnections() throws Exception {
    TestAuthority before = TestAuthority.root("Before");
    TestAuthority after = TestAuthority.root("After");
    Path ca = before.write(dir, "ca.pem");
    Path pair = before.issue(TestAuthority.named("node")).write(dir, "pair.pem");
    String own = tls(pair, ca);
    ProxyUnderTest first = node(0, members() + " mode=purge", own);
    Path afterCa = after.write(dir, "after-ca.pem");
    Path afterPair = after.issue(TestAuthority.named("node")).write(dir, "after.pem");
    ProxyUnderTest second = node(1, members() + " mode=purge", tls(afterPair, afterCa));
    String unchanged =
        configuration(
            "loligo_cluster web listen=127.0.0.1:" + ports.get(0) + " " + members() + " mode=purge",
            own,
            "cache_log " + dir.resolve("node0.log"));

    Files.writeString(pair, "no certificate");
    Reloaded failed = first.reload(unchanged);
    assertThat(failed.done()).isFalse();
    assertThat(failed.text()).contains("loligo_cluster_tls: " + pair);
    assertThat(metrics(first))
        .as("the old one stays")
        .containsPattern("loligo_certificate_expiry_seconds\\{.*port=\"loligo_cluster\"");

    after.write(dir, "ca.pem");
    after.issue(TestAuthority.named("node")).write(dir, "pair.pem");
    assertThat(page(first)).contains("\"members\": 1");
    assertThat(first.reload(unchanged).text()).startsWith("reloaded");
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
  }

  /** A connection with a greeting of the engine in clear text is closed. */
  private static void plainTextIsRefused(int port) throws IOException {
    try (Socket client = new Socket("127.0.0.1", port)) {
      client.getOutputStream().write("bela".getBytes(US_ASCII));
      client.getOutputStream().write(new byte[32]);
      client.setSoTimeout(RawClient.GUARD_MILLIS);
      byte[] all = client.getInputStream().readNBytes(100);
      assertThat(all.length).as("an alert at most").isLessThan(10);
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
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
  void theCommandTheMetricsAndJmxShowTheMembers() throws Exception {
    ProxyUnderTest first = node(0, members() + " mode=purge");
    String admin = "127.0.0.1:" + first.adminPort();
    assertThat(status(admin, 1))
        .contains("cluster web, mode purge: 1 of 2 nodes")
        .contains("127.0.0.1:" + ports.get(0))
        .contains("member, this one");
    ProxyUnderTest second = node(1, members() + " mode=purge");
    awaitMembers(first, 2, 2);
    awaitMembers(second, 2, 2);
    assertThat(status(admin, 0)).contains("2 of 2 nodes", "127.0.0.1:" + ports.get(1));
    assertThat(ageless(status(admin, 0, "--json"))).isEqualTo(ageless(page(first)));
    assertThat(metrics(first))
        .contains("\nloligo_cluster_members 2.0\n", "\nloligo_cluster_configured 2.0\n")
        .contains("\nloligo_cluster_view_changes_total 1.0\n")
        .contains("\nloligo_cluster_dropped_messages_total 0.0\n")
        .contains("\nloligo_cluster_closed_connections_total 0.0\n");
    assertThat(page(first)).contains("\"dropped_messages\": 0", "\"closed_connections\": 0");
    ObjectName bean = new ObjectName("io.loligo:type=Cluster");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    assertThat(server.getAttribute(bean, "Name")).isEqualTo("web");
    assertThat(server.getAttribute(bean, "Configured")).isEqualTo(2);
    assertThat(server.getAttribute(bean, "DroppedMessages")).isEqualTo(0L);
    assertThat(server.getAttribute(bean, "ClosedConnections")).isEqualTo(0L);
    assertThat((String[]) server.getAttribute(bean, "Members")).hasSize(2);
  }

  private static String ageless(String json) {
    return json.replaceAll("\"configuration_age_s\": \\d+", "");
  }

  private static String metrics(ProxyUnderTest node) throws IOException {
    String head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + node.adminPort();
    try (RawClient client = RawClient.connect(node.adminPort())) {
      return client.send(head + "\r\nConnection: close\r\n\r\n").responseTo("GET").text();
    }
  }

  private static String status(String admin, int status, String... options) {
    StringWriter out = new StringWriter();
    String[] all = new String[options.length + 4];
    System.arraycopy(options, 0, all, 4, options.length);
    all[0] = "cluster";
    all[1] = "status";
    all[2] = "--admin";
    all[3] = admin;
    assertThat(Main.commandLine().setOut(new PrintWriter(out)).execute(all)).isEqualTo(status);
    return out.toString();
  }

  @Test
  void aNodeWithoutASharedCacheHasNothingToDrain() throws Exception {
    ProxyUnderTest node = node(0, members() + " mode=purge", "loligo_admin_secret s3cr3t-value");
    String head = "POST /cluster/drain HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n";
    try (RawClient client = RawClient.connect(node.adminPort())) {
      WireMessage reply =
          client.send(head + "Authorization: Bearer s3cr3t-value\r\n\r\n").responseTo("POST");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.text()).contains("owns nothing");
    }
    assertThat(page(node)).contains("\"draining\": false");
  }

  @Test
  void clientsDoNotReachItsPortsThroughTheProxy() throws Exception {
    ProxyUnderTest node = node(0, members() + " mode=purge");
    for (int port : List.of(ports.get(0), ports.get(0) + 1)) {
      String target = "127.0.0.1:" + port;
      try (RawClient client = RawClient.connect(node.port())) {
        String head = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
        assertThat(client.send(head).responseTo("GET").status()).isEqualTo(403);
      }
    }
  }

  @Test
  void aSuccessorIsTheNodeWhenItsPredecessorHasLeft() throws Exception {
    int admin = ProxyProcess.freePort();
    Path file =
        Files.writeString(
            dir.resolve("process.conf"),
            configuration(
                "loligo_cluster web listen=127.0.0.1:"
                    + ports.get(0)
                    + " "
                    + members()
                    + " mode=purge",
                "cache_dir rock " + dir.resolve("disk") + " 64",
                "pid_filename " + dir.resolve("loligo.pid"),
                "http_port 127.0.0.1:" + ProxyProcess.freePort(),
                "loligo_admin_port 127.0.0.1:" + admin));
    ProxyUnderTest other = node(1, members() + " mode=purge");
    ProxyProcess old =
        closing(ProxyProcess.loligo(dir, "run", "-f", file.toString())).awaitOutput(" ready\n");
    awaitMembers(other, 2, 2);
    String id = nodeOf(page(other), ports.get(0));
    closing(ProxyProcess.loligo(dir, "run", "--take-over", "-f", file.toString()))
        .awaitOutput(" ready\n");
    assertThat(old.awaitExit()).as(old.output()).isZero();
    Waiting.until("the successor", () -> page(admin).contains("\"members\": 2,"));
    awaitMembers(other, 2, 2);
    assertThat(nodeOf(page(other), ports.get(0))).as("the same node").isEqualTo(id);
  }

  private static String nodeOf(String page, int port) {
    return page.replaceAll(
        "(?s).*\"address\": \"127.0.0.1:" + port + "\"[^}]*\"node\": \"([0-9a-f-]+)\".*", "$1");
  }

  @Test
  void withoutALineThePageSaysSo() throws Exception {
    startProxy();
    assertThat(page(proxy)).isEqualTo("{\"cluster\": null}\n");
  }
}

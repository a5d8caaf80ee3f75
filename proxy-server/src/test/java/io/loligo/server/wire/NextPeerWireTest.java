package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.jmx.ParentsMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code loligo_next_peer_on} and {@code retry_on_error}: an artifact proxy in front of several
 * repositories.
 */
class NextPeerWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private final List<ScriptedOrigin> repositories = new ArrayList<>();

  /** Repository number i has the artifacts whose path begins with the digits up to its own. */
  @BeforeEach
  void startRepositories() throws IOException {
    for (int i = 0; i < 3; i++) {
      ScriptedOrigin repository = closing(ScriptedOrigin.start());
      repository.otherwise(
          call -> call.send(ScriptedOrigin.response("404 Not Found", "no", "X-Last: 1")));
      repository.onOk("/" + i + ".jar", "from " + i, FRESH);
      repositories.add(repository);
    }
  }

  private List<String> peers() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int port = repositories.get(i).port();
      lines.add("cache_peer 127.0.0.1 parent " + port + " 0 no-query originserver name=r" + i);
    }
    lines.add("never_direct allow all");
    return lines;
  }

  private void startWith(String... more) throws Exception {
    List<String> lines = peers();
    lines.addAll(List.of(more));
    startProxy(lines.toArray(new String[0]));
  }

  private WireMessage ask(String path, String... fields) throws IOException {
    return client().get("http://repo.example" + path, fields).response();
  }

  private List<Integer> asked() {
    return repositories.stream().map(one -> one.requests().size()).toList();
  }

  private static ParentsMXBean parents() throws Exception {
    return JMX.newMXBeanProxy(
        ManagementFactory.getPlatformMBeanServer(),
        new ObjectName("io.loligo", "type", "Parents"),
        ParentsMXBean.class);
  }

  private long traffic(String peer, String count) {
    try {
      return parents().getTraffic().get(peer).get(count);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void eachRepositoryShowsItsRequests() throws Exception {
    startWith("loligo_next_peer_on 404 all");
    for (int i = 0; i < 2; i++) {
      assertThat(ask("/1.jar").text()).isEqualTo("from 1");
    }
    awaitCount(() -> traffic("r1", "received_bytes") > 0 ? 1 : 0, 1);
    assertThat(List.of(traffic("r0", "requests"), traffic("r0", "responses")))
        .as("the second one is a hit")
        .containsExactly(1L, 1L);
    assertThat(traffic("r1", "requests")).isEqualTo(1);
    assertThat(traffic("r2", "requests")).isZero();
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      assertThat(admin.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text())
          .contains(
              "\nloligo_peer_requests_total{peer=\"r1\"} 1.0\n",
              "\nloligo_peer_requests_total{peer=\"r2\"} 0.0\n",
              "\nloligo_peer_up{peer=\"r2\"} 1.0\n");
    }
  }

  /** Bytes in both directions count when the tunnel has ended. */
  @Test
  void theBytesOfATunnelAreThoseOfItsParent() throws Exception {
    String reply = "HTTP/1.1 200 OK\r\n\r\n";
    repositories.get(0).otherwise(call -> call.send(reply + "0123456789"));
    int port = repositories.get(0).port();
    startProxy(
        "cache_peer 127.0.0.1 parent " + port + " 0 no-query name=far", "never_direct allow all");
    RawClient client = client().request("CONNECT", "site.example:443");
    client.responseHead();
    assertThat(client.read(10)).isEqualTo("0123456789");
    assertThat(traffic("far", "requests")).isEqualTo(1);
    long head = traffic("far", "sent_bytes");
    client.send("abc").close();
    awaitCount(() -> traffic("far", "sent_bytes"), head + 3);
    assertThat(traffic("far", "received_bytes")).isEqualTo(reply.length() + 10);
  }

  @Test
  void theRepositoryThatHasItAnswers() throws Exception {
    startWith("loligo_next_peer_on 404,500-599");
    for (int i = 0; i < 3; i++) {
      assertThat(ask("/" + i + ".jar").text()).isEqualTo("from " + i);
    }
    assertThat(asked()).containsExactly(3, 2, 1);
    assertHit(ask("/2.jar"));
    // connections are kept, although their responses were left
    assertThat(repositories.get(0).connections()).isEqualTo(1);
    assertThat(stopAndReadLog()).element(2).asString().contains("TCP_MISS/200", "ANY_OLD_PARENT");
  }

  @Test
  void theLastAnswerIsSent() throws Exception {
    startWith("loligo_next_peer_on 404");
    WireMessage answer = ask("/none");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.fields("X-Last")).containsExactly("1");
    assertThat(asked()).containsExactly(1, 1, 1);
  }

  @Test
  void otherStatusesMethodsAndRequestsStay() throws Exception {
    startWith("acl jars urlpath_regex [.]jar$", "loligo_next_peer_on 404 jars");
    repositories.get(0).on("/503.jar", call -> call.send(ScriptedOrigin.response("503 No", "x")));
    assertThat(ask("/503.jar").status()).isEqualTo(503);
    assertThat(ask("/1.txt").status()).isEqualTo(404);
    String post = "POST http://repo.example/1.jar HTTP/1.1\r\nHost: repo.example\r\n";
    assertThat(client().send(post + "Content-Length: 1\r\n\r\nx").response().status())
        .isEqualTo(404);
    RawClient client = client();
    client.request("DELETE", "http://repo.example/1.jar");
    assertThat(client.responseTo("DELETE").status()).isEqualTo(404);
    assertThat(asked()).containsExactly(4, 0, 0);
  }

  @Test
  void aHeadIsAskedOnToo() throws Exception {
    startWith("loligo_next_peer_on 404");
    RawClient client = client();
    client.request("HEAD", "http://repo.example/1.jar");
    assertThat(client.responseTo("HEAD").status()).isEqualTo(200);
    assertThat(asked()).containsExactly(1, 1, 0);
  }

  @Test
  void aLargeAnswerIsNotReadToItsEnd() throws Exception {
    startWith("loligo_next_peer_on 404");
    String large = "x".repeat(1 << 20);
    repositories
        .get(0)
        .on("/1.jar", call -> call.send(ScriptedOrigin.response("404 Not Found", large)));
    assertThat(ask("/1.jar").text()).isEqualTo("from 1");
    assertThat(ask("/0.jar").text()).isEqualTo("from 0");
    assertThat(repositories.get(0).connections()).isEqualTo(2);
  }

  @Test
  void aRepositoryThatBreaksOffIsLeft() throws Exception {
    startWith("loligo_next_peer_on 404");
    repositories
        .get(0)
        .on(
            "/1.jar",
            call -> {
              call.send("HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\nhalf");
              call.close();
            });
    assertThat(ask("/1.jar").text()).isEqualTo("from 1");
  }

  // ---- retry_on_error

  private void repositoryAnswers(int status) {
    repositories
        .get(0)
        .on("/1.jar", call -> call.send(ScriptedOrigin.response(status + " No", "no")));
  }

  @ParameterizedTest
  @ValueSource(ints = {502, 504})
  void theErrorOfAGatewayIsLeft(int status) throws Exception {
    startWith();
    repositoryAnswers(status);
    assertThat(ask("/1.jar").text()).isEqualTo("from 1");
    assertThat(asked()).containsExactly(1, 1, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 403, 500, 501, 503, 505})
  void otherErrorsAreNot(int status) throws Exception {
    startWith();
    repositoryAnswers(status);
    assertThat(ask("/1.jar").status()).isEqualTo(status);
    assertThat(asked()).containsExactly(1, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 500, 501, 502, 503, 504})
  void moreErrorsAreLeftIfAskedTo(int status) throws Exception {
    startWith("retry_on_error on");
    repositoryAnswers(status);
    assertThat(ask("/1.jar").text()).isEqualTo("from 1");
    assertThat(asked()).containsExactly(1, 1, 0);
  }

  @Test
  void anotherLineReplacesThem() throws Exception {
    startWith("retry_on_error on", "loligo_next_peer_on 404");
    repositoryAnswers(502);
    assertThat(ask("/1.jar").status()).isEqualTo(502);
    assertThat(asked()).containsExactly(1, 0, 0);
  }

  /** The status that the client gets, and who was asked. */
  private List<String> answers(int port) throws IOException {
    List<String> seen = new ArrayList<>();
    for (int status : new int[] {400, 403, 404, 500, 501, 502, 503, 504, 505}) {
      String path = "/" + port + ".jar?" + status;
      try (RawClient client = RawClient.connect(port)) {
        int got = client.get("http://repo.example" + path).response().status();
        List<Long> asked = repositories.stream().map(each -> each.fetches(path)).toList();
        seen.add(status + ": " + got + " " + asked);
      }
    }
    return seen;
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void squidLeavesTheSame(String value) throws Exception {
    for (ScriptedOrigin repository : repositories) {
      repository.otherwise(call -> call.ok("there", "Cache-Control: no-store"));
    }
    repositories.get(0).otherwise(this::sayStatus);
    startWith("retry_on_error " + value);
    List<String> ours = answers(proxy.port());
    List<String> lines = new ArrayList<>(peers());
    lines.add("retry_on_error " + value);
    lines.add("nonhierarchical_direct off\nhttp_access allow all");
    int port = ProxyProcess.freePort();
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), lines)) {
      squid.awaitPort(port);
      assertThat(ours).isEqualTo(answers(port));
    }
  }

  /** Answers with the status that the query of the request names. */
  private void sayStatus(ScriptedOrigin.Call call) throws IOException {
    Matcher query = Pattern.compile("[?]([0-9]+) ").matcher(call.head());
    String status = query.find() ? query.group(1) : "404";
    call.send(ScriptedOrigin.response(status + " No", "no", "Cache-Control: no-store"));
  }
}

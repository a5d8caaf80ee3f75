package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.config.TextSource;
import io.loligo.server.jmx.ParentsMXBean;
import io.loligo.server.tls.TestAuthority;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks of parents. The time between them is let pass. */
class PeerChecksWireTest extends WireTest {
  private static final String URL = "http://site.example/a";
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
  private static final String BROKEN = "HTTP/1.1 500 Broken\r\nContent-Length: 4\r\n\r\noops";

  private final HeldTime time = new HeldTime();
  private final AtomicReference<String> answer = new AtomicReference<>(OK);

  /** Two parents, of which the first is checked. */
  private void startChecking(String... options) throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    other.otherwise(call -> call.ok("other"));
    origin.otherwise(call -> call.ok("checked"));
    origin.on("/health", call -> call.send(answer.get()));
    startProxy(time, lines(other, options));
  }

  private String[] lines(ScriptedOrigin other, String... options) {
    return new String[] {
      "cache_peer 127.0.0.1 parent "
          + origin.port()
          + " 0 originserver name=checked monitorurl=/health monitorinterval=10 "
          + String.join(" ", options),
      "cache_peer 127.0.0.1 parent " + other.port() + " 0 originserver name=other",
      "cache deny all",
      "never_direct allow all"
    };
  }

  private String way() throws Exception {
    return client().get(URL).response().text();
  }

  private long metric(String name) throws Exception {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client
          .send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
          .response()
          .text()
          .lines()
          .filter(line -> line.startsWith(name + " "))
          .map(line -> line.substring(name.length() + 1))
          .mapToLong(value -> (long) Double.parseDouble(value))
          .findFirst()
          .orElseThrow();
    }
  }

  private long checks(String result) throws Exception {
    return metric("loligo_peer_checks_total{peer=\"checked\",result=\"" + result + "\"}");
  }

  /** Lets the time of an interval pass, and waits for the results of the check that follows. */
  private void checkAgain() throws Exception {
    long all = checks("good") + checks("bad");
    time.passTimeouts(11_300);
    awaitChecks(all + 1);
  }

  private void awaitChecks(long expected) {
    awaitCount(
        () -> {
          try {
            return checks("good") + checks("bad");
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        expected);
  }

  @Test
  @Tag("monitorurl")
  @Tag("monitorinterval")
  @Tag("monitorfailures")
  @Tag("monitorpasses")
  void aParentIsDownWhileItsChecksFail() throws Exception {
    startChecking("monitorfailures=2 monitorpasses=2 login=u:p");
    awaitChecks(1);
    assertThat(origin.lastRequest().startLine()).isEqualTo("GET /health HTTP/1.1");
    assertThat(origin.lastRequest().fields("Host")).containsExactly("127.0.0.1:" + origin.port());
    assertThat(origin.lastRequest().fields("Authorization")).containsExactly("Basic dTpw");
    List<String> ways = new ArrayList<>();
    for (String next : List.of(OK, BROKEN, OK, BROKEN, BROKEN, OK, BROKEN, OK, OK)) {
      answer.set(next);
      checkAgain();
      ways.add(way());
    }
    assertThat(ways)
        .containsExactly(
            "checked", "checked", "checked", "checked", "other", "other", "other", "other",
            "checked");
    assertThat(checks("bad")).isEqualTo(4);
    assertThat(metric("loligo_peer_up{peer=\"checked\"}")).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "monitorstatus=200, 200, 4, true",
    "monitorstatus=200, 204, 0, false",
    "monitorstatus=200-204, 204, 0, true",
    "'', 302, 4, false",
    "monitorsize=4, 200, 4, true",
    "monitorsize=5, 200, 4, false",
    "monitorsize=0-4, 200, 4, true",
    "monitorsize=0-3, 200, 4, false",
    "'', 200, 200000, true",
    "monitorsize=0-100000, 200, 200000, false",
  })
  @Tag("monitorstatus")
  @Tag("monitorsize")
  void aGoodResponseHasTheWantedStatusAndSize(String option, int status, int size, boolean good)
      throws Exception {
    String head = "HTTP/1.1 " + status + " X\r\nContent-Length: " + size + "\r\n\r\n";
    answer.set(status == 204 ? "HTTP/1.1 204 X\r\n\r\n" : head + "x".repeat(size));
    startChecking("monitorfailures=1 " + option);
    awaitChecks(1);
    assertThat(checks("good")).isEqualTo(good ? 1 : 0);
    assertThat(metric("loligo_peer_up{peer=\"checked\"}")).isEqualTo(good ? 1 : 0);
    assertThat(way()).isEqualTo(good ? "checked" : "other");
  }

  @Test
  @Tag("monitortimeout")
  void aCheckWithoutAnAnswerIsBad() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    startChecking("monitorfailures=1 monitortimeout=300");
    awaitChecks(1);
    origin.on(
        "/health",
        call -> {
          asked.countDown();
          assertThat(call.in().read()).isEqualTo(-1);
          closed.countDown();
          call.close();
        });
    while (asked.getCount() > 0) {
      time.passTimeouts(1_000);
    }
    assertThat(checks("bad")).isZero();
    time.passTimeouts(300_300);
    await(closed);
    assertThat(checks("bad")).isEqualTo(1);
    assertThat(way()).isEqualTo("other");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0",
    "sslproxy_cert_error allow ssl::certHasExpired, 0",
    "sslproxy_cert_error allow ssl::certUntrusted, 1",
  })
  void aFaultOfTheCertificateIsToleratedAsForRequests(String rule, long good) throws Exception {
    TestAuthority.Issued untrusted =
        TestAuthority.root("Other").issue(TestAuthority.server("127.0.0.1"));
    ScriptedOrigin secure = closing(ScriptedOrigin.startSecure(SecureServer.of(untrusted)));
    secure.otherwise(call -> call.ok("x"));
    startProxy(
        time,
        rule,
        "cache_peer 127.0.0.1 parent "
            + secure.port()
            + " 0 originserver tls tls-cafile="
            + TestAuthority.root("Trusted").write(dir, "root.pem")
            + " name=checked monitorurl=/");
    awaitChecks(1);
    assertThat(checks("good")).isEqualTo(good);
  }

  @Test
  void aProxyIsAskedForAUrlWithItsOwnLogin() throws Exception {
    origin.otherwise(call -> call.ok("x"));
    startProxy(
        time,
        "cache_peer 127.0.0.1 parent "
            + origin.port()
            + " 0 login=u:p name=checked monitorurl=http://far.example:81/x?y");
    awaitChecks(1);
    assertThat(origin.lastRequest().startLine())
        .isEqualTo("GET http://far.example:81/x?y HTTP/1.1");
    assertThat(origin.lastRequest().fields("Host")).containsExactly("far.example:81");
    assertThat(origin.lastRequest().fields("Proxy-Authorization")).containsExactly("Basic dTpw");
  }

  @Test
  void checksStopAndStateIsForgottenAfterAReloadWithoutThem() throws Exception {
    answer.set(BROKEN);
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    other.otherwise(call -> call.ok("other"));
    origin.otherwise(call -> call.ok("checked"));
    origin.on("/health", call -> call.send(answer.get()));
    String[] lines = lines(other, "monitorfailures=1");
    startProxy(time, lines);
    awaitChecks(1);
    assertThat(way()).isEqualTo("other");
    lines[0] = lines[0].replaceAll(" monitor\\S+", "");
    proxy.reload(configuration(lines));
    assertThat(way()).isEqualTo("checked");
    time.passTimeouts(30_000);
    awaitLoop();
    assertThat(origin.fetches("/health")).isEqualTo(1);
  }

  @Test
  @Tag("loligo-slow-start")
  void aParentThatIsUpAgainTakesFewTurnsAtFirst() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    other.otherwise(call -> call.ok("other"));
    origin.otherwise(call -> call.ok("checked"));
    origin.on("/health", call -> call.send(answer.get()));
    String[] lines = lines(other, "monitorfailures=1 monitorpasses=1");
    lines[0] += " round-robin loligo-slow-start=10000";
    lines[1] += " round-robin";
    startProxy(time, lines);
    awaitChecks(1);
    assertThat(turns()).isEqualTo(10);
    answer.set(BROKEN);
    checkAgain();
    assertThat(turns()).isZero();
    assertThat(parents().getUp()).containsEntry("checked", false).containsEntry("other", true);
    assertThat(parents().getLastCheck())
        .containsEntry("checked", "status 500")
        .containsEntry("other", "");
    answer.set(OK);
    checkAgain();
    assertThat(turns()).isEqualTo(1);
    assertThat(parents().getLastCheck()).containsEntry("checked", "good");
    assertThat(parents().getTurnPercent()).containsEntry("checked", 10).containsEntry("other", 100);
  }

  private static ParentsMXBean parents() throws Exception {
    return JMX.newMXBeanProxy(
        ManagementFactory.getPlatformMBeanServer(),
        new ObjectName("io.loligo", "type", "Parents"),
        ParentsMXBean.class);
  }

  /** How many of 20 requests the checked parent gets. */
  private int turns() throws Exception {
    int turns = 0;
    for (int i = 0; i < 20; i++) {
      turns += way().equals("checked") ? 1 : 0;
    }
    return turns;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loligo-slow-start=5",
        "monitorurl=/health",
        "monitorurl=https://x/",
        "originserver monitorurl=health",
        "monitorinterval=5",
        "originserver monitorurl=/ monitorinterval=0",
        "originserver monitorurl=/ monitortimeout=x",
        "originserver monitorurl=/ monitorsize=5-4",
        "originserver monitorurl=/ monitorsize=2000000",
        "originserver monitorurl=/ monitorstatus=700",
        "originserver monitorurl=/ monitorpasses=0",
      })
  void invalidOptionsStopTheStart(String options) {
    String line = "cache_peer a parent 80 0 " + options;
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).hasSize(1);
  }
}

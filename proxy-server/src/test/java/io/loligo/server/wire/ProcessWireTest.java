package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.MetricsExport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line and the process's signals, on this build's classes. */
class ProcessWireTest extends WireTest {

  private Path write(String text) throws IOException {
    return Files.writeString(dir.resolve("loligo.conf"), text);
  }

  private ProxyProcess run(String text) throws IOException {
    return closing(ProxyProcess.loligo(dir, "run", "-f", write(text).toString()));
  }

  private String conf(int port, String... lines) {
    return "http_port 127.0.0.1:"
        + port
        + "\n"
        + configuration(lines).replaceFirst("http_port.*\n", "");
  }

  @Test
  void runsTheFiveLineConfigurationUnchanged() throws Exception {
    int port = ProxyProcess.freePort();
    // the port alone is not the stranger's: 8080 may be in use here
    ProxyProcess process =
        run(
            "cache_log /var/log/squid/no-such-directory/cache.log\n"
                + "http_access allow all\n"
                + "http_port "
                + port
                + "\n"
                + "cache_effective_user squid\n"
                + "read_ahead_gap 64 KB\n"
                + "loligo_admin_port 127.0.0.1:0\n");
    process.awaitPort(port);
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    for (int i = 0; i < 2; i++) {
      try (RawClient client = RawClient.connect(port)) {
        assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("hello");
      }
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output())
        .containsPattern("loligo\\.conf:4\\b[^\\n]*cache_effective_user")
        .contains(Integer.toString(port));
  }

  @Test
  void reportsEveryProblemAndDoesNotStart() throws Exception {
    ProxyProcess process =
        run(
            """
            http_port 127.0.0.1:0
            no_such_directive on
            via maybe
            cache_mem 64MB
            http_access allow nobody_defined
            """);
    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.output())
        .containsPattern("loligo\\.conf:2\\b[^\\n]*no_such_directive")
        .containsPattern("loligo\\.conf:3\\b[^\\n]*maybe")
        .containsPattern("loligo\\.conf:4\\b[^\\n]*64MB")
        .containsPattern("loligo\\.conf:5\\b[^\\n]*nobody_defined");
  }

  @Test
  void failsClosedOnARestrictionWithoutEffect() throws Exception {
    ProxyProcess process =
        run(
            """
            http_port 127.0.0.1:0
            acl users proxy_auth REQUIRED
            http_access allow users
            acl listed dstdomain "/no/such/file"
            """);
    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.output())
        .containsPattern("loligo\\.conf:2\\b[^\\n]*proxy_auth")
        .containsPattern("loligo\\.conf:4\\b[^\\n]*/no/such/file");
  }

  @Test
  void refusesMemoryThatCannotFit() throws Exception {
    ProxyProcess process = run(conf(0, "cache_mem 2 GB"));
    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.output()).contains("-XX:MaxDirectMemorySize=");
  }

  @Test
  void refusesACacheDirThatCannotBeHad() throws Exception {
    Path file = Files.writeString(dir.resolve("file"), "x");
    ProxyProcess process = run(conf(0, "cache_dir rock " + file + " 100"));
    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.output())
        .containsPattern(
            "not started: [^\\n]*loligo\\.conf:\\d+: cache_dir [^\\n]*/file: is not a directory");
  }

  @Test
  void refusesJmxOverTheNetworkWithoutTlsAndLogin() throws Exception {
    ProxyProcess process =
        closing(
            ProxyProcess.loligo(
                dir,
                List.of(
                    "-Dcom.sun.management.jmxremote.port=" + ProxyProcess.freePort(),
                    "-Dcom.sun.management.jmxremote.ssl=false",
                    "-Dcom.sun.management.jmxremote.authenticate=false"),
                "run",
                "-f",
                write(conf(0)).toString()));
    assertThat(process.awaitExit()).isEqualTo(1);
    assertThat(process.output())
        .contains("neither TLS nor login", "-Dcom.sun.management.jmxremote.host=127.0.0.1");
  }

  @SuppressWarnings("BanJNDI") // the process is ours
  @Test
  void showsItsMetricsInJmx() throws Exception {
    int jmx = ProxyProcess.freePort();
    ProxyProcess process =
        closing(
                ProxyProcess.loligo(
                    dir,
                    List.of(
                        "-Dcom.sun.management.jmxremote.port=" + jmx,
                        "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                        "-Djava.rmi.server.hostname=127.0.0.1",
                        "-Dcom.sun.management.jmxremote.ssl=false",
                        "-Dcom.sun.management.jmxremote.authenticate=false"),
                    "run",
                    "-f",
                    write(conf(0)).toString()))
            .awaitOutput("Daemon: ready");
    JMXServiceURL url =
        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmx + "/jmxrmi");
    try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
      ObjectName names = new ObjectName(MetricsExport.JMX_DOMAIN + ":name=loligoExchanges*miss,*");
      assertThat(connector.getMBeanServerConnection().queryNames(names, null)).hasSize(1);
    }
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContainPattern("WARN ++(?!Daemon:)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HUP", "USR1"})
  void reopensTheLogOnSignal(String signal) throws Exception {
    int port = ProxyProcess.freePort();
    ProxyProcess process = run(conf(port)).awaitPort(port).awaitOutput("Daemon: ready");
    assertThat(process.output()).as("a word of signals that it hears").doesNotContain("SIGHUP");
    origin.onOk("/a", "x");
    Path log = dir.resolve("access.log");
    Path moved = dir.resolve("access.log.moved");
    try (RawClient client = RawClient.connect(port)) {
      // the line of the first is on its way when the second is answered
      client.get(origin.url("/a")).response();
      client.get(origin.url("/a")).response();
    }
    Files.move(log, moved);
    process.signal(signal);
    long deadline = System.nanoTime() + RawClient.GUARD_MILLIS * 1_000_000L;
    while (!Files.exists(log) && System.nanoTime() - deadline < 0) {
      fetch(port, "/a");
    }
    fetch(port, "/a");
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    List<String> before = Files.readAllLines(moved);
    List<String> after = Files.readAllLines(log);
    assertThat(before).isNotEmpty();
    assertThat(after).isNotEmpty();
    assertThat(before.size() + after.size()).isEqualTo((int) origin.fetches("/a"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"loligo_admin_port 127.0.0.1:0", "loligo_admin_port off"})
  void saysThatItDoesNotHearAnInheritedHangup(String admin) throws Exception {
    int port = ProxyProcess.freePort();
    Path conf = write(conf(port, admin));
    ProxyProcess deaf =
        closing(ProxyProcess.ignoring("HUP", dir, "run", "-f", conf.toString())).awaitPort(port);
    deaf.awaitOutput("WARN .*SIGHUP is ignored: .* \\(nohup\\).*SIGUSR1 reopens the logs");
    boolean off = admin.endsWith("off");
    deaf.awaitOutput(
        off ? "reload by JMX" : "reload by POST /reload of 127\\.0\\.0\\.1:[0-9]+ or JMX");
    deaf.awaitOutput("Daemon: ready");
    deaf.signal("HUP");
    fetchOnce(port);
    deaf.signal("TERM");
    assertThat(deaf.awaitExit()).as(deaf.output()).isZero();
    assertThat(deaf.output()).doesNotContain("signalled: reloading");
  }

  private void fetchOnce(int port) throws IOException {
    origin.onOk("/a", "x");
    fetch(port, "/a");
  }

  private void fetch(int port, String path) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      assertThat(client.get(origin.url(path)).response().status()).isEqualTo(200);
    }
  }

  @Test
  void answersRequestsUnderWayWhenToldToStop() throws Exception {
    int port = ProxyProcess.freePort();
    ProxyProcess process = run(conf(port, "shutdown_lifetime 20 seconds")).awaitPort(port);
    java.util.concurrent.CountDownLatch release = new java.util.concurrent.CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(release);
          call.send("done");
        });
    RawClient client = closing(RawClient.connect(port)).get(origin.url("/slow"));
    client.readContent(client.responseHead(), 4);
    process.signal("TERM");
    release.countDown();
    assertThat(client.read(4)).isEqualTo("done");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(Files.readAllLines(dir.resolve("access.log"))).hasSize(1);
  }

  @Test
  void warnsOfRootAndSaysWhichPortIsTaken() throws Exception {
    // the warning comes before the unavailable port
    ProxyProcess process = run(conf(origin.port()));
    assertThat(process.awaitExit()).isNotZero();
    assertThat(process.output()).contains(Integer.toString(origin.port()));
    boolean root = (int) Files.getAttribute(dir, "unix:uid") == 0;
    assertThat(process.output().contains("running as root")).isEqualTo(root);
  }

  @Test
  void survivesASuspension() throws Exception {
    int port = ProxyProcess.freePort();
    ProxyProcess process =
        run(conf(port, "client_idle_pconn_timeout 4 seconds", "read_timeout 4 seconds"))
            .awaitPort(port);
    java.util.concurrent.CountDownLatch release = new java.util.concurrent.CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          await(release);
          call.ok("in time");
        });
    origin.onOk("/a", "x");
    RawClient idle = closing(RawClient.connect(port));
    idle.get(origin.url("/a")).response();
    RawClient waiting = closing(RawClient.connect(port)).get(origin.url("/slow"));
    origin.awaitRequest("/slow");
    process.signal("STOP");
    // the wait is for the suspension itself: longer than both timeouts
    assertThat(process.process().waitFor(5, java.util.concurrent.TimeUnit.SECONDS)).isFalse();
    process.signal("CONT");
    release.countDown();
    assertThat(waiting.response().text()).isEqualTo("in time");
    assertThat(idle.get(origin.url("/a")).response().status()).isEqualTo(200);
  }

  @Test
  void checksAFileWithoutStarting() throws Exception {
    Path file = write("http_port 127.0.0.1:0\nhttp_access allow all\n");
    ProxyProcess check = closing(ProxyProcess.loligo(dir, "check", file.toString()));
    assertThat(check.awaitExit()).as(check.output()).isZero();
  }

  @Test
  void endsWhenALogLosesALineThatMustNotBeLost() throws Exception {
    Path full = Path.of("/dev/full");
    Assumptions.assumeTrue(Files.exists(full));
    int port = ProxyProcess.freePort();
    ProxyProcess process =
        run(conf(port, "access_log stdio:" + full + " on-error=die")).awaitPort(port);
    origin.onOk("/a", "x");
    try (RawClient client = RawClient.connect(port)) {
      client.get(origin.url("/a"));
      assertThat(process.awaitExit()).isEqualTo(75);
    }
    assertThat(process.output()).contains("on-error=die has lost a line");
  }
}

package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.loligo.server.Waiting;
import io.loligo.server.jfr.FlightEvents;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.record.Stage;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import jdk.jfr.Recording;
import jdk.jfr.Timespan;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** Events of Java Flight Recorder. */
class FlightRecorderWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final Duration ZERO = Duration.ZERO;

  private Recording recording;
  private String recorded;

  /** Records every event of this name. */
  private void record(String name) {
    record(name, ZERO);
  }

  private void record(String name, Duration threshold) {
    recorded = name;
    recording = closing(new Recording());
    recording.enable(name).withThreshold(threshold);
    recording.start();
  }

  /** The events of that name after the end of the proxy, in their order. */
  private List<RecordedEvent> events() throws IOException {
    proxy.close();
    recording.stop();
    Path file = dir.resolve("events.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(recorded))
        .sorted((one, other) -> one.getEndTime().compareTo(other.getEndTime()))
        .toList();
  }

  private static String category(RecordedEvent event) {
    return String.join("/", event.getEventType().getCategoryNames());
  }

  // ---- exchanges

  @Test
  void anExchangeIsAnEventWithTheFactsOfItsRecord() throws Exception {
    startProxy();
    origin.onOk("/page?secret=1", "0123456789", FRESH);
    record("loligo.Exchange");
    assertThat(get("/page?secret=1").status()).isEqualTo(200);
    assertHit(get("/page?secret=1"));
    List<RecordedEvent> events = events();
    assertThat(events).hasSize(2);
    RecordedEvent miss = events.get(0);
    assertThat(category(miss)).isEqualTo("Loligo");
    assertThat(miss.getString("requestId")).matches("[0-9a-f]{16}-[0-9a-f]+");
    assertThat(miss.getString("client")).isEqualTo("127.0.0.1");
    assertThat(miss.getString("method")).isEqualTo("GET");
    assertThat(miss.getString("url")).isEqualTo(origin.url("/page"));
    assertThat(miss.getInt("status")).isEqualTo(200);
    assertThat(miss.getString("hitClass")).isEqualTo("miss");
    assertThat(miss.getString("result")).isEqualTo("TCP_MISS");
    assertThat(miss.getString("decision")).isEqualTo("fetch uri_miss");
    assertThat(miss.getString("protocol")).isEqualTo("1.1");
    assertThat(miss.getString("nextHop")).isEqualTo("127.0.0.1:" + origin.port());
    assertThat(miss.getString("error")).isNull();
    assertThat(miss.getLong("clientSent")).isGreaterThan(10);
    assertThat(miss.getLong("hopReceived")).isGreaterThan(10);
    assertThat(miss.getThread().getJavaName()).startsWith("loligo-loop");
    Duration first = miss.getDuration("serverFirstByte");
    assertThat(first).isPositive().isLessThanOrEqualTo(miss.getDuration());
    RecordedEvent hit = events.get(1);
    assertThat(hit.getString("hitClass")).isEqualTo("memory_hit");
    assertThat(hit.getString("nextHop")).isNull();
    assertThat(hit.getLong("hopReceived")).isZero();
    assertThat(hit.getLong("serverFirstByte")).as("it did not occur").isEqualTo(Long.MIN_VALUE);
  }

  /** The total is the duration of the event. */
  @Test
  void anExchangeHasEachStage() throws Exception {
    startProxy();
    origin.onOk("/ask", "content", FRESH);
    record("loligo.Exchange");
    try (RawClient client = client()) {
      String head = "QUERY " + origin.url("/ask") + " HTTP/1.1\r\nHost: h\r\n";
      client.send(head + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n");
      awaitLoop();
      assertThat(client.send("ab").responseTo("QUERY").status()).isEqualTo(200);
    }
    RecordedEvent event =
        events().stream().filter(one -> one.getString("method").equals("QUERY")).findAny().get();
    long spans =
        event.getFields().stream()
            .filter(field -> field.getAnnotation(Timespan.class) != null)
            .filter(field -> !field.getName().equals("duration"))
            .count();
    assertThat(spans).isEqualTo(Stage.values().length - 1);
    for (String stage : List.of("clientConnect", "requestContent", "serverLastByte")) {
      assertThat(event.getDuration(stage)).as(stage).isPositive();
    }
    assertThat(event.getLong("diskRest")).as("it did not occur").isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void aShortExchangeIsBelowTheThreshold() throws Exception {
    startProxy();
    origin.onOk("/page", "content");
    record("loligo.Exchange", Duration.ofHours(1));
    get("/page");
    assertThat(events()).isEmpty();
  }

  @Test
  void nothingIsAllocatedWithoutARecordingOfTheEvent() {
    for (int round = 0; round < 2; round++) {
      assertThat(allocated()).as("bytes in round %d", round).isZero();
      // from now on, the classes of the events are those that the recorder has changed
      record("loligo.Exchange");
      assertThat(FlightEvents.exchange()).isNotNull();
      assertThat(FlightEvents.helperCall()).as("it is on by default").isNotNull();
      recording.stop();
      assertThat(FlightEvents.exchange()).isNull();
    }
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    Object begun = null;
    begun = FlightEvents.exchange(); // loads everything
    begun = FlightEvents.helperCall();
    begun = FlightEvents.tlsHandshake();
    threads.getThreadAllocatedBytes(self);
    long before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < 1000; i++) {
      begun = FlightEvents.exchange();
      begun = FlightEvents.helperCall();
      begun = FlightEvents.tlsHandshake();
    }
    long bytes = threads.getThreadAllocatedBytes(self) - before;
    assertThat(begun).isNull();
    return bytes;
  }

  // ---- disks

  @Test
  void writesAndReadsOfACacheDirAreEvents() throws Exception {
    Path cache = dir.resolve("cache");
    String disk = "cache_dir rock " + cache + " 64";
    String content = "0123456789".repeat(80_000);
    origin.onOk("/large", content, FRESH);
    record("loligo.DiskOperation");
    startProxy(disk);
    proxy.diskOpened().join();
    get("/large");
    List<RecordedEvent> writes = operations("write");
    assertThat(writes).isNotEmpty();
    assertThat(writes.stream().mapToLong(event -> event.getLong("size")).sum())
        .isGreaterThan(content.length());
    assertThat(category(writes.get(0))).isEqualTo("Loligo");
    assertThat(writes.get(0).getString("file")).startsWith(cache.toString());
    record("loligo.DiskOperation");
    startProxy(disk);
    proxy.diskOpened().join();
    assertThat(get("/large").text()).isEqualTo(content);
    List<RecordedEvent> reads = operations("read", "cached");
    assertThat(reads.stream().mapToLong(event -> event.getLong("size")).sum())
        .isGreaterThan(content.length());
    assertThat(reads).allMatch(event -> event.getString("failure") == null);
  }

  private List<RecordedEvent> operations(String... names) throws IOException {
    return events().stream()
        .filter(event -> List.of(names).contains(event.getString("operation")))
        .toList();
  }

  // ---- TLS

  @Test
  void handshakesWithClientsAndServersAreEvents() throws Exception {
    ScriptedOrigin secure =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server("www.example.com", "127.0.0.1")))));
    Path certificate = ROOT.issue(TestAuthority.server("www.example.com")).write(dir, "www.pem");
    startProxy(
        "https_port 127.0.0.1:0 tls-cert=" + certificate,
        "tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"));
    secure.onOk("/page", "content", FRESH);
    record("loligo.TlsHandshake");
    try (RawClient client =
        TlsClient.trusting(ROOT)
            .name("www.example.com")
            .versions("TLSv1.3")
            .connect(proxy.port(1))) {
      String url = "https://127.0.0.1:" + secure.port() + "/page";
      assertThat(client.get(url).response().text()).isEqualTo("content");
    }
    TlsClient stranger = TlsClient.trusting(TestAuthority.root("Other")).name("www.example.com");
    assertThatThrownBy(() -> stranger.versions("TLSv1.2").socket(proxy.port(1)))
        .isInstanceOf(SSLException.class);
    List<RecordedEvent> events = events();
    assertThat(events).hasSize(3);
    RecordedEvent client = events.get(0);
    assertThat(category(client)).isEqualTo("Loligo");
    assertThat(client.getString("side")).isEqualTo("client");
    assertThat(client.getString("peer")).startsWith("127.0.0.1:");
    assertThat(client.getString("serverName")).isEqualTo("www.example.com");
    assertThat(client.getString("version")).isEqualTo("TLSv1.3");
    assertThat(client.getString("cipherSuite")).startsWith("TLS_");
    assertThat(client.getString("failure")).isNull();
    RecordedEvent server = events.get(1);
    assertThat(server.getString("side")).isEqualTo("server");
    assertThat(server.getString("peer")).isEqualTo("127.0.0.1:" + secure.port());
    assertThat(server.getString("version")).isEqualTo("TLSv1.3");
    RecordedEvent failed = events.get(2);
    assertThat(failed.getString("side")).isEqualTo("client");
    assertThat(failed.getString("failure")).isNotEmpty();
    assertThat(failed.getString("version")).isNull();
  }

  // ---- helpers

  @Test
  void aCallOfAHelperIsAnEventWithoutItsText() throws Exception {
    HelperScript helper = HelperScript.write(dir, "rewriter", false, "*/a*) echo OK ;;");
    startProxy("url_rewrite_program " + helper.path(), "url_rewrite_children 1");
    origin.onOk("/a", "content", FRESH);
    record("loligo.HelperCall");
    assertThat(get("/a").text()).isEqualTo("content");
    String question = helper.asked().get(0);
    List<RecordedEvent> events = events();
    assertThat(events).hasSize(1);
    RecordedEvent call = events.get(0);
    assertThat(category(call)).isEqualTo("Loligo");
    assertThat(call.getString("helper")).isEqualTo("url_rewrite_program");
    assertThat(call.getString("result")).isEqualTo("OK");
    assertThat(call.getLong("questionSize")).isEqualTo(question.length());
    assertThat(call.getDuration("queueTime")).isLessThanOrEqualTo(call.getDuration());
    assertThat(call.getDuration()).isPositive();
    assertThat(call.getInt("repeats")).isZero();
    assertThat(call.toString()).doesNotContain("/a ");
  }

  @Test
  void aCallWhoseClientLeavesIsCancelled() throws Exception {
    HelperScript helper = HelperScript.write(dir, "rewriter", false, "*/hang*) read -r more ;;");
    startProxy("url_rewrite_program " + helper.path(), "url_rewrite_children 1");
    record("loligo.HelperCall");
    RawClient client = client();
    client.get(origin.url("/hang"));
    Waiting.until("the helper is asked", () -> helper.asked().size() == 1);
    client.close();
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
    assertThat(events()).extracting(call -> call.getString("result")).containsExactly("CANCELLED");
  }

  // ---- without the module

  @Test
  void aRuntimeWithoutTheModuleOfTheRecorderServes() throws Exception {
    String modules =
        ModuleLayer.boot().modules().stream()
            .map(Module::getName)
            .filter(name -> !name.equals("jdk.jfr") && !name.equals("jdk.management.jfr"))
            .collect(Collectors.toCollection(TreeSet::new))
            .stream()
            .collect(Collectors.joining(","));
    int port = ProxyProcess.freePort();
    String lines =
        configuration("cache_dir rock " + dir.resolve("cache") + " 64")
            .replaceFirst("http_port.*\n", "http_port 127.0.0.1:" + port + "\n");
    Path file = Files.writeString(dir.resolve("loligo.conf"), lines);
    ProxyProcess process =
        closing(
            ProxyProcess.loligo(
                dir,
                List.of("--limit-modules=" + modules, "-XX:+BytecodeVerificationRemote"),
                "run",
                "-f",
                file.toString()));
    process.awaitPort(port);
    origin.onOk("/a", "hello", FRESH);
    try (RawClient client = RawClient.connect(port)) {
      assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("hello");
      assertHit(client.get(origin.url("/a")).response());
    }
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContain("NoClassDefFoundError");
  }
}

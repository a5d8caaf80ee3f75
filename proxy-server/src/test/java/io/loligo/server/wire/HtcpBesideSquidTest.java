package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.nio.file.Files;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTCP with a real Squid as neighbour. Skipped, visibly, if Squid is absent. */
class HtcpBesideSquidTest extends WireTest {
  private int htcpPort;
  private int squidPort;

  private void startProxy() throws Exception {
    htcpPort = HtcpClient.freePort();
    startProxy(
        "htcp_port " + htcpPort,
        "udp_incoming_address 127.0.0.1",
        "htcp_access allow all",
        "htcp_clr_access allow all");
  }

  private ProxyProcess startSquid(String... lines) throws Exception {
    squidPort = ProxyProcess.freePort();
    List<String> all = new ArrayList<>();
    all.add("http_access allow all");
    all.add("icp_port 0");
    all.add("icp_query_timeout 5000"); // else a cold virtual machine answers too late
    all.add("udp_incoming_address 127.0.0.1");
    all.add("htcp_port " + HtcpClient.freePort());
    // else Squid asks nobody, once it knows that the origin is near
    all.add("minimum_direct_rtt 0");
    all.add("minimum_direct_hops 0");
    all.addAll(List.of(lines));
    ProxyProcess squid =
        closing(SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + squidPort), all));
    return squid.awaitPort(squidPort);
  }

  private WireMessage viaSquid(String method, String path) throws Exception {
    try (RawClient client = RawClient.connect(squidPort)) {
      return client.request(method, origin.url(path)).responseTo(method);
    }
  }

  /** A stored response that Squid got from here: it knows its neighbour only after a moment. */
  private String pathThatSquidFindsHere() throws Exception {
    AtomicInteger number = new AtomicInteger();
    Waiting.until(
        "Squid asks its neighbour",
        () -> {
          String path = "/here" + number.incrementAndGet();
          origin.onOk(path, "content", "Cache-Control: max-age=1000");
          get(path);
          int asked = origin.requests().size();
          assertThat(viaSquid("GET", path).text()).isEqualTo("content");
          return origin.requests().size() == asked;
        });
    return "/here" + number.get();
  }

  private String squidLog() throws Exception {
    return Files.readString(dir.resolve("squid").resolve("access.log"), ISO_8859_1);
  }

  @Test
  void squidFindsOurResponsesByTst() throws Exception {
    startProxy();
    startSquid(
        "cache_peer 127.0.0.1 sibling "
            + proxy.port()
            + " "
            + htcpPort
            + " htcp no-digest no-netdb-exchange name=loligo");
    String here = pathThatSquidFindsHere();
    origin.onOk("/nowhere", "content", "Cache-Control: max-age=1000");
    assertThat(viaSquid("GET", "/nowhere").text()).isEqualTo("content");
    Waiting.until("logged", () -> squidLog().contains(here + " - SIBLING_HIT/127.0.0.1"));
    Waiting.until("logged", () -> squidLog().contains("/nowhere - HIER_DIRECT/127.0.0.1"));
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.contains("UDP_HIT/000 0 HTCP_TST " + origin.url(here)))
        .anyMatch(line -> line.contains("UDP_MISS/000 0 HTCP_TST " + origin.url("/nowhere")));
  }

  private void startBoth() throws Exception {
    startBoth("htcp");
  }

  private void startBoth(String option) throws Exception {
    int squidHtcp = HtcpClient.freePort();
    squidPort = ProxyProcess.freePort();
    List<String> lines =
        List.of(
            "acl purge method PURGE",
            "http_access allow all",
            "icp_port 0",
            "udp_incoming_address 127.0.0.1",
            "htcp_port " + squidHtcp,
            "htcp_access allow all",
            "htcp_clr_access allow all");
    closing(SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + squidPort), lines))
        .awaitPort(squidPort);
    startProxy(
        "acl purge method PURGE",
        "htcp_port " + HtcpClient.freePort(),
        "udp_incoming_address 127.0.0.1",
        "icp_query_timeout 5000",
        "cache_peer 127.0.0.1 sibling " + squidPort + " " + squidHtcp + " no-digest " + option);
  }

  @Test
  void weFindSquidsResponsesByTst() throws Exception {
    startBoth();
    AtomicInteger number = new AtomicInteger();
    Waiting.until(
        "the peer's address is known",
        () -> {
          String path = "/here" + number.incrementAndGet();
          // without Date, Squid takes it as stale
          ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
          String date = "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(now);
          origin.onOk(path, "content", "Cache-Control: max-age=100000", date);
          viaSquid("GET", path);
          int asked = origin.requests().size();
          assertThat(get(path).text()).isEqualTo("content");
          return origin.requests().size() == asked;
        });
    String here = "/here" + number.get();
    origin.onOk("/nowhere", "content", "Cache-Control: max-age=1000000");
    assertThat(get("/nowhere").text()).isEqualTo("content");
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.contains(here + " - SIBLING_HIT/127.0.0.1"))
        .anyMatch(line -> line.contains("/nowhere - HIER_DIRECT/127.0.0.1"));
  }

  @ParameterizedTest
  @CsvSource({"htcp, PURGE", "htcp=oldsquid, PURGE", "htcp, DELETE"})
  void aRemovalHereRemovesSquidsResponse(String option, String method) throws Exception {
    startBoth(option);
    origin.onOk("/here", "content", "Cache-Control: max-age=1000000");
    viaSquid("GET", "/here");
    get("/here");
    exchange(method, "/here");
    Waiting.until(
        "Squid has removed it",
        () -> {
          try (RawClient client = RawClient.connect(squidPort)) {
            String only = "Cache-Control: only-if-cached";
            return client.get(origin.url("/here"), only).response().status() == 504;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"PURGE", "DELETE"})
  void aRemovalAtSquidRemovesOurResponse(String method) throws Exception {
    startProxy();
    startSquid(
        "acl purge method PURGE",
        "cache_peer 127.0.0.1 sibling "
            + proxy.port()
            + " "
            + htcpPort
            + " htcp no-digest no-netdb-exchange name=loligo");
    String here = pathThatSquidFindsHere();
    assertHit(get(here));
    assertThat(viaSquid(method, here).status()).isEqualTo(200);
    HtcpClient friend = closing(new HtcpClient("127.0.0.1", htcpPort));
    Waiting.until("removed", () -> friend.ask(HtcpClient.TST, origin.url(here)).startsWith("11"));
    assertThat(stopAndReadLog()).anyMatch(line -> line.contains("UDP_HIT/000 0 HTCP_CLR"));
  }
}

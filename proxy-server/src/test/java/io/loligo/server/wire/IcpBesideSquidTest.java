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

/**
 * ICP with a real Squid as sibling and as parent, in both directions. Squid ignores datagrams of
 * its own address, so that it has another one. Skipped, visibly, if Squid is absent.
 */
class IcpBesideSquidTest extends WireTest {
  private int ownIcp;
  private int squidIcp;
  private int squidPort;

  private void startWith(String kind, String options, String... more) throws Exception {
    ownIcp = IcpNeighbour.freePort();
    squidIcp = IcpNeighbour.freePort();
    squidPort = ProxyProcess.freePort();
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("icp_port " + ownIcp);
    lines.add("udp_incoming_address 127.0.0.1");
    lines.add("icp_access allow all");
    lines.add("icp_query_timeout 5000"); // a cold virtual machine answers late
    lines.add(
        "cache_peer 127.0.0.2 "
            + kind
            + " "
            + squidPort
            + " "
            + squidIcp
            + " name=squid "
            + options);
    startProxy(lines.toArray(String[]::new));
  }

  private void startSquid(String... lines) throws Exception {
    List<String> all = new ArrayList<>();
    all.addAll(List.of(lines));
    all.add("http_access allow all");
    all.add("icp_port " + squidIcp);
    all.add("icp_access allow all");
    all.add("udp_incoming_address 127.0.0.2");
    all.add("icp_query_timeout 5000");
    // else Squid asks nobody, once it knows that the origin is near
    all.add("minimum_direct_rtt 0");
    all.add("minimum_direct_hops 0");
    closing(
            SquidProcess.start(
                dir,
                List.of("http_port 127.0.0.1:" + squidPort, "http_port 127.0.0.2:" + squidPort),
                all))
        .awaitPort(squidPort);
  }

  /** A response that Squid takes for fresh; for that it wants a Date. */
  private void serve(String path) {
    String now = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
    origin.onOk(path, "content", "Date: " + now, "Cache-Control: max-age=1000");
  }

  private WireMessage viaSquid(String path) throws Exception {
    try (RawClient client = RawClient.connect(squidPort)) {
      return client.get(origin.url(path)).response();
    }
  }

  /** Waits until Squid has written a line with {@code text}. */
  private void awaitSquidLog(String text) throws Exception {
    Waiting.until(text, () -> squidLog().stream().anyMatch(line -> line.matches(text)));
  }

  private List<String> squidLog() throws Exception {
    return Files.readAllLines(dir.resolve("squid").resolve("access.log"), ISO_8859_1);
  }

  /** A path that the other one stores, and that comes from there after a moment. */
  private String pathFound(boolean ofSquid) throws Exception {
    AtomicInteger number = new AtomicInteger();
    Waiting.until(
        "the neighbour is asked",
        () -> {
          String path = "/here" + number.incrementAndGet();
          serve(path);
          WireMessage stored = ofSquid ? viaSquid(path) : get(path);
          assertThat(stored.text()).isEqualTo("content");
          long asked = origin.fetches(path);
          WireMessage found = ofSquid ? get(path) : viaSquid(path);
          assertThat(found.text()).isEqualTo("content");
          return origin.fetches(path) == asked;
        });
    return "/here" + number.get();
  }

  @ParameterizedTest
  @CsvSource({"sibling, SIBLING_HIT, HIER_DIRECT", "parent, PARENT_HIT, FIRST_PARENT_MISS"})
  void ourRequestsFindSquidsResponses(String kind, String hit, String miss) throws Exception {
    startWith(kind, "");
    startSquid();
    String here = pathFound(true);
    serve("/nowhere");
    assertThat(get("/nowhere").text()).isEqualTo("content");
    awaitSquidLog(".* UDP_HIT/000 .*" + here + " .*");
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.contains(here + " ") && line.contains(" " + hit + "/127.0.0.2"))
        .anyMatch(line -> line.contains("/nowhere ") && line.contains(" " + miss + "/127.0.0."));
  }

  @ParameterizedTest
  @CsvSource({
    "sibling, SIBLING_HIT, HIER_DIRECT",
    // Squid 5.7 writes PARENT_HIT after this miss, too
    "parent, PARENT_HIT, FIRST_PARENT_MISS|PARENT_HIT"
  })
  void squidsRequestsFindOurs(String kind, String hit, String miss) throws Exception {
    startWith("sibling", "no-query");
    startSquid(
        "cache_peer 127.0.0.1 "
            + kind
            + " "
            + proxy.port()
            + " "
            + ownIcp
            + " no-digest no-netdb-exchange name=loligo");
    String here = pathFound(false);
    serve("/nowhere");
    assertThat(viaSquid("/nowhere").text()).isEqualTo("content");
    awaitSquidLog(".*" + here + " - " + hit + "/127\\.0\\.0\\.1 .*");
    awaitSquidLog(".*/nowhere - (" + miss + ")/127\\.0\\.0\\.1 .*");
    assertThat(stopAndReadLog())
        .anyMatch(line -> line.contains("UDP_HIT/000") && line.contains(here))
        .anyMatch(line -> line.contains("UDP_MISS/000") && line.contains("/nowhere"));
  }

  /** Squid says HIT for what only another client may have: ICP has no fields. */
  @Test
  void aFalseHitOfSquidIsNotSeen() throws Exception {
    startWith("sibling", "");
    startSquid("refresh_pattern . 0 20% 4320", "acl ours src 127.0.0.1", "send_hit deny ours");
    serve("/one");
    Waiting.until(
        "a hit that is none",
        () -> {
          viaSquid("/one");
          WireMessage response = get("/one", "Cache-Control: max-age=0");
          assertThat(response.status()).isEqualTo(200);
          return squidLog().stream().anyMatch(line -> line.contains("UDP_HIT/000"));
        });
    assertThat(squidLog()).noneMatch(line -> line.contains("SIBLING_HIT"));
  }

  @Test
  void weAndSquidAreSiblingsOfEachOtherWithoutALoop() throws Exception {
    startWith("sibling", "");
    startSquid(
        "cache_peer 127.0.0.1 sibling "
            + proxy.port()
            + " "
            + ownIcp
            + " no-digest no-netdb-exchange name=loligo");
    String here = pathFound(true);
    origin.onOk("/nowhere", "content");
    for (int i = 0; i < 3; i++) {
      assertThat(get("/nowhere").text()).isEqualTo("content");
      assertThat(viaSquid("/nowhere").text()).isEqualTo("content");
    }
    assertThat(origin.fetches(here)).isEqualTo(1);
  }

  /** A peer that does not let us ask is asked 100 times at most. */
  @Test
  void squidThatDeniesOurQueriesDelaysNothing() throws Exception {
    startWith("sibling", "", "cache deny all");
    startSquid("icp_access deny all");
    origin.onOk("/one", "content");
    assertThat(get("/one").text()).isEqualTo("content");
  }
}

package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.peer.digest.DigestReading;
import io.loligo.server.peer.digest.UrlHash;
import io.netty.buffer.Unpooled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cache digests with a real Squid as neighbour. Skipped, visibly, if Squid is absent. */
class DigestBesideSquidTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=100000";

  @Test
  void squidFindsOurResponsesByOurDigest() throws Exception {
    startProxy(
        "digest_generation on", "digest_rebuild_period 1 second", "digest_rewrite_period 1 second");
    origin.onOk("/here", "content", FRESH);
    get("/here");
    Waiting.until(
        "the digest has it",
        () -> {
          try (RawClient client = RawClient.connect(proxy.port())) {
            client.send("GET " + DigestWireTest.PATH + " HTTP/1.1\r\nHost: x\r\n\r\n");
            WireMessage answer = client.responseTo("GET");
            return answer.status() == 200 && answer.body()[11] > 0;
          }
        });
    int port = ProxyProcess.freePort();
    List<String> lines =
        List.of(
            "http_access allow all",
            "icp_port 0",
            "store_miss deny all",
            "minimum_direct_rtt 0",
            "minimum_direct_hops 0",
            "cache_peer 127.0.0.1 sibling " + proxy.port() + " 0 no-query no-netdb-exchange");
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), lines)) {
      squid.awaitPort(port);
      Waiting.until(
          "Squid asks us",
          () -> {
            int before = origin.requests().size();
            try (RawClient client = RawClient.connect(port)) {
              client.get(origin.url("/here")).response();
            }
            return origin.requests().size() == before;
          });
      Path log = dir.resolve("squid").resolve("access.log");
      Waiting.until(
          "Squid has logged it",
          () -> Files.readString(log, ISO_8859_1).contains("/here - CD_SIBLING_HIT/127.0.0.1"));
    }
  }

  @Test
  void weFindSquidsResponsesByItsDigest() throws Exception {
    int port = ProxyProcess.freePort();
    Path disk = dir.resolve("squid").resolve("disk");
    Files.createDirectories(disk.resolve("00").resolve("00"));
    for (Path path : List.of(disk, disk.resolve("00"), disk.resolve("00").resolve("00"))) {
      path.toFile().setWritable(true, false); // by the user of Squid
    }
    List<String> lines =
        List.of(
            "http_access allow all",
            "icp_port 0",
            // Squid's digest has only what is on disk
            "cache_dir ufs " + disk + " 16 1 1",
            "digest_rebuild_period 1 second",
            "digest_rewrite_period 1 second");
    closing(SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), lines)).awaitPort(port);
    origin.on(
        "/here",
        call -> {
          // without Date, Squid takes it as stale
          String now =
              DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
          call.ok("content", FRESH, "Date: " + now);
        });
    try (RawClient client = RawClient.connect(port)) {
      client.get(origin.url("/here")).response();
    }
    Waiting.until("Squid's digest has it", () -> squidsDigestHas(port, origin.url("/here")));
    startProxy("cache_peer 127.0.0.1 sibling " + port + " 0 no-query", "cache deny all");
    int before = origin.requests().size();
    Waiting.until(
        "we ask Squid",
        () -> {
          int asked = origin.requests().size();
          assertThat(get("/here").text()).isEqualTo("content");
          return origin.requests().size() == asked;
        });
    assertThat(origin.requests().size()).isGreaterThan(before);
    assertThat(stopAndReadLog()).last().asString().contains("/here - CD_SIBLING_HIT/127.0.0.1");
  }

  private static boolean squidsDigestHas(int port, String url) throws Exception {
    try (RawClient client = RawClient.connect(port)) {
      client.send("GET " + DigestWireTest.PATH + " HTTP/1.1\r\nHost: x\r\n\r\n");
      WireMessage answer = client.responseTo("GET");
      DigestReading reading = new DigestReading(() -> 1 << 20);
      if (answer.status() != 200 || !reading.take(Unpooled.wrappedBuffer(answer.body()))) {
        return false;
      }
      DigestFilter digest = reading.end();
      return digest != null && digest.mayHold(new UrlHash().of(url));
    }
  }
}

package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
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
}

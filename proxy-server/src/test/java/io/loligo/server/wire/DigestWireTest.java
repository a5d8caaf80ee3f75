package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.peer.digest.DigestReading;
import io.loligo.server.peer.digest.UrlHash;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The digest of the stored responses, from outside. */
class DigestWireTest extends WireTest {
  static final String PATH = "/squid-internal-periodic/store_digest";
  private static final String FRESH = "Cache-Control: max-age=100000";
  private static final String SHORT = "digest_rebuild_period 1 second";
  private static final String SENT = "digest_rewrite_period 1 second";

  private WireMessage ask() throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(
          "GET "
              + PATH
              + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/cache-digest\r\n"
              + "Connection: close\r\n\r\n");
      return client.responseTo("GET");
    }
  }

  private boolean has(String path) throws Exception {
    WireMessage answer = ask();
    if (answer.status() != 200) {
      return false;
    }
    assertThat(answer.field("Content-Type")).isEqualTo("application/cache-digest");
    assertThat(answer.field("Expires")).endsWith(" GMT");
    DigestReading reading = new DigestReading(() -> 1 << 20);
    assertThat(reading.take(Unpooled.wrappedBuffer(answer.body()))).isTrue();
    DigestFilter digest = Objects.requireNonNull(reading.end());
    return digest.mayHold(new UrlHash().of(origin.url(path)));
  }

  @Test
  void hasTheFreshResponsesInMemory() throws Exception {
    startProxy(SHORT, SENT, "digest_bits_per_entry 32");
    assertThat(ask().status()).as("before it is made").isEqualTo(404);
    origin.onOk("/fresh", "content", FRESH);
    origin.onOk("/stale", "content", "Cache-Control: max-age=0, stale-while-revalidate=100");
    origin.onOk("/private", "content", "Cache-Control: private, max-age=1000");
    origin.onOk("/vary", "content", FRESH, "Vary: Accept");
    for (String path : new String[] {"/stale", "/private", "/vary", "/fresh"}) {
      get(path);
    }
    Waiting.until("it is there", () -> has("/fresh"));
    Waiting.until("it is there", () -> has("/vary"));
    assertThat(has("/stale")).isFalse();
    assertThat(has("/private")).isFalse();
    assertThat(has("/other")).isFalse();
  }

  @Test
  void hasResponsesThatWentToDisk() throws Exception {
    startProxy(
        SHORT,
        SENT,
        "digest_generation on",
        "digest_bits_per_entry 32",
        "cache_mem 0",
        "cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
    Waiting.until("it is made", () -> ask().status() == 200);
    origin.onOk("/disk", "content", FRESH);
    get("/disk");
    Waiting.until("it is there", () -> has("/disk"));
    assertThat(has("/other")).isFalse();
  }

  /** A response of an earlier process: verification reads it again. */
  @Test
  void hasResponsesThatWereOnDiskBefore() throws Exception {
    String[] lines = {
      SHORT,
      SENT,
      "digest_generation on",
      "digest_bits_per_entry 32",
      "cache_mem 0",
      "cache_dir rock " + dir.resolve("cache") + " 64"
    };
    startProxy(lines);
    proxy.diskOpened().join();
    origin.onOk("/disk", "content", FRESH);
    get("/disk");
    Waiting.until("it is there", () -> has("/disk"));
    proxy.close();
    startProxy(lines);
    proxy.diskOpened().join();
    Waiting.until("it is there again", () -> has("/disk"));
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void isUnderTheProxysOwnNameToo() throws Exception {
    startProxy(SHORT, SENT, "digest_generation on");
    Waiting.until("it is made", () -> ask().status() == 200);
    String url = "http://proxy.test:" + proxy.port() + PATH;
    assertThat(client().get(url).response().field("Content-Type"))
        .isEqualTo("application/cache-digest");
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void rulesDecideWhoGetsIt() throws Exception {
    startProxy("acl digests urlpath_regex ^" + PATH, "http_access deny digests", SHORT);
    assertThat(ask().status()).isEqualTo(403);
  }

  @Test
  void isNotMadeIfToldSo() throws Exception {
    startProxy("digest_generation off", SHORT, SENT);
    assertThat(ask().status()).isEqualTo(404);
    assertThat(proxy.reload(configuration("digest_generation on", SHORT, SENT)).problems())
        .isEmpty();
    Waiting.until("it is made", () -> ask().status() == 200);
  }
}

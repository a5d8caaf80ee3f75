package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The whole proxy over a real {@code cache_dir}. */
class RestartWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private void startWithDisk() throws Exception {
    startProxy("cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
  }

  @Test
  void aStoredResponseIsServedAfterARestart() throws Exception {
    startWithDisk();
    String large = "0123456789".repeat(80_000);
    origin.onOk("/small", "hello", FRESH);
    origin.onOk("/large", large, FRESH);
    get("/small");
    assertThat(get("/large").text()).isEqualTo(large);
    proxy.close();
    startWithDisk();
    WireMessage small = get("/small");
    assertHit(small);
    assertThat(small.text()).isEqualTo("hello");
    assertThat(small.field("Cache-Status")).endsWith("; detail=disk");
    WireMessage hit = get("/large");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo(large);
    assertThat(get("/large", "Range: bytes=700000-700009").text()).isEqualTo("0123456789");
    assertThat(origin.fetches("/small") + origin.fetches("/large")).isEqualTo(2);
  }

  @Test
  void headsAndValidatorsAreAnsweredFromDisk() throws Exception {
    startWithDisk();
    String content = "0123456789".repeat(1000);
    origin.onOk("/a", content, FRESH, "ETag: \"one\"");
    get("/a");
    proxy.close();
    startWithDisk();
    WireMessage head = exchange("HEAD", "/a");
    assertHit(head);
    assertThat(head.field("Content-Length")).isEqualTo("10000");
    assertThat(head.field("Cache-Status")).endsWith("; detail=disk");
    WireMessage notModified = get("/a", "If-None-Match: \"one\"");
    assertThat(notModified.status()).isEqualTo(304);
    assertThat(notModified.field("ETag")).isEqualTo("\"one\"");
    WireMessage other = get("/a", "If-None-Match: \"two\"");
    assertHit(other);
    assertThat(other.text()).isEqualTo(content);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aPurgedResponseDoesNotComeBack() throws Exception {
    Path cache = dir.resolve("cache");
    String[] lines = {"cache_dir rock " + cache + " 64", "acl purge method PURGE"};
    startProxy(lines);
    proxy.diskOpened().join();
    origin.onOk("/a", "hello", FRESH);
    get("/a");
    assertThat(exchange("PURGE", "/a").status()).isEqualTo(200);
    proxy.close();
    assertThat(Files.exists(cache)).isTrue();
    startProxy(lines);
    proxy.diskOpened().join();
    assertForwarded(get("/a"), "uri-miss");
  }
}

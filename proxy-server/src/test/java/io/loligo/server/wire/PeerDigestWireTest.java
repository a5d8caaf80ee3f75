package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKeys;
import io.loligo.server.Waiting;
import io.loligo.server.peer.digest.DigestFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The digests of peers, with real sockets. */
class PeerDigestWireTest extends WireTest {
  private ScriptedOrigin peer;

  private void startWith(String kind, String options, String... more) throws Exception {
    peer = closing(ScriptedOrigin.start());
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("cache_peer 127.0.0.1 " + kind + ' ' + peer.port() + " 0 name=p " + options);
    startProxy(lines.toArray(String[]::new));
    origin.otherwise(call -> call.ok("of the origin", "Cache-Control: no-store"));
  }

  private void digestAt(ScriptedOrigin server, String path, String... urls) {
    DigestFilter filter = DigestFilter.empty(100, 5);
    for (String url : urls) {
      filter.add(Objects.requireNonNull(CacheKeys.of(url)));
    }
    byte[] bytes = filter.bytes();
    server.on(
        path,
        call -> {
          call.whole();
          String head = "HTTP/1.1 200 OK\r\nContent-Length: " + bytes.length + "\r\n\r\n";
          call.send(head.getBytes(ISO_8859_1));
          call.send(bytes);
        });
  }

  private String metrics() throws Exception {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      String head = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort();
      return admin.send(head + "\r\nConnection: close\r\n\r\n").response().text();
    }
  }

  private void awaitCount(String name, int value) throws Exception {
    String line = "\nloligo_peer_" + name + "_total{peer=\"p\"} " + value + ".0\n";
    Waiting.until(name, () -> metrics().contains(line));
  }

  /** Asks once, so that the digest is fetched, and waits until it is there. */
  private void awaitDigest() throws Exception {
    get("/first");
    Waiting.until("read", () -> !metrics().contains("\nloligo_peer_digests_size_bytes 0.0\n"));
  }

  private List<String> hierarchy() throws Exception {
    return stopAndReadLog().stream()
        .filter(line -> line.contains("TCP_"))
        .map(line -> line.split(" +", -1)[8])
        .toList();
  }

  @Test
  void aSiblingGetsTheRequestIfItsDigestHasTheUrl() throws Exception {
    startWith("sibling", "");
    digestAt(peer, DigestWireTest.PATH, origin.url("/one"));
    peer.onOk(origin.url("/one"), "of the sibling", "Cache-Control: no-store");
    awaitDigest();
    assertThat(peer.lastRequest().startLine())
        .isEqualTo("GET " + DigestWireTest.PATH + " HTTP/1.1");
    assertThat(peer.lastRequest().field("Accept")).isEqualTo("application/cache-digest");
    assertThat(peer.lastRequest().field("Host")).isEqualTo(peer.authority());
    WireMessage answer = get("/one");
    assertThat(answer.text()).isEqualTo("of the sibling");
    assertThat(peer.lastRequest().field("Cache-Control")).endsWith("only-if-cached");
    assertThat(get("/two").text()).isEqualTo("of the origin");
    assertThat(get("/one", "Cache-Control: no-cache").text()).isEqualTo("of the origin");
    awaitCount("digest_hits", 1);
    awaitCount("digest_misses", 1);
    assertThat(hierarchy())
        .containsExactly(
            "HIER_DIRECT/127.0.0.1",
            "CD_SIBLING_HIT/127.0.0.1",
            "HIER_DIRECT/127.0.0.1",
            "HIER_DIRECT/127.0.0.1");
  }

  @Test
  void aFalseHitGoesOnAndIsCounted() throws Exception {
    startWith("sibling", "");
    digestAt(peer, DigestWireTest.PATH, origin.url("/one"));
    peer.on(origin.url("/one"), ScriptedOrigin.response("504 Gateway Timeout", "not here"));
    awaitDigest();
    assertThat(get("/one").text()).isEqualTo("of the origin");
    awaitCount("digest_hits", 1);
    awaitCount("digest_false_hits", 1);
    RawClient manager = client().send("GET cache_object://localhost/server_list HTTP/1.0\r\n\r\n");
    assertThat(manager.response().text())
        .contains("\nDIGEST HITS:        1 100%\nFALSE HITS :        1\n");
    assertThat(hierarchy()).endsWith("HIER_DIRECT/127.0.0.1", "HIER_NONE/-");
  }

  @Test
  void theParentWhoseDigestHasTheUrlComesFirst() throws Exception {
    ScriptedOrigin first = closing(ScriptedOrigin.start());
    first.otherwise(call -> call.ok("of the first", "Cache-Control: no-store"));
    startWith(
        "parent",
        "",
        "never_direct allow all",
        "cache_peer 127.0.0.1 parent " + first.port() + " 0 no-digest name=first");
    digestAt(peer, DigestWireTest.PATH, origin.url("/one"));
    peer.onOk(origin.url("/one"), "of the second", "Cache-Control: no-store");
    awaitDigest();
    assertThat(get("/one").text()).isEqualTo("of the second");
    assertThat(get("/two").text()).isEqualTo("of the first");
    assertThat(hierarchy())
        .containsExactly(
            "FIRSTUP_PARENT/127.0.0.1", "CD_PARENT_HIT/127.0.0.1", "FIRSTUP_PARENT/127.0.0.1");
  }

  @Test
  @Tag("no-digest")
  void noDigestIsAPeerWhoseDigestIsNotFetched() throws Exception {
    startWith("sibling", "no-digest");
    get("/first");
    awaitLoop();
    assertThat(peer.requests()).isEmpty();
  }

  @Test
  @Tag("digest-url")
  void digestUrlIsAnotherPlaceOfTheDigest() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startWith("sibling", "digest-url=" + other.url("/of/peer?x=1"));
    digestAt(other, "/of/peer?x=1", origin.url("/one"));
    peer.onOk(origin.url("/one"), "of the sibling");
    awaitDigest();
    assertThat(get("/one").text()).isEqualTo("of the sibling");
    assertThat(peer.requests()).hasSize(1);
    assertThat(other.lastRequest().startLine()).isEqualTo("GET /of/peer?x=1 HTTP/1.1");
  }
}

package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upgrade to WebSocket (RFC 9110 section 7.8, RFC 6455 section 4). */
class UpgradeWireTest extends WireTest {
  private static final String[] ASK = {
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13"
  };
  private static final String SWITCHED =
      String.join(
          "\r\n",
          "HTTP/1.1 101 Switching Protocols",
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
          "Surrogate-Key: a",
          "",
          "");

  private void startAllowing() throws Exception {
    startProxy("http_upgrade_request_protocols websocket allow all");
  }

  @Test
  void tunnelsAfter101() throws Exception {
    startAllowing();
    CompletableFuture<String> rest = new CompletableFuture<>();
    origin.on(
        "/ws",
        call -> {
          call.send(SWITCHED + "hello");
          assertThat(new String(call.in().readNBytes(4), ISO_8859_1)).isEqualTo("ping");
          call.send("pong");
          rest.complete(new String(call.in().readAllBytes(), ISO_8859_1));
          call.close();
        });
    RawClient client = client();
    client.get(origin.url("/ws"), ASK);
    WireMessage answer = client.response();
    assertThat(answer.status()).isEqualTo(101);
    assertThat(answer.field("Upgrade")).isEqualTo("websocket");
    assertThat(answer.field("Connection").toLowerCase(Locale.ROOT)).contains("upgrade");
    assertThat(answer.field("Sec-WebSocket-Accept")).isNotNull();
    assertThat(answer.field("Surrogate-Key")).as("for this cache only").isNull();
    WireMessage seen = origin.requests().get(0);
    assertThat(seen.field("Upgrade")).isEqualTo("websocket");
    assertThat(seen.field("Connection").toLowerCase(Locale.ROOT)).contains("upgrade");
    assertThat(seen.field("Sec-WebSocket-Key")).isEqualTo("dGhlIHNhbXBsZSBub25jZQ==");
    assertThat(client.read(5)).isEqualTo("hello");
    client.send("ping");
    assertThat(client.read(4)).isEqualTo("pong");
    client.halfClose();
    assertThat(rest.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isEmpty();
    client.expectClose();
    assertThat(stopAndReadLog()).singleElement().asString().contains("/101 ");
  }

  @Test
  void passesNoByteBefore101() throws Exception {
    startAllowing();
    CompletableFuture<String> behind = new CompletableFuture<>();
    origin.on(
        "/ws",
        call -> {
          call.send(ScriptedOrigin.response("403 Forbidden", "no", "Connection: close"));
          call.endOutput();
          behind.complete(new String(call.in().readAllBytes(), ISO_8859_1));
          call.close();
        });
    RawClient client = client();
    client.send(RawClient.head("GET", origin.url("/ws"), ASK) + "GET /smuggled HTTP/1.1\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(403);
    assertThat(behind.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isEmpty();
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  void passesBytesSentEarlyOnceSwitched() throws Exception {
    startAllowing();
    origin.on(
        "/ws",
        call -> {
          call.send(SWITCHED);
          assertThat(new String(call.in().readNBytes(5), ISO_8859_1)).isEqualTo("early");
          call.send("seen");
          call.close();
        });
    RawClient client = client();
    client.send(RawClient.head("GET", origin.url("/ws"), ASK) + "early");
    assertThat(client.response().status()).isEqualTo(101);
    assertThat(client.untilClose()).isEqualTo("seen");
  }

  @Test
  void refusesA101WithoutARequest() throws Exception {
    startAllowing();
    origin.on("/ws", call -> call.send(SWITCHED));
    assertThat(get("/ws").status()).isEqualTo(502);
  }

  @Test
  void refusesA101ForAnotherProtocol() throws Exception {
    startAllowing();
    for (String upgrade :
        List.of(
            "X: y", "Upgrade: other", "Upgrade: websocket, other", "Upgrade:", "Upgrade: web")) {
      origin.on("/ws", call -> call.send(SWITCHED.replace("Upgrade: websocket", upgrade) + "smug"));
      RawClient client = client().get(origin.url("/ws"), ASK);
      WireMessage answer = client.response();
      assertThat(answer.status()).as(upgrade).isEqualTo(502);
      assertThat(answer.text()).doesNotContain("smug");
    }
  }

  @Test
  void switchesInAnyCase() throws Exception {
    startAllowing();
    origin.on(
        "/ws",
        call -> {
          call.send(SWITCHED.replace("Upgrade: websocket", "upgrade: WebSocket") + "hello");
          call.close();
        });
    RawClient client = client().get(origin.url("/ws"), ASK);
    assertThat(client.response().status()).isEqualTo(101);
    assertThat(client.untilClose()).isEqualTo("hello");
  }

  @Test
  void aRequestWithContentIsAnOrdinaryOne() throws Exception {
    startAllowing();
    origin.onOk("/ws", "plain");
    assertThat(send("GET", "/ws", "hello", ASK).text()).isEqualTo("plain");
    WireMessage seen = origin.lastRequest();
    assertThat(seen.text()).isEqualTo("hello");
    assertThat(seen.field("Upgrade")).isNull();
    assertThat(seen.field("Connection")).isEqualTo("close");
    String head = RawClient.head("GET", origin.url("/ws"), ASK);
    String chunked = head.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    assertThat(client().send(chunked + "0\r\n\r\n").response().text()).isEqualTo("plain");
    assertThat(origin.lastRequest().field("Upgrade")).isNull();
  }

  /** Which of the offered protocols the origin is asked for, by these lines. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "foo/1 allow all                        | foo/1       | foo/1",
        "foo/1 allow all                        | FOO/1       | FOO/1",
        "foo/1 allow all                        | foo/2       | -",
        "foo/1 allow all                        | foo         | -",
        "foo/1 allow all                        | foo/2,foo/1 | foo/1",
        "foo allow all                          | foo/2       | foo/2",
        "foo/1 deny all;foo allow all           | foo/1       | -",
        "foo/1 deny all;foo allow all           | foo/2       | foo/2",
        "foo allow all;foo/1 deny all           | foo/1       | foo/1",
        "foo deny others;foo/1 allow all        | foo/1       | foo/1",
        // a name in a line is none of the others, in any version
        "foo/1 allow all;OTHER allow all        | foo/2       | -",
        "foo/1 allow all;OTHER allow all        | bar/2       | bar/2",
        // no line that matches is no permission
        "foo deny others                        | foo         | -",
        "OTHER deny others                      | foo         | -",
      })
  void aLineWithAVersionIsAboutThatVersion(String lines, String offered, String asked)
      throws Exception {
    List<String> all = new ArrayList<>(List.of("acl others src 192.0.2.1"));
    for (String line : lines.split(";", -1)) {
      all.add("http_upgrade_request_protocols " + line.strip());
    }
    startProxy(all.toArray(String[]::new));
    origin.onOk("/", "plain");
    get("/", "Connection: Upgrade", "Upgrade: " + offered);
    assertThat(origin.lastRequest().field("Upgrade")).isEqualTo(asked);
  }

  @Test
  void removesUpgradeWhereItIsNotAllowed() throws Exception {
    startProxy("http_upgrade_request_protocols websocket deny all");
    origin.onOk("/ws", "plain");
    assertThat(get("/ws", ASK).text()).isEqualTo("plain");
    assertThat(origin.lastRequest().field("Upgrade")).isNull();
  }
}

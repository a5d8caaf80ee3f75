package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.WebSocketHandshake;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSocket as a stream of HTTP/2 (RFC 8441), to an origin that speaks HTTP/1.1. */
class WebSocketOverHttp2WireTest extends WireTest {
  private static final String PORT = "http_port 127.0.0.1:0 h2c";
  private static final String CLIENT_KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  private Http2Client client;

  private void start(String... lines) throws Exception {
    startProxy(lines);
    client = closing(Http2Client.connect(proxy.port()));
  }

  /** The 101 that accepts the key of {@code call}. */
  static String switched(ScriptedOrigin.Call call, String... more) {
    return switched(WebSocketHandshake.accept(call.field("Sec-WebSocket-Key")), more);
  }

  private static String switched(String accept, String... more) {
    return "HTTP/1.1 101 Switching Protocols\r\n"
        + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
        + ("Sec-WebSocket-Accept: " + accept + "\r\n")
        + String.join("", List.of(more))
        + "\r\n";
  }

  private static <T> T done(CompletableFuture<T> result) throws Exception {
    return result.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void ask(int stream, String... more) throws IOException {
    client.webSocket(stream, origin.authority(), "/ws?a", more);
  }

  /** A plain request on the same connection is answered. */
  private void expectTheConnectionWorks(int stream) throws IOException {
    origin.onOk("/plain", "plain");
    client.get(stream, origin.authority(), "/plain");
    assertThat(client.response(stream).text()).isEqualTo("plain");
  }

  @Test
  void isAnnounced() throws Exception {
    start(PORT);
    client.ping();
    assertThat(client.settings()).containsEntry(Frames.ENABLE_CONNECT_PROTOCOL, 1);
  }

  @Test
  void becomesAHandshakeOfHttp1AndThenBytes() throws Exception {
    start(PORT);
    origin.on(
        "/ws?a",
        call -> {
          call.send(
              switched(call, "Sec-WebSocket-Protocol: chat\r\nSurrogate-Key: a\r\n") + "hello");
          call.send(call.in().readNBytes(9));
          call.send(call.in().readNBytes(5));
          call.close();
        });
    ask(
        1,
        "sec-websocket-version",
        "13",
        "sec-websocket-key",
        CLIENT_KEY,
        "sec-websocket-protocol",
        "chat");
    client.data(1, "early", false);
    client.data(1, "ping", false);
    Http2Client.Response response = client.contentOf(1, 14);
    assertThat(response.text()).isEqualTo("helloearlyping");
    client.data(1, "again", true);
    assertThat(client.response(1).text()).isEqualTo("helloearlypingagain");
    assertThat(response.ended()).isTrue();
    assertThat(response.reset()).isNull();
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.fields())
        .anyMatch(line -> line.toLowerCase(Locale.ROOT).equals("sec-websocket-protocol: chat"))
        .noneMatch(
            line ->
                line.toLowerCase(Locale.ROOT)
                    .matches("(upgrade|connection|sec-websocket-accept|surrogate-key|content-).*"));

    WireMessage seen = origin.lastRequest();
    assertThat(seen.head()).startsWith("GET /ws?a HTTP/1.1\r\n").doesNotContain(":protocol");
    assertThat(seen.field("Host")).isEqualTo(origin.authority());
    assertThat(seen.field("Upgrade")).isEqualTo("websocket");
    assertThat(seen.field("Connection").toLowerCase(Locale.ROOT)).contains("upgrade");
    assertThat(seen.field("Sec-WebSocket-Version")).isEqualTo("13");
    String key = seen.field("Sec-WebSocket-Key");
    assertThat(key).isNotEqualTo(CLIENT_KEY);
    assertThat(Base64.getDecoder().decode(key)).hasSize(16);

    client.close();
    assertThat(stopAndReadLog())
        .singleElement()
        .asString()
        .contains(" TCP_TUNNEL/200 ")
        .contains(" GET " + origin.url("/ws?"));
  }

  @Test
  void theEndOfOneDirectionLeavesTheOther() throws Exception {
    start(PORT);
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call));
          for (int i = 0; i < 50; i++) {
            call.send("" + call.in().readNBytes(10_000)[9_999]);
          }
          call.send("end " + call.in().readAllBytes().length);
          call.close();
        });
    ask(1);
    for (int i = 0; i < 50; i++) {
      // more than a window in all, never more than one at once
      client.data(1, "\1".repeat(10_000), false);
      client.contentOf(1, i + 1);
    }
    client.data(1, "abc", true);
    assertThat(client.response(1).text()).isEqualTo("1".repeat(50) + "end 3");
    assertThat(client.response(1).reset()).isNull();
  }

  @Test
  void theEndOfTheOriginIsTheEndOfItsDirectionOnly() throws Exception {
    start(PORT);
    CompletableFuture<String> rest = new CompletableFuture<>();
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call) + "bye");
          call.endOutput();
          rest.complete(new String(call.in().readAllBytes(), ISO_8859_1));
        });
    ask(1);
    assertThat(client.response(1).text()).isEqualTo("bye");
    assertThat(client.response(1).ended()).isTrue();
    client.data(1, "good bye", true);
    assertThat(done(rest)).isEqualTo("good bye");
    client.ping();
    assertThat(client.response(1).reset()).isNull();
  }

  @Test
  void theWindowOfTheClientHoldsTheOriginBackAndNoOtherStream() throws Exception {
    start(PORT);
    int bytes = 1_000_000;
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call));
          call.send(new byte[bytes]);
          call.close();
        });
    client.keepingWindowsShut();
    client.openWindow(0, 2 * bytes);
    ask(1);
    client.contentOf(1, Frames.DEFAULT_WINDOW_BYTES);
    expectTheConnectionWorks(3);
    assertThat(client.headOf(1).content()).hasSize(Frames.DEFAULT_WINDOW_BYTES);
    client.openWindow(1, bytes);
    client.data(1, "", true);
    assertThat(client.response(1).content()).hasSize(bytes);
  }

  @Test
  void aResetOfTheClientClosesTheConnectionToTheOrigin() throws Exception {
    start(PORT);
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call) + "a");
          try {
            closed.complete(call.in().read() < 0);
          } catch (IOException reset) {
            closed.complete(true);
          }
        });
    ask(1);
    client.contentOf(1, 1);
    client.reset(1, ErrorCode.CANCEL);
    assertThat(done(closed)).isTrue();
    expectTheConnectionWorks(3);
  }

  @Test
  void aResetOfTheOriginIsOneOfTheStream() throws Exception {
    start(PORT);
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call));
          call.in().readNBytes(1);
          call.reset();
        });
    ask(1);
    client.data(1, "a", false);
    assertThat(client.response(1).reset()).isEqualTo(ErrorCode.CANCEL);
    expectTheConnectionWorks(3);
  }

  @Test
  void aRefusalOfTheOriginIsTheResponse() throws Exception {
    start(PORT);
    CompletableFuture<String> behind = new CompletableFuture<>();
    origin.on(
        "/ws?a",
        call -> {
          call.send(ScriptedOrigin.response("403 Forbidden", "no", "Connection: close"));
          call.endOutput();
          behind.complete(new String(call.in().readAllBytes(), ISO_8859_1));
        });
    ask(1);
    client.data(1, "GET /smuggled HTTP/1.1\r\n\r\n", false);
    Http2Client.Response response = client.response(1);
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.text()).isEqualTo("no");
    assertThat(response.ended()).isTrue();
    assertThat(done(behind)).as("no byte before 101").isEmpty();
    expectTheConnectionWorks(3);
  }

  /** A success would tell the client that its bytes are those of a WebSocket from now on. */
  @ParameterizedTest
  @ValueSource(strings = {"200 OK", "204 No Content", "206 Partial Content"})
  void aSuccessOfTheOriginIsNone(String status) throws Exception {
    start(PORT);
    origin.on("/ws?a", "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
    ask(1);
    assertThat(client.response(1).status()).isEqualTo(502);
    expectTheConnectionWorks(3);
  }

  @Test
  void anOriginHasToProveThatItHasReadTheKey() throws Exception {
    start(PORT);
    String wrong = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
    origin.on("/ws?a", call -> call.send(switched(wrong) + "evil"));
    ask(1);
    assertThat(client.response(1).status()).isEqualTo(502);
    assertThat(client.response(1).text()).doesNotContain("evil");
    origin.on("/ws?a", call -> call.send(switched(wrong).replace("-Accept", "-Other") + "evil"));
    ask(3);
    assertThat(client.response(3).status()).isEqualTo(502);
    origin.on(
        "/ws?a",
        call -> call.send(switched(call, "Sec-WebSocket-Accept: " + wrong + "\r\n") + "evil"));
    ask(5);
    assertThat(client.response(5).status()).isEqualTo(502);
    expectTheConnectionWorks(7);
  }

  @Test
  void rulesSeeTheUrl() throws Exception {
    start(
        PORT,
        "acl sockets urlpath_regex ^/ws",
        "http_access deny sockets",
        "http_access allow all");
    ask(1);
    assertThat(client.response(1).status()).isEqualTo(403);
    assertThat(origin.requests()).isEmpty();
    expectTheConnectionWorks(3);
  }

  @Test
  void aProtocolThatIsDeniedIsRefused() throws Exception {
    start(PORT, "http_upgrade_request_protocols websocket deny all");
    origin.onOk("/ws?a", "plain");
    ask(1);
    assertThat(client.response(1).status()).isEqualTo(403);
    assertThat(origin.requests()).isEmpty();
    client.close();
    assertThat(stopAndReadLog()).singleElement().asString().contains(" TCP_DENIED/403 ");
  }

  @Test
  void anotherProtocolIsNotImplemented() throws Exception {
    start(PORT);
    client.begin(1, "CONNECT", origin.authority(), "/ws?a", ":protocol", "connect-udp");
    assertThat(client.response(1).status()).isEqualTo(501);
    assertThat(origin.requests()).isEmpty();
    expectTheConnectionWorks(3);
    client.close();
    assertThat(stopAndReadLog().get(0)).contains("/501 ").contains("error:invalid-request");
  }

  @Test
  void contentOfAnAnnouncedLengthIsRefused() throws Exception {
    start(PORT);
    ask(1, "content-length", "4");
    assertThat(client.response(1).status()).isEqualTo(400);
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void aProtocolOfAnotherMethodIsMalformed() throws Exception {
    start(PORT);
    client.begin(1, "GET", origin.authority(), "/ws?a", ":protocol", "websocket");
    assertThat(client.response(1).reset()).isEqualTo(ErrorCode.PROTOCOL_ERROR);
    assertThat(client.response(1).fields()).isEmpty();
    expectTheConnectionWorks(3);
  }

  @Test
  void passesThroughAnAccelerator() throws Exception {
    start(
        PORT + " accel",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.on(
        "/ws?a",
        call -> {
          call.send(switched(call));
          call.send(call.in().readNBytes(4));
          call.close();
        });
    client.webSocket(1, "www.example.test", "/ws?a");
    client.data(1, "ping", true);
    assertThat(client.response(1).status()).isEqualTo(200);
    assertThat(client.response(1).text()).isEqualTo("ping");
    assertThat(origin.lastRequest().field("Host")).isEqualTo("www.example.test");
  }
}

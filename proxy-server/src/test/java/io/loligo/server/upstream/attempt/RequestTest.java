package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tunnel.ChannelByteStream;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.connect.FakeTransport;
import io.loligo.server.upstream.http1.OriginConnection;
import io.loligo.server.upstream.route.CachePeers;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Requests as they stand on the wire, and their content. */
class RequestTest extends AttemptFixture {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

  @Test
  void sendsTheOriginForm() {
    Listening seen = fetch(get());
    assertThat(last().sent())
        .isEqualTo(
            lines(
                "GET /path?q HTTP/1.1",
                "Host: origin.example",
                "Accept: */*",
                "Connection: keep-alive",
                ""));
    seen.stream.cancel();
  }

  @Test
  void saysThatItCloses() {
    settings.serverPersistent = false;
    fetch(get());
    assertThat(last().sent()).contains("Connection: close\r\n");
    last().answer(OK);
    assertThat(last().open()).isFalse();
  }

  @Test
  void aHeaderOfTheProxyProtocolIsOnAConnectionOfItsOwn() {
    CachePeer peer = CachePeers.of(Settings.originServer("a"));
    HopProxyHeader header =
        new HopProxyHeader(
            ProxyHeaderVersion.VERSION_1,
            new InetSocketAddress("192.0.2.7", 1234),
            new InetSocketAddress("198.51.100.1", 80));
    fetch(get(), hop(peer));
    last().answer(OK);
    assertThat(counted.idle).isEqualTo(1);
    for (int connection = 1; connection < 3; connection++) {
      fetch(get(), new Hop.Parent(peer, HierarchyCode.FIRSTUP_PARENT, header));
      assertThat(transport.connections()).hasSize(connection + 1);
      assertThat(last().sent())
          .startsWith(lines("PROXY TCP4 192.0.2.7 198.51.100.1 1234 80", "GET /path?q HTTP/1.1"))
          .contains("Connection: close\r\n");
      last().answer(OK);
      assertThat(last().open()).isFalse();
    }
    assertThat(counted.idle).as("the one without a header").isEqualTo(1);
  }

  @Test
  void sendsTheAbsoluteFormToAParent() {
    Peer parent = Settings.peer("a", false, false, 1, "user:secret", 0, 0);
    fetch(get(), hop(parent));
    assertThat(last().sent())
        .startsWith("GET http://origin.example/path?q HTTP/1.1\r\n")
        .contains("Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n");
    assertThat(last().address().getPort()).isEqualTo(3128);
  }

  @Test
  void sendsOptionsOfTheServerWithoutPathToAParent() {
    OutgoingRequest star =
        OutgoingRequest.of("OPTIONS", Method.OPTIONS)
            .authority("origin.example")
            .path(latin1("*"))
            .fieldLines(latin1("Host: origin.example\r\n"))
            .build();
    fetch(star, hop(Settings.parent("a")));
    assertThat(last().sent()).startsWith("OPTIONS http://origin.example HTTP/1.1\r\n");
    fetch(star);
    assertThat(last().sent()).startsWith("OPTIONS * HTTP/1.1\r\n");
  }

  @Test
  void logsInToAnOriginServerInPlaceOfTheClient() {
    Peer server = Settings.peer("a", true, false, 1, "user:secret", 0, 0);
    OutgoingRequest request =
        OutgoingRequest.of("GET", Method.GET)
            .authority("origin.example")
            .fieldLines(latin1("Host: origin.example\r\nAuthorization: Basic eDp5\r\nX: y\r\n"))
            .build();
    fetch(request, hop(server));
    assertThat(last().sent())
        .startsWith("GET / HTTP/1.1\r\nHost: origin.example\r\nX: y\r\n")
        .contains("\r\nAuthorization: Basic dXNlcjpzZWNyZXQ=\r\n")
        .doesNotContain("eDp5");
  }

  @Test
  void replacesHostWhereADomainIsForced() {
    Peer forced =
        Peer.parent("a", "a.example", 3128)
            .originServer(true)
            .forcedDomain("forced.example")
            .build();
    fetch(get(), hop(forced));
    assertThat(last().sent())
        .contains("Host: forced.example\r\nAccept: */*\r\n")
        .doesNotContain("Host: origin.example");
  }

  @Test
  void announcesThatAPostIsEmpty() {
    fetch(request(Method.POST, 0, false, false, null));
    assertThat(last().sent()).contains("Content-Length: 0\r\n");
  }

  @Test
  void sendsContentOfKnownLength() {
    Listening seen = fetch(post(5));
    assertThat(seen.events).containsExactly("ready");
    seen.stream.content(bytes("he"));
    seen.stream.content(bytes("llo"));
    seen.stream.endContent(null);
    assertThat(last().sent()).endsWith("Content-Length: 5\r\n\r\nhello");
    last().answer(OK);
    assertThat(seen.events).containsExactly("ready", "head 200 LENGTH", "end");
    assertThat(counted.idle).isEqualTo(1);
  }

  @Test
  void sendsChunksAndTrailers() {
    Fields trailers = new Fields(2);
    trailers.clear(latin1("X-Sum: 7Host: evil"));
    trailers.add(FieldName.OTHER, 0, 5, 7, 8);
    trailers.add(FieldName.HOST, 8, 4, 14, 18);
    Listening seen = fetch(post(-1));
    seen.stream.content(bytes("hello"));
    seen.stream.content(bytes(""));
    seen.stream.content(bytes("0123456789abcdef"));
    seen.stream.endContent(trailers);
    assertThat(last().sent())
        .endsWith(
            lines(
                "Transfer-Encoding: chunked",
                "",
                "5",
                "hello",
                "10",
                "0123456789abcdef",
                "0",
                "X-Sum: 7",
                ""));
    last().answer(OK);
    assertThat(counted.idle).isEqualTo(1);
  }

  @Test
  void sendsNoChunkButTheLastWithoutContent() {
    Listening seen = fetch(post(-1));
    seen.stream.endContent(null);
    assertThat(last().sent()).endsWith("\r\n\r\n0\r\n\r\n");
    seen.stream.cancel();
  }

  @Test
  void refusesContentOfAnotherLengthThanAnnounced() {
    Listening more = fetch(post(3));
    more.stream.content(bytes("hello"));
    assertThat(more.failure.kind()).isEqualTo(Kind.WRITE_FAILED);
    assertThat(last().open()).isFalse();
    Listening less = fetch(post(9));
    less.stream.content(bytes("hello"));
    less.stream.endContent(null);
    assertThat(less.failure.kind()).isEqualTo(Kind.WRITE_FAILED);
    assertThat(last().open()).isFalse();
  }

  @Test
  void waitsForContinue() {
    Listening seen = fetch(request(Method.POST, 5, true, true, null));
    assertThat(last().sent()).contains("Expect: 100-continue\r\n");
    assertThat(seen.events).isEmpty();
    last().answer("HTTP/1.1 100 Continue\r\n\r\n");
    assertThat(seen.events).containsExactly("ready");
    seen.stream.cancel();
  }

  @Test
  void sendsContentWhenContinueDoesNotCome() {
    Listening seen = fetch(request(Method.POST, 5, true, true, null));
    pass(OriginConnection.CONTINUE_MILLIS + 200);
    assertThat(seen.events).containsExactly("ready");
    seen.stream.cancel();
  }

  @Test
  void takesAFinalAnswerInPlaceOfContinue() {
    Listening seen = fetch(request(Method.POST, 5, true, true, null));
    last().answer("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 417 LENGTH", "end");
    assertThat(last().open()).isFalse();
    seen.stream.content(bytes("late"));
  }

  @Test
  void stopsSendingWhenTheOriginRefuses() {
    Listening seen = fetch(post(10));
    seen.stream.content(bytes("hello"));
    last().sent();
    last().answer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\n");
    seen.stream.content(bytes("world"));
    assertThat(last().sent()).isEmpty();
    last().answer("big");
    assertThat(seen.events).containsExactly("ready", "head 413 LENGTH", "end");
    assertThat(last().open()).isFalse();
  }

  @Test
  void goesOnSendingWhenTheAnswerIsASuccess() {
    Listening seen = fetch(post(10));
    seen.stream.content(bytes("hello"));
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
    seen.stream.content(bytes("world"));
    seen.stream.endContent(null);
    assertThat(last().sent()).endsWith("helloworld");
    last().answer("yes");
    assertThat(seen.over()).isTrue();
    assertThat(counted.idle).as("it may take the rest for a request").isZero();
  }

  @Test
  void doesNotWaitForTheAnswerWhileContentIsSent() {
    settings.readMillis = 5_000;
    Listening seen = fetch(post(10));
    pass(60_000);
    assertThat(seen.over()).isFalse();
    seen.stream.content(bytes("helloworld"));
    seen.stream.endContent(null);
    pass(5_200);
    assertThat(seen.failure.kind()).isEqualTo(Kind.READ_TIMEOUT);
  }

  @Test
  void readsTheAnswerThoughSendingFailed() {
    Listening seen = new Listening();
    fetch(seen, post(10));
    last()
        .channel()
        .pipeline()
        .addFirst(
            new io.netty.channel.ChannelOutboundHandlerAdapter() {
              @Override
              public void write(
                  io.netty.channel.ChannelHandlerContext ctx,
                  Object message,
                  io.netty.channel.ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                promise.setFailure(new java.io.IOException("Broken pipe"));
              }
            });
    seen.stream.content(bytes("hello"));
    settle();
    assertThat(seen.over()).isFalse();
    last().answer("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("ready", "head 401 LENGTH", "end");
    assertThat(last().open()).isFalse();
  }

  @Test
  void upgrades() {
    Listening seen = new Listening();
    seen.reading = false;
    fetch(seen, request(Method.GET, 0, false, false, "websocket"));
    assertThat(last().sent()).contains("Connection: upgrade\r\nUpgrade: websocket\r\n");
    last().answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nearly");
    assertThat(seen.events).containsExactly("head 101 NONE");
    var detached = (ChannelByteStream) seen.stream.detach();
    assertThat(detached.early().toString(java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo("early");
    detached.early().release();
    assertThat(detached.channel().pipeline().get(OriginConnection.class)).isNull();
    assertThat(detached.channel().isOpen()).isTrue();
    assertThat(detached.channel().config().isAutoRead()).isFalse();
  }

  @Test
  void refusesAnUpgradeWithoutARequest() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    assertThat(seen.failure.kind()).isEqualTo(Kind.INVALID_RESPONSE);
  }

  @Test
  void connectsTunnelsDirectly() {
    Listening seen = connect(new Hop.Direct("origin.example", 443, HierarchyCode.HIER_DIRECT));
    assertThat(seen.events).containsExactly("tunnel");
    assertThat(last().sent()).isEmpty();
    assertThat(last().reads()).isZero();
    ((ChannelByteStream) seen.stream.detach()).early().release();
  }

  @Test
  void connectsTunnelsThroughAParent() {
    Listening seen = connect(hop(Settings.peer("a", false, false, 1, "u:p", 0, 0)));
    assertThat(last().sent())
        .isEqualTo(
            lines(
                "CONNECT origin.example:443 HTTP/1.1",
                "Host: origin.example:443",
                "Proxy-Authorization: Basic dTpw",
                ""));
    assertThat(seen.events).isEmpty();
    last().answer("HTTP/1.1 200 Connection established\r\nContent-Length: 7\r\n\r\nhi");
    assertThat(seen.events).containsExactly("tunnel");
    var detached = (ChannelByteStream) seen.stream.detach();
    assertThat(detached.early().readableBytes()).isEqualTo(2);
    detached.early().release();
  }

  @Test
  void tellsThatAParentRefusesATunnel() {
    Listening seen = connect(hop(Settings.parent("a")));
    last().answer("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.failure.kind()).isEqualTo(Kind.TUNNEL_REFUSED);
    assertThat(seen.failure.detail()).contains("403");
    assertThat(seen.failure.status()).isEqualTo(403);
    assertThat(last().open()).isFalse();
  }

  @Test
  void closesATunnelThatIsNotTaken() {
    Listening seen = connect(ORIGIN);
    seen.stream.cancel();
    assertThat(last().open()).isFalse();
  }

  @Test
  void dropsContentWhileThereIsNoConnection() {
    transport.usually(FakeTransport.Manner.HANG);
    Listening seen = fetch(post(5));
    seen.stream.content(bytes("hello"));
    seen.stream.cancel();
    assertThat(seen.events).isEmpty();
  }
}

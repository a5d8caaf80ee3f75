package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CONNECT as a stream of HTTP/2 (RFC 9113 section 8.5), on a forward port with prior knowledge. */
class Http2TunnelWireTest extends WireTest {
  private ServerSocket listener;
  private Http2Client client;

  @BeforeEach
  void start() throws Exception {
    startProxy("http_port 127.0.0.1:0 h2c");
    listener = closing(new ServerSocket(0, 10, InetAddress.getLoopbackAddress()));
    client = closing(Http2Client.connect(proxy.port()));
  }

  private String target() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** What the other end does with its connection. */
  private interface Script {
    void run(Socket socket) throws IOException;
  }

  private CompletableFuture<Void> other(Script script) {
    return CompletableFuture.runAsync(
        () -> {
          try (Socket socket = listener.accept()) {
            socket.setSoTimeout(RawClient.GUARD_MILLIS);
            script.run(socket);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        });
  }

  private static void done(CompletableFuture<Void> script) throws Exception {
    script.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private String onlyLogLine() throws Exception {
    client.close();
    return stopAndReadLog().get(0);
  }

  @Test
  void bytesPassBothWaysAndBothEndsEnd() throws Exception {
    CompletableFuture<Void> echo =
        other(
            socket -> {
              byte[] all = socket.getInputStream().readAllBytes();
              socket.getOutputStream().write(("got " + all.length).getBytes(ISO_8859_1));
            });
    client.connect(1, target());
    client.upload(1, "x".repeat(500_000), true);
    Http2Client.Response response = client.response(1);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.fields()).noneMatch(line -> line.startsWith("content-length"));
    assertThat(response.text()).isEqualTo("got 500000");
    assertThat(response.ended()).isTrue();
    assertThat(response.reset()).isNull();
    done(echo);
    assertThat(onlyLogLine()).contains(" TCP_TUNNEL/200 ").contains("CONNECT " + target());
  }

  @Test
  void theOtherEndMaySpeakFirstAndMuch() throws Exception {
    byte[] large = new byte[2_000_000];
    CompletableFuture<Void> sends = other(socket -> socket.getOutputStream().write(large));
    client.connect(1, target());
    assertThat(client.contentOf(1, large.length).content()).hasSize(large.length);
    done(sends);
  }

  @Test
  void aSlowTunnelHoldsUpNoOtherStreamAndNoMemory() throws Exception {
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
    CompletableFuture<Void> sends =
        other(
            socket -> {
              try {
                socket.getOutputStream().write(new byte[50_000_000]);
              } catch (IOException closed) {
                // the client has left before it took all
              }
            });
    client.keepingWindowsShut();
    client.openWindow(0, 1 << 20);
    client.connect(1, target());
    client.contentOf(1, Frames.DEFAULT_WINDOW_BYTES);
    client.get(3, origin.authority(), "/a");
    assertThat(client.response(3).text()).isEqualTo("hello");
    client.reset(1, ErrorCode.CANCEL);
    done(sends);
    client.get(5, origin.authority(), "/a");
    assertThat(client.response(5).text()).isEqualTo("hello");
  }

  @Test
  void aClientThatResetsItsStreamClosesTheOtherEnd() throws Exception {
    CompletableFuture<Void> reads =
        other(
            socket -> {
              InputStream in = socket.getInputStream();
              socket.getOutputStream().write('a');
              try {
                while (in.read() >= 0) {
                  // until the end
                }
              } catch (IOException reset) {
                // also an end
              }
            });
    client.connect(1, target());
    client.contentOf(1, 1);
    client.reset(1, ErrorCode.CANCEL);
    done(reads);
    assertThat(onlyLogLine()).contains(" TCP_TUNNEL");
  }

  @Test
  void anOtherEndThatResetsIsSeenAsAReset() throws Exception {
    CompletableFuture<Void> resets =
        other(
            socket -> {
              socket.getInputStream().read();
              socket.setSoLinger(true, 0);
            });
    client.connect(1, target());
    client.data(1, "a", false);
    assertThat(client.response(1).reset()).isNotNull();
    done(resets);
  }

  @Test
  void aTargetThatCannotBeReachedGetsAResponse() throws Exception {
    int port = listener.getLocalPort();
    listener.close();
    client.connect(1, "127.0.0.1:" + port);
    assertThat(client.response(1).status()).isEqualTo(503);
  }

  @Test
  void aClientThatLeavesClosesAllItsTunnels() throws Exception {
    CompletableFuture<Void> one = other(socket -> drain(socket));
    client.connect(1, target());
    client.contentOf(1, 1);
    CompletableFuture<Void> two = other(socket -> drain(socket));
    client.connect(3, target());
    client.contentOf(3, 1);
    client.close();
    done(one);
    done(two);
  }

  private static void drain(Socket socket) throws IOException {
    socket.getOutputStream().write('a');
    try {
      socket.getInputStream().readAllBytes();
    } catch (IOException reset) {
      // also an end
    }
  }
}

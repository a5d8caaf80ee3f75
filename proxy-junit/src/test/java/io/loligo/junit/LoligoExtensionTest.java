package io.loligo.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.MethodOrderer.MethodName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The extension with settings by code, and the end of what a test had. */
@TestMethodOrder(MethodName.class)
class LoligoExtensionTest {
  /** The port of the test before; 0: none. */
  private static final AtomicInteger BEFORE = new AtomicInteger();

  @RegisterExtension
  final LoligoExtension extension =
      LoligoExtension.with(config -> config.deny(request -> request.url().endsWith("/denied")));

  @Test
  void firstTest(TestProxy proxy, TestOrigin origin) throws Exception {
    checkAlone(proxy, origin);
  }

  @Test
  void secondTest(TestOrigin origin, TestProxy proxy) throws Exception {
    checkAlone(proxy, origin);
    proxy.assertMisses(1);
  }

  /** The proxy of the test before has ended, and this one has its own cache and settings. */
  private static void checkAlone(TestProxy proxy, TestOrigin origin) throws Exception {
    int before = BEFORE.getAndSet(proxy.address().getPort());
    if (before != 0 && before != proxy.address().getPort()) {
      Assertions.assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), before))
          .isInstanceOf(ConnectException.class);
    }
    origin.respond("/page", "hello");
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    for (String path : new String[] {"/page", "/denied"}) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(origin.url(path))).build();
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
          .isEqualTo(path.equals("/page") ? 200 : 403);
    }
    origin.assertRequests(1);
    proxy.assertDenials(1);
  }
}

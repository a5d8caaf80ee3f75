package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class Http1ServersTest {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final Http1Servers servers = new Http1Servers(ticker);
  private final Endpoint server = server(443);

  private static Endpoint server(int port) {
    return Endpoint.clear(InetAddress.getLoopbackAddress(), port);
  }

  @Test
  void remembersAServerThatChoseHttp1() {
    servers.chose(server, false);
    assertThat(servers.contains(server)).isTrue();
    assertThat(servers.mayNotBeOffered(server)).isFalse();
    assertThat(servers.contains(server(444))).isFalse();
  }

  @Test
  void forgetsItWhenItChoosesHttp2() {
    servers.chose(server, false);
    servers.chose(server, true);
    assertThat(servers.contains(server)).isFalse();
  }

  @Test
  void remembersAServerThatRequiresHttp1() {
    servers.requires(server);
    assertThat(servers.contains(server)).isTrue();
    assertThat(servers.mayNotBeOffered(server)).isTrue();
  }

  @Test
  void forgetsItAfterAWhile() {
    servers.requires(server);
    ticker.advance(Http1Servers.KNOWN_NANOS, TimeUnit.NANOSECONDS);
    assertThat(servers.mayNotBeOffered(server)).isTrue();
    ticker.advance(1, TimeUnit.NANOSECONDS);
    assertThat(servers.mayNotBeOffered(server)).isFalse();
  }

  @Test
  void remembersALimitedNumber() {
    for (int port = 1; port <= RecentServers.MAX_SERVERS + 1; port++) {
      servers.requires(server(port));
    }
    assertThat(servers.contains(server(1))).isFalse();
    assertThat(servers.contains(server(2))).isTrue();
  }
}

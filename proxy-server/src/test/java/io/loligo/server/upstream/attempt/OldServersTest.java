package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.pool.Endpoint;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OldServersTest {
  private final MockTicker ticker = Ticker.newMockTicker();
  private final OldServers servers = new OldServers(ticker);

  private static Endpoint endpoint(int port) {
    return Endpoint.clear(InetAddress.getLoopbackAddress(), port);
  }

  private boolean knows(int... ports) {
    return servers.contains(Arrays.stream(ports).mapToObj(OldServersTest::endpoint).toList());
  }

  @Test
  void remembersServersThatAnsweredWithHttp10() {
    assertThat(knows(80)).isFalse();
    servers.answered(endpoint(80), 10);
    servers.answered(endpoint(81), 11);
    assertThat(knows(80)).isTrue();
    assertThat(knows(81)).isFalse();
    assertThat(knows(80, 81)).as("one may know more").isFalse();
    servers.answered(endpoint(80), 11);
    assertThat(knows(80)).isFalse();
  }

  @Test
  void aHeaderForAClientMakesNoOtherServer() {
    Endpoint told =
        new Endpoint(
            InetAddress.getLoopbackAddress(),
            80,
            Endpoint.Security.NONE,
            HopProxyHeader.own(ProxyHeaderVersion.VERSION_1),
            null);
    servers.answered(told, 10);
    assertThat(knows(80)).isTrue();
    assertThat(servers.contains(List.of(told))).isTrue();
  }

  @Test
  void forgetsAfterAMinuteWithoutAnAnswer() {
    servers.answered(endpoint(80), 10);
    ticker.advance(59, TimeUnit.SECONDS);
    assertThat(knows(80)).isTrue();
    servers.answered(endpoint(80), 10);
    ticker.advance(1, TimeUnit.MINUTES);
    assertThat(knows(80)).isTrue();
    ticker.advance(1, TimeUnit.NANOSECONDS);
    assertThat(knows(80)).isFalse();
  }

  @Test
  void remembersSoManyAndNoMore() {
    for (int port = 1; port <= RecentServers.MAX_SERVERS; port++) {
      servers.answered(endpoint(port), 10);
    }
    servers.answered(endpoint(1), 10);
    servers.answered(endpoint(60_000), 10);
    assertThat(knows(1)).isTrue();
    assertThat(knows(2)).as("longest without an answer").isFalse();
    assertThat(knows(60_000)).isTrue();
  }
}

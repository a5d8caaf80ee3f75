package io.loligo.server.downstream.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.port.KeepAlive;
import io.loligo.server.transport.Sockets;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

class KeepAliveOptionsTest {
  private static final KeepAlive ALL = new KeepAlive(true, 30, 5, 12);

  @Test
  void namesOptionsThatThePlatformCannotSet() {
    KeepAliveOptions some = KeepAliveOptions.ofNio(Set.of(ExtendedSocketOptions.TCP_KEEPIDLE));
    assertThat(some.missing(ALL)).containsExactly("INTERVAL", "TIMEOUT");
    assertThat(some.missing(new KeepAlive(true, 30, 0, 0))).isEmpty();
    assertThat(some.missing(KeepAlive.SYSTEM)).isEmpty();
    assertThat(KeepAliveOptions.ofNio(Set.of()).missing(ALL))
        .containsExactly("IDLE", "INTERVAL", "TIMEOUT");
    assertThat(KeepAliveOptions.of(Sockets.EPOLL).missing(ALL)).isEmpty();
    assertThat(KeepAliveOptions.of(Sockets.IO_URING).missing(ALL)).isEmpty();
  }
}

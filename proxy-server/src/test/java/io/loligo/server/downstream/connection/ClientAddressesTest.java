package io.loligo.server.downstream.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class ClientAddressesTest {
  private static final InetAddress ONE = NetUtil.createInetAddressFromIpAddressString("192.0.2.1");
  private static final InetAddress TWO = NetUtil.createInetAddressFromIpAddressString("192.0.2.2");

  private final ClientAddresses addresses = new ClientAddresses();

  @Test
  void countsByAddress() {
    ClientAddresses.Count first = addresses.opened(ONE);
    ClientAddresses.Count second = addresses.opened(ONE);
    ClientAddresses.Count other = addresses.opened(TWO);
    assertThat(first.open()).isEqualTo(2);
    assertThat(other.open()).isEqualTo(1);
    addresses.closed(second);
    assertThat(first.open()).isEqualTo(1);
  }

  @Test
  void countsRequestsOfAllConnectionsOfAnAddress() {
    ClientAddresses.Count first = addresses.opened(ONE);
    ClientAddresses.Count second = addresses.opened(ONE);
    ClientAddresses.Count other = addresses.opened(TWO);
    assertThat(first.begin()).isEqualTo(1);
    assertThat(second.begin()).isEqualTo(2);
    assertThat(other.requests()).isZero();
    first.end();
    assertThat(second.requests()).isEqualTo(1);
  }

  @Test
  void forgetsAddressesWithoutConnections() {
    ClientAddresses.Count first = addresses.opened(ONE);
    ClientAddresses.Count second = addresses.opened(ONE);
    addresses.closed(first);
    assertThat(addresses.size()).isEqualTo(1);
    addresses.closed(second);
    assertThat(addresses.size()).isZero();
  }
}

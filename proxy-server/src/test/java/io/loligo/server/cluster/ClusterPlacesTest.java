package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.HostPort;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterPlacesTest {
  private static InetAddress address(String text) {
    return NetUtil.createInetAddressFromIpAddressString(text);
  }

  private static List<InetAddress> machine(String... addresses) {
    return Stream.of(addresses).map(ClusterPlacesTest::address).toList();
  }

  private static ClusterLine line(HostPort... members) {
    return new ClusterLine(
        "web",
        new HostPort("0.0.0.0", 7800),
        ClusterLine.Kind.LISTED,
        List.of(members),
        "",
        ClusterMode.PURGE,
        7801,
        100,
        1_024,
        1,
        false,
        "squid.conf:1");
  }

  @Test
  void aWildcardIsTheAddressThatTheOthersDial() throws Exception {
    ClusterLine line =
        line(
            new HostPort("proxy3", 7800),
            new HostPort("172.17.0.1", 7900),
            new HostPort("10.0.0.1", 7800),
            new HostPort("10.0.0.2", 7800));
    List<InetAddress> machine =
        machine("127.0.0.1", "fe80::1", "172.17.0.1", "10.0.0.2", "fd00::2");
    assertThat(ClusterPlaces.own(address("0.0.0.0"), machine, line)).isEqualTo(address("10.0.0.2"));
  }

  @Test
  void aNodeHasTheNameOfItsAddress() {
    InetSocketAddress own = new InetSocketAddress(address("10.0.0.2"), 7800);
    assertThat(ClusterPlaces.name(line(), own)).isEqualTo("10.0.0.2:7800");
    InetSocketAddress other = new InetSocketAddress(address("fd00::2"), 7800);
    assertThat(ClusterPlaces.name(line(), other)).isEqualTo("[fd00::2]:7800");
  }

  @Test
  void elseItIsTheFirstOfItsKindThatIsNotLoopback() throws Exception {
    List<InetAddress> machine =
        machine("127.0.0.1", "fe80::1", "172.17.0.1", "10.0.0.2", "fd00::2");
    assertThat(ClusterPlaces.own(address("0.0.0.0"), machine, line()))
        .isEqualTo(address("172.17.0.1"));
    assertThat(ClusterPlaces.own(address("::"), machine, line())).isEqualTo(address("fd00::2"));
    assertThatThrownBy(() -> ClusterPlaces.own(address("::"), machine("127.0.0.1", "::1"), line()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("listen=");
  }
}

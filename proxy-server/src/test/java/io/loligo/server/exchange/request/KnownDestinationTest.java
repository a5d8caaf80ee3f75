package io.loligo.server.exchange.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KnownDestinationTest {
  private static final InetSocketAddress PINNED = new InetSocketAddress("192.0.2.1", 443);
  private static final byte[] NAMED = {(byte) 198, 51, 100, 7};

  @Test
  void rulesSeeThePinnedAddressAndOnRequestThoseOfTheHost() {
    KnownDestination pinned =
        KnownDestination.UNKNOWN.at(List.of(NAMED)).pinnedTo(PINNED, /* conflict= */ true);
    assertThat(pinned.pinned()).isEqualTo(PINNED);
    assertThat(pinned.conflict()).isTrue();
    assertThat(pinned.addresses()).containsExactly(new byte[] {(byte) 192, 0, 2, 1});
    assertThat(pinned.withAliases()).containsExactly(new byte[] {(byte) 192, 0, 2, 1}, NAMED);
  }

  @Test
  void hasNoMoreAddressesThanThoseOfTheHost() {
    assertThat(KnownDestination.UNKNOWN.withAliases()).isNull();
    assertThat(KnownDestination.UNKNOWN.at(List.of(NAMED)).withAliases()).isNull();
  }
}

package io.loligo.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The addresses and masks are those of Squid's applyClientMask. */
class ClientMaskTest {
  @ParameterizedTest
  @CsvSource({
    "255.255.255.0, 192.0.2.77, 192.0.2.0",
    "255.255.0.0, 192.0.2.77, 192.0.0.0",
    "255.0.255.15, 192.9.2.255, 192.0.2.15",
    "0.0.0.0, 192.0.2.77, 0.0.0.0",
    "255.255.255.255, 192.0.2.77, 192.0.2.77",
    ", 192.0.2.77, 192.0.2.77",
    "255.255.255.0, 127.0.0.1, 127.0.0.1",
    "255.255.255.0, 127.0.0.2, 127.0.0.0",
    "255.255.255.0, 2001:db8::77, 2001:db8::77",
    "255.255.255.0, error:transaction, error:transaction",
  })
  void theMaskedPartIsLogged(@Nullable String mask, String address, String logged) {
    assertThat(ClientMask.of(mask).apply(address)).isEqualTo(logged);
  }
}

package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AliasesTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 127.0.0.1",
    "::, ::1",
    "::10.1.2.3, 10.1.2.3",
    "::ffff:0:10.1.2.3, 10.1.2.3",
    "64:ff9b::10.1.2.3, 10.1.2.3",
    "64:ff9b:1::10.1.2.3, 10.1.2.3",
    "64:ff9b:1:ffff:1::10.1.2.3, 10.1.2.3",
    "2002:a01:203::1, 10.1.2.3"
  })
  void leadTo(String address, String other) {
    assertThat(Aliases.of(IpText.parse(address))).isEqualTo(IpText.parse(other));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1", "0.0.0.1", "10.1.2.3", "::1", "2001:db8::1", "fe80::1", "64:ff9c::1"})
  void mostAddressesLeadNowhereElse(String address) {
    assertThat(Aliases.of(IpText.parse(address))).isNull();
  }
}

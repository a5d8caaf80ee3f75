package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import org.junit.jupiter.api.Test;
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
    "64:ff9b:1:a01:2:300::, 10.1.2.3",
    "64:ff9b:1:a01:2:300:ffff:ffff, 10.1.2.3",
    "64:ff9b:1:ff0a:1:203::, 10.1.2.3",
    "64:ff9b:1:ffff:a:102:300::, 10.1.2.3",
    "64:ff9b::0.0.0.0, 127.0.0.1",
    "64:ff9b::0.0.0.0, 0.0.0.0",
    "64:ff9b:1::0.0.0.0, 127.0.0.1",
    "2002:0:0::1, 127.0.0.1",
    "2001:0:c000:201:0:3fff:f5fe:fdfc, 10.1.2.3",
    "2001::ffff:ffff, 127.0.0.1",
    "fe80::5efe:10.1.2.3, 10.1.2.3",
    "2002:808:808:1:0:5efe:127.0.0.1, 127.0.0.1",
    "2002:808:808:1:0:5efe:127.0.0.1, 8.8.8.8",
    "2001:db8:1:2:200:5efe:10.1.2.3, 10.1.2.3",
    "2002:a01:203::1, 10.1.2.3"
  })
  void leadTo(String address, String other) {
    assertThat(Aliases.of(IpText.parse(address))).contains(IpText.parse(other));
  }

  /** Zeros in the place of an address are a part of a longer prefix. */
  @Test
  void leadOnlyToTheAddressBehindALongPrefix() {
    assertThat(Aliases.of(IpText.parse("64:ff9b:1::10.1.2.3")))
        .containsExactly(IpText.parse("10.1.2.3"));
    assertThat(Aliases.of(IpText.parse("64:ff9b:1:a01:2:300::")))
        .doesNotContain(IpText.parse("0.0.0.0"), IpText.parse("127.0.0.1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "0.0.0.1",
        "10.1.2.3",
        "::1",
        "2001:db8::1",
        "2001:1::10.1.2.3",
        "fe80::1",
        "fe80::100:5efe:10.1.2.3",
        "64:ff9c::1"
      })
  void mostAddressesLeadNowhereElse(String address) {
    assertThat(Aliases.of(IpText.parse(address))).isEmpty();
  }
}

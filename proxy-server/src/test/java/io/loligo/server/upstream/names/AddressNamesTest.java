package io.loligo.server.upstream.names;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressNamesTest {
  /** RFC 1035 section 3.5, RFC 3596 section 2.5. */
  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 7.2.0.192.in-addr.arpa.",
    "::ffff:192.0.2.7, 7.2.0.192.in-addr.arpa.",
    "2001:db8::567:89ab, "
        + "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa.",
  })
  void asksForTheDomainOfAnAddress(String address, String domain) {
    assertThat(AddressNames.question(address)).isEqualTo(domain);
  }

  @ParameterizedTest
  @CsvSource({
    "Host.Example., host.example",
    "a_b-c.example, a_b-c.example",
    "'', none",
    "., none",
    "a b, none",
    "a/b.example, none",
    "bücher.example, none",
  })
  void takesOnlyNamesThatAHostCanHave(String hostname, String name) {
    assertThat(AddressNames.name(hostname)).isEqualTo(name);
  }

  @Test
  void takesNoNameThatIsTooLong() {
    assertThat(AddressNames.name("a".repeat(253))).hasSize(253);
    assertThat(AddressNames.name("a".repeat(254))).isEqualTo("none");
  }
}

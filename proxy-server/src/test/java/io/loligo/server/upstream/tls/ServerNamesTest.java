package io.loligo.server.upstream.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.tls.TestAuthority;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ServerNamesTest {
  private static ServerNames names(String... names) {
    return new ServerNames(List.of(names), List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "www.example.com, www.example.com",
    "*.example.com, www.example.com",
    "www.example.com, www.example.com.",
    "single, single",
    "*.a.b.example.com, x.a.b.example.com"
  })
  void includesTheServer(String name, String server) {
    assertThat(names("other.test", name).include(server)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "www.example.com, example.com",
    "www.example.com, www.example.com.evil.test",
    "*.example.com, example.com",
    "*.example.com, a.b.example.com",
    "*.example.com, .example.com",
    "*.com, example.com",
    "*., example.",
    "*, example",
    "w*.example.com, www.example.com",
    "www.*.com, www.example.com",
    "127.0.0.1, 127.0.0.1",
    "'', example.com"
  })
  void excludesOtherServers(String name, String server) {
    assertThat(names(name).include(server)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "2001:db8:0:0:0:0:0:1, 2001:db8::1, true",
    "192.0.2.1, www.example.com, false"
  })
  void comparesAddresses(String address, String server, boolean included) {
    assertThat(new ServerNames(List.of(), List.of(address)).include(server)).isEqualTo(included);
  }

  @Test
  void areThoseOfTheAlternativeName() {
    ServerNames names =
        ServerNames.of(
            TestAuthority.selfSigned(
                    TestAuthority.named("common.test")
                        .names("WWW.Example.com", "192.0.2.1", "2001:db8::1"))
                .certificate());
    assertThat(names.include("www.example.com")).isTrue();
    assertThat(names.include("192.0.2.1")).isTrue();
    assertThat(names.include("2001:db8::1")).isTrue();
    assertThat(names.include("common.test")).isFalse();
  }

  @Test
  void aCommonNameAloneIsNone() {
    ServerNames names =
        ServerNames.of(TestAuthority.selfSigned(TestAuthority.named("a.test")).certificate());
    assertThat(names.include("a.test")).isFalse();
    assertThat(names).hasToString("none");
  }
}

package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Host and port (RFC 3986 section 3.2, RFC 9110 section 4.2)")
final class AuthorityTest {
  private static boolean isValid(String text) {
    byte[] bytes = ("<" + text + ">").getBytes(StandardCharsets.ISO_8859_1);
    return Authority.isValid(bytes, 1, bytes.length - 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "example.com",
        "EXAMPLE.com.",
        "a_b-c.d",
        "a~b",
        "a=b.test",
        "a!b",
        "a$b",
        "a&b",
        "a*b",
        "*",
        "a+b:80",
        "a=b.",
        "=",
        "1.2.3.4=",
        "a.1=",
        "xn--nxasmq6b",
        "a:80",
        "a:",
        "a:1",
        "a:65535",
        "a:00080",
        "127.0.0.1",
        "255.255.255.255:8080",
        "1.2.3.4.",
        "1a",
        "a.1b",
        "3com.net",
        "0x.com",
        "a.0xg",
        "[::]",
        "[::1]:80",
        "[1:2:3:4:5:6:7:8]",
        "[1::8]",
        "[1:2:3:4:5:6:7::]",
        "[::2:3:4:5:6:7:8]",
        "[fe80::ABCD]",
        "[::ffff:1.2.3.4]",
        "[1:2:3:4:5:6:1.2.3.4]",
        "[::1.2.3.4]"
      })
  void takes(String authority) {
    assertThat(isValid(authority)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a b",
        "a\tb",
        "a,b",
        "a;b",
        "a'b",
        "(a)",
        "a=b,c",
        "a=b..c",
        "a=b c",
        "a\"b",
        "<a>",
        "a\\b",
        "a^b",
        "a`b",
        "{a}",
        "a|b",
        "a\u0000b",
        "a\u007fb",
        "a=b.1",
        "a=b.0x7f",
        "a=%3d",
        "a/b",
        "a?b",
        "a#b",
        "a%2eb",
        "u@a",
        "u:p@a",
        "a@b:80",
        "\u00e9",
        ":",
        ":80",
        "a:0",
        "a:65536",
        "a:-1",
        "a:+1",
        "a:8 0",
        "a:80:80",
        "a:x",
        "a:99999999999",
        "1",
        "127.1",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "1.2.3.04",
        "0x7f000001",
        "127.0.0.0x1",
        "a.1",
        "a.0x",
        "2130706433",
        "1.2.3.4444",
        "[",
        "]",
        "[]",
        "[::1",
        "::1",
        "[::1]80",
        "[::1]x",
        "[:::]",
        "[:1]",
        "[1:]",
        "[1::2::3]",
        "[1:2:3:4:5:6:7]",
        "[1:2:3:4:5:6:7:8:9]",
        "[1::2:3:4:5:6:7:8]",
        "[12345::]",
        "[::g]",
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[1.2.3.4]",
        "[::1.2.3]",
        "[::1.2.3.256]",
        "[1:2:3:4:5:6:7:1.2.3.4]",
        "[::1.2.3.4:5]",
        "[v1.a]",
        "[::1]]",
        "[[::1]]"
      })
  void refuses(String authority) {
    assertThat(isValid(authority)).isFalse();
  }

  @Test
  void boundsTheName() {
    String longest = ("a".repeat(62) + ".").repeat(4) + "b";
    assertThat(longest).hasSize(Authority.MAX_HOST_BYTES);
    assertThat(isValid(longest)).isTrue();
    assertThat(isValid(longest + ".:80")).isTrue();
    assertThat(isValid(longest + "b")).isFalse();
  }
}

package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hashes that openssl, crypt(3) of glibc and htpasswd have made. */
class PasswordHashTest {
  private static boolean matches(String hash, String password) {
    return PasswordHash.of(hash).matches(password.getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
        "$2a$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
        "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
        "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
        "$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN"
            + ".Pq.H91p5hVO1",
        "$1$saltsalt$9xy1btjgzLYfb7hivXtC//",
        "$apr1$saltsalt$LrttParrLPdxvgutaSXWJ0",
        "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=",
        "5ebe2294ecd0e0f08eab7690d2a6ee69",
      })
  void aHashMatchesItsPasswordOnly(String hash) {
    assertThat(PasswordHash.of(hash).isUsable()).isTrue();
    assertThat(matches(hash, "secret")).isTrue();
    assertThat(matches(hash, "secreT")).isFalse();
    assertThat(matches(hash, "secret ")).isFalse();
    assertThat(matches(hash, "")).isFalse();
  }

  @Test
  void theBytesOfAPasswordCount() {
    String hash =
        "$6$rounds=1000$ab$WXLO6YnK.6HR/t31nAPLEzCQfAuoM3cb.q7ikE7Gr52.7aU2Q29A9iLCMkEYn.Zx3/ygq"
            + "1eVRsc5RNOfpqnOB1";
    assertThat(matches(hash, "sec\u00c3\u00b6ret")).isTrue();
    assertThat(matches(hash, "sec\u00f6ret")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "abNANd1rDfiNc", // DES
    "secret",
    "''",
    "$y$j9T$abc$def",
    "$2x$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
    "$2y$04$abcdefghijklmnopqrstuu",
    "$2y$99$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW",
    "$5$$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
    "$5$rounds=99999999999$s$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA",
    "!$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHww",
    "*",
  })
  void otherTextIsNoHash(String text) {
    assertThat(PasswordHash.of(text).isUsable()).isFalse();
    assertThat(matches(text, "secret")).isFalse();
    assertThat(matches(text, text)).isFalse();
  }

  @Test
  void showsNoHash() {
    assertThat(PasswordHash.of("{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=")).hasToString("SHA1");
  }
}

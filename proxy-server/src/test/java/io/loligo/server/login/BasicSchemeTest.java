package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BasicSchemeTest {
  private static BasicScheme scheme(boolean caseSensitive, boolean utf8) {
    return new BasicScheme(
        new BasicSettings(
            List.of("basic_ncsa_auth", "f"),
            "",
            "my \"realm\"",
            1,
            caseSensitive,
            utf8,
            1,
            -1,
            null,
            null));
  }

  private static BasicScheme.Read read(BasicScheme scheme, String value) {
    byte[] bytes = ("xx" + value + "yy").getBytes(ISO_8859_1);
    return scheme.read(bytes, 2, bytes.length - 2);
  }

  private static String encoded(String clear, Charset charset) {
    return "Basic " + Base64.getEncoder().encodeToString(clear.getBytes(charset));
  }

  private static BasicScheme.Read readClear(String clear) {
    return read(scheme(false, false), encoded(clear, ISO_8859_1));
  }

  @Test
  void challengesWithTheRealm() {
    assertThat(scheme(false, false).challenge()).isEqualTo("Basic realm=\"my \\\"realm\\\"\"");
    assertThat(scheme(false, true).challenge()).endsWith("\", charset=\"UTF-8\"");
  }

  @Test
  void theFirstColonEndsTheName() {
    Credentials read = readClear("Bob:se:cret").credentials();
    assertThat(read).isEqualTo(new Credentials("bob", "se:cret"));
    assertThat(read).hasToString("Credentials[bob]");
    assertThat(read(scheme(true, false), encoded("Bob:x", ISO_8859_1)).user()).isEqualTo("Bob");
  }

  @ParameterizedTest
  @ValueSource(strings = {"basic Ym9iOng=", "BASIC  Ym9iOng=", "Basic Ym9iOng"})
  void theSchemeHasNoCase(String value) {
    assertThat(read(scheme(false, false), value).credentials())
        .isEqualTo(new Credentials("bob", "x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Basic",
        "Basic ",
        "Basicx Ym9iOng=",
        "Basic\tYm9iOng=",
        "Digest Ym9iOng=",
        "Bas",
        "Basic Ym9iOng=!",
        "Basic Ym9i Ong=",
        "Basic ====",
        "Basic Y"
      })
  void otherValuesAreNothing(String value) {
    BasicScheme.Read read = read(scheme(false, false), value);
    assertThat(read.user()).isNull();
    assertThat(read.credentials()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {":x", "b\nob:x", "b\rob:x", "b\0ob:x", "b\u007fob:x", "b\tob:x", ""})
  void aNameHasNoControlCharacters(String clear) {
    assertThat(readClear(clear)).isEqualTo(BasicScheme.Read.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bob", "bob:", "bob:a\nb", "bob:a\rb", "bob:a\0b"})
  void anUnusablePasswordLeavesTheNameForTheLog(String clear) {
    BasicScheme.Read read = readClear(clear);
    assertThat(read.user()).isEqualTo("bob");
    assertThat(read.credentials()).isNull();
  }

  @Test
  void longCredentialsAreNothing() {
    int rest = BasicScheme.MAX_BYTES - "bob:".length();
    assertThat(readClear("bob:" + "x".repeat(rest)).credentials()).isNotNull();
    assertThat(readClear("bob:" + "x".repeat(rest + 1))).isEqualTo(BasicScheme.Read.NOTHING);
    assertThat(readClear("b".repeat(60_000) + ":x")).isEqualTo(BasicScheme.Read.NOTHING);
  }

  @Test
  void otherBytesBecomeUtf8IfTheConfigurationSaysSo() {
    Credentials utf8 = new Credentials("b\u00c3\u00b6b", "\u00c3\u00a9");
    for (Charset charset : List.of(UTF_8, ISO_8859_1)) {
      assertThat(read(scheme(false, true), encoded("b\u00f6b:\u00e9", charset)).credentials())
          .isEqualTo(utf8);
    }
    assertThat(read(scheme(false, false), encoded("b\u00f6b:\u00e9", ISO_8859_1)).credentials())
        .isEqualTo(new Credentials("b\u00f6b", "\u00e9"));
  }
}

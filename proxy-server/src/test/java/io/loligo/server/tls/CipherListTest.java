package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CipherListTest {
  private static List<String> suites(String text) {
    return CipherList.of(text).suites();
  }

  @Test
  void defaultsHaveForwardSecrecyAndAuthenticatedEncryption() {
    assertThat(CipherSuite.defaults())
        .hasSize(6)
        .allMatch(name -> name.startsWith("TLS_ECDHE_"))
        .allMatch(name -> name.contains("GCM") || name.contains("CHACHA20"));
    assertThat(suites("DEFAULT")).isEqualTo(CipherSuite.defaults());
  }

  @ParameterizedTest
  @CsvSource({
    "ECDHE-RSA-AES128-GCM-SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE+CHACHA20+aRSA, TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "HIGH:!ECDHE:!AES128:!SHA, TLS_RSA_WITH_AES_256_GCM_SHA384",
    "EECDH+ECDSA+AES128+AESGCM, TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
  })
  void wordsAreConjunctionsAndExclusions(String text, String only) {
    assertThat(suites(text)).containsExactly(only);
  }

  @Test
  void anExcludedSuiteStaysOutHoweverOftenItIsNamed() {
    assertThat(suites("!AES256:HIGH:AES256")).isNotEmpty().noneMatch(n -> n.contains("AES_256"));
  }

  @Test
  void aRemovedSuiteMayComeBackAtTheEnd() {
    assertThat(suites("DEFAULT:-AES128:AES128+aRSA+AESGCM"))
        .endsWith("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256");
  }

  @Test
  void aPlusMovesSuitesToTheEnd() {
    assertThat(suites("DEFAULT:+AES128"))
        .hasSize(6)
        .endsWith(
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
  }

  @Test
  void strengthPutsLongKeysFirst() {
    assertThat(suites("DEFAULT:@STRENGTH").get(0)).doesNotContain("AES_128");
    assertThat(suites("DEFAULT:@STRENGTH").get(5)).contains("AES_128");
  }

  @ParameterizedTest
  @ValueSource(strings = {"!RC4", "!aNULL", "!3DES", "DHE-RSA-AES256-SHA", "kEDH"})
  void wordsOfAbsentSuitesAreNoted(String word) {
    CipherList list = CipherList.of("DEFAULT:" + word);
    assertThat(list.empty()).containsExactly(word);
    assertThat(list.unknown()).isEmpty();
    assertThat(list.suites()).isEqualTo(CipherSuite.defaults());
  }

  @ParameterizedTest
  @ValueSource(strings = {"!WEAK", "strong", "@SECLEVEL=3", "!TLS_AES_128_GCM_SHA256"})
  void wordsThatAreNotUnderstoodAreUnknown(String word) {
    assertThat(CipherList.of("DEFAULT:" + word).unknown()).containsExactly(word);
  }
}

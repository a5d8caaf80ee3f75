package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.helper.Helpers;
import io.loligo.server.login.digest.DigestNonceRules;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoginsTest {
  private static final Helpers HELPERS = new Helpers((millis, task) -> {}, System::nanoTime);

  private static final BasicSettings BASIC =
      new BasicSettings(
          List.of("basic_ncsa_auth", "f"), "", "r", 60, false, false, 1, -1, null, null);

  private static final DigestSettings DIGEST =
      new DigestSettings(
          List.of("digest_file_auth", "/no/file"),
          "r",
          false,
          true,
          false,
          DigestNonceRules.USUAL,
          null,
          null);

  private final StoppedTime time = new StoppedTime();
  private final Logins logins = logins(1);

  private Logins logins(long addressSeconds, SchemeSettings... more) {
    return Logins.of(settings(addressSeconds, more), time, HELPERS);
  }

  private static LoginSettings settings(long addressSeconds, SchemeSettings... schemes) {
    List<SchemeSettings> all = schemes.length == 0 ? List.of(BASIC) : List.of(schemes);
    return new LoginSettings(
        new AuthSchemes(all), OfferRules.ALL, 600, addressSeconds, 3, true, false);
  }

  @Test
  void schemesAreOfferedInTheOrderOfTheFile() {
    assertThat(logins(1, BASIC, DIGEST).challenge(null, null, true).values())
        .satisfiesExactly(
            basic -> assertThat(basic).isEqualTo("Basic realm=\"r\""),
            digest -> assertThat(digest).startsWith("Digest realm=\"r\", nonce=\""));
    assertThat(logins(1, DIGEST, BASIC).challenge(null, null, true).values().get(1))
        .startsWith("Basic ");
    assertThat(logins(1, DIGEST, BASIC).offersAlwaysTheSame()).isFalse();
    assertThat(logins.offersAlwaysTheSame()).isTrue();
  }

  @Test
  void aReloadKeepsNoncesAndKeys() {
    Logins before = logins(1, DIGEST, BASIC);
    Logins next = Logins.under(before, settings(2, BASIC, DIGEST), time, HELPERS);
    byte[] bytes = "Basic abc".getBytes(ISO_8859_1);
    assertThat(next.newHash().of(bytes, 0, bytes.length, null))
        .isEqualTo(before.newHash().of(bytes, 0, bytes.length, null));
    LoginSettings none =
        new LoginSettings(new AuthSchemes(List.of()), OfferRules.ALL, 1, 1, 3, false, false);
    assertThat(Logins.under(before, none, time, HELPERS)).isNull();
  }

  @Test
  void hashesDifferByProcessAndValue() {
    byte[] bytes = "xxBasic abc".getBytes(ISO_8859_1);
    CredentialHash hash = logins.newHash();
    CredentialKey key = hash.of(bytes, 2, bytes.length, null);
    assertThat(hash.of(bytes, 2, bytes.length, null)).isEqualTo(key);
    assertThat(logins.newHash().of(bytes, 2, bytes.length, null)).isEqualTo(key);
    assertThat(hash.of(bytes, 1, bytes.length, null)).isNotEqualTo(key);
    assertThat(hash.of(bytes, 2, bytes.length - 1, null)).isNotEqualTo(key);
    assertThat(hash.of(bytes, 2, bytes.length, "extra")).isNotEqualTo(key);
    Logins others = logins(1);
    assertThat(others.newHash().of(bytes, 2, bytes.length, null)).isNotEqualTo(key);
  }

  @Test
  void addressesOfAUserCountForTheirTime() {
    byte[] one = {1, 1, 1, 1};
    byte[] two = {2, 2, 2, 2};
    long now = 10_000;
    logins.countAddress("bob", one, now);
    logins.countAddress("bob", one, now);
    logins.countAddress("alice", two, now);
    assertThat(logins.hasMoreAddresses(1, true, "bob", one)).isFalse();
    logins.countAddress("bob", two, now + 999);
    assertThat(logins.hasMoreAddresses(1, true, "bob", two)).isTrue();
    assertThat(logins.hasMoreAddresses(1, true, "bob", two)).as("forgotten").isFalse();
    logins.countAddress("bob", two, now + 1_000);
    assertThat(logins.hasMoreAddresses(1, false, "bob", two)).as("the first is over").isFalse();
    logins.countAddress("bob", one, now + 1_000);
    assertThat(logins.hasMoreAddresses(1, false, "bob", one)).isTrue();
    assertThat(logins.hasMoreAddresses(0, false, "bob", one)).as("all are forgotten").isFalse();
  }
}

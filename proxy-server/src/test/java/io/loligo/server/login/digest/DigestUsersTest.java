package io.loligo.server.login.digest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DigestUsersTest {
  private static final String HA1 = DigestAlgorithm.MD5.ha1("bob", "office", "secret");
  private static final String HA1_256 = DigestAlgorithm.SHA_256.ha1("bob", "office", "secret");

  private static DigestUsers users(boolean hashed, String... lines) {
    return DigestUsers.of(String.join("\n", lines), "office", hashed);
  }

  @Test
  void passwordsServeAllAlgorithms() {
    DigestUsers users = users(false, "# comment", "", " x:y", "bob:secret", "noone", ":empty");
    assertThat(users.ha1("bob", DigestAlgorithm.MD5)).isEqualTo(HA1);
    assertThat(users.ha1("bob", DigestAlgorithm.SHA_256)).isEqualTo(HA1_256);
    assertThat(users.ha1("x", DigestAlgorithm.MD5)).isNull();
    assertThat(users.offered()).containsExactly(DigestAlgorithm.SHA_256, DigestAlgorithm.MD5);
  }

  @Test
  void theLineWithTheRealmGoesFirst() {
    DigestUsers users = users(false, "bob:office:secret", "bob:other", "bob:lab:third", "al:lab:x");
    assertThat(users.ha1("bob", DigestAlgorithm.MD5)).isEqualTo(HA1);
    assertThat(users.ha1("al", DigestAlgorithm.MD5)).isNull();
  }

  @Test
  void aHashServesItsAlgorithm() {
    DigestUsers md5 = users(true, "bob:office:" + HA1.toUpperCase(java.util.Locale.ROOT));
    assertThat(md5.ha1("bob", DigestAlgorithm.MD5)).isEqualTo(HA1);
    assertThat(md5.ha1("bob", DigestAlgorithm.SHA_256)).isNull();
    assertThat(md5.offered()).containsExactly(DigestAlgorithm.MD5);
    DigestUsers sha = users(true, "bob:office:" + HA1_256);
    assertThat(sha.ha1("bob", DigestAlgorithm.SHA_256)).isEqualTo(HA1_256);
    assertThat(sha.offered()).containsExactly(DigestAlgorithm.SHA_256);
    DigestUsers both = users(false, "bob:office:{HHA1}" + HA1, "al:x");
    assertThat(both.ha1("bob", DigestAlgorithm.MD5)).isEqualTo(HA1);
    assertThat(both.offered()).as("bob cannot use SHA-256").containsExactly(DigestAlgorithm.MD5);
    assertThat(users(true).offered()).containsExactly(DigestAlgorithm.MD5);
  }

  @Test
  void namesUsersWithoutAUsableHash() {
    assertThat(users(true, "bob:office:secret", "al:office:" + HA1).remark()).contains("bob");
    assertThat(users(true, "al:office:" + HA1).remark()).isEmpty();
  }
}

package io.loligo.server.login.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.login.digest.DigestNonces.Worth;
import org.junit.jupiter.api.Test;

class DigestNoncesTest {
  private long millis = 1_000_000;

  private DigestNonces nonces(boolean checksCount, boolean strict) {
    return new DigestNonces(rules(checksCount, strict), () -> millis, 3);
  }

  private static DigestNonceRules rules(boolean checksCount, boolean strict) {
    return new DigestNonceRules(60_000, 5, checksCount, strict, 10_000);
  }

  @Test
  void aCountIsUsedOnce() {
    DigestNonces nonces = nonces(true, false);
    String nonce = nonces.next();
    assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.use(nonce, "bob", 3)).isEqualTo(Worth.GOOD);
    assertThat(nonces.use(nonce, "bob", 3)).isEqualTo(Worth.STALE);
    assertThat(nonces.use(nonce, "bob", 4)).as("of no use after a replay").isEqualTo(Worth.STALE);
    String zero = nonces.next();
    assertThat(nonces.use(zero, "bob", 0)).isEqualTo(Worth.STALE);
  }

  @Test
  void aStrictCountHasNoGaps() {
    DigestNonces nonces = nonces(true, true);
    String nonce = nonces.next();
    assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.use(nonce, "bob", 2)).isEqualTo(Worth.GOOD);
    assertThat(nonces.use(nonce, "bob", 4)).isEqualTo(Worth.STALE);
  }

  @Test
  void aCountThatIsNotCheckedStillEndsWithTheMost() {
    DigestNonces nonces = nonces(false, false);
    String nonce = nonces.next();
    for (int i = 0; i < 5; i++) {
      assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.GOOD);
    }
    assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.STALE);
  }

  @Test
  void aNonceBelongsToOneUser() {
    DigestNonces nonces = nonces(true, false);
    String nonce = nonces.next();
    assertThat(nonces.isUsedBy(nonce, "bob")).isFalse();
    assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.isUsedBy(nonce, "bob")).isTrue();
    assertThat(nonces.isUsedBy(nonce, "alice")).isFalse();
    assertThat(nonces.use(nonce, "alice", 2)).isEqualTo(Worth.STALE);
    assertThat(nonces.use(nonce, "bob", 2)).isEqualTo(Worth.GOOD);
  }

  @Test
  void aNonceHasItsTime() {
    DigestNonces nonces = nonces(true, false);
    String nonce = nonces.next();
    String unused = nonces.next();
    millis += 60_000;
    assertThat(nonces.isFresh(nonce)).isTrue();
    assertThat(nonces.use(nonce, "bob", 1)).isEqualTo(Worth.GOOD);
    millis++;
    assertThat(nonces.isFresh(nonce)).isFalse();
    assertThat(nonces.use(nonce, "bob", 2)).isEqualTo(Worth.STALE);
    assertThat(nonces.use(unused, "bob", 1)).isEqualTo(Worth.STALE);
    assertThat(nonces.size()).as("what is too old takes no memory").isEqualTo(1);
  }

  @Test
  void othersNoncesAreNone() {
    DigestNonces nonces = nonces(true, false);
    String nonce = nonces.next();
    assertThat(nonces.isFresh(nonce)).isTrue();
    assertThat(nonces(true, false).isFresh(nonce)).isFalse();
    char last = nonce.charAt(nonce.length() - 1);
    String changed = nonce.substring(0, nonce.length() - 1) + (last == '0' ? '1' : '0');
    assertThat(nonces.isFresh(changed)).isFalse();
    for (String bad :
        new String[] {"", "x", "0".repeat(48), "g".repeat(48), "+" + nonce.substring(1)}) {
      assertThat(nonces.isFresh(bad)).as(bad).isFalse();
      assertThat(nonces.use(bad, "bob", 1)).isEqualTo(Worth.STALE);
    }
  }

  @Test
  void noMemoryIsNeededForNoncesThatNobodyUses() {
    DigestNonces nonces = nonces(true, false);
    String first = nonces.next();
    for (int i = 0; i < 1_000; i++) {
      assertThat(nonces.next()).isNotEqualTo(first);
    }
    assertThat(nonces.size()).isZero();
    assertThat(nonces.use(first, "bob", 1)).isEqualTo(Worth.GOOD);
  }

  @Test
  void aForgottenNonceIsStale() {
    DigestNonces nonces = nonces(true, false);
    String first = nonces.next();
    assertThat(nonces.use(first, "bob", 1)).isEqualTo(Worth.GOOD);
    String unused = nonces.next();
    for (int i = 0; i < 3; i++) {
      assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    }
    assertThat(nonces.size()).isEqualTo(3);
    assertThat(nonces.use(first, "bob", 1)).as("replayed").isEqualTo(Worth.STALE);
    assertThat(nonces.use(first, "bob", 2)).isEqualTo(Worth.STALE);
    assertThat(nonces.isFresh(unused)).isTrue();
    assertThat(nonces.use(unused, "bob", 1)).as("older than all in use").isEqualTo(Worth.STALE);
    assertThat(nonces.size()).isEqualTo(3);
  }

  @Test
  void oldNoncesAreForgotten() {
    DigestNonces nonces = nonces(true, false);
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    millis += 61_000;
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.size()).isEqualTo(1);
  }

  @Test
  void oldNoncesAreForgottenAtIntervals() {
    DigestNonces nonces = nonces(true, false);
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    millis += 55_000;
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    millis += 6_000;
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.size()).as("the first one is too old").isEqualTo(3);
    millis += 4_000;
    assertThat(nonces.use(nonces.next(), "bob", 1)).isEqualTo(Worth.GOOD);
    assertThat(nonces.size()).isEqualTo(3);
  }
}

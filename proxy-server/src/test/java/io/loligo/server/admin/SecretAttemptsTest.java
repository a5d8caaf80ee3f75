package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How often a secret can be guessed, by a clock that the test turns. */
class SecretAttemptsTest {
  private long nowNanos = Long.MAX_VALUE - 5;
  private final SecretAttempts attempts = new SecretAttempts(() -> nowNanos);

  private void fail(String client, int times) {
    for (int i = 0; i < times; i++) {
      attempts.failed(client);
    }
  }

  private void pass(long seconds) {
    nowNanos += TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void anAddressMayFailSomeTimesThenAtAPace() {
    fail("a", SecretAttempts.BURST - 1);
    assertThat(attempts.allowed("a")).isTrue();
    fail("a", 1);
    assertThat(attempts.allowed("a")).isFalse();
    assertThat(attempts.allowed("b")).isTrue();
    pass(SecretAttempts.RECOVERY_SECONDS);
    assertThat(attempts.allowed("a")).isTrue();
    fail("a", 1);
    assertThat(attempts.allowed("a")).isFalse();
    pass(1000L * SecretAttempts.RECOVERY_SECONDS);
    fail("a", SecretAttempts.BURST - 1);
    assertThat(attempts.allowed("a")).isTrue();
    fail("a", 1);
    assertThat(attempts.allowed("a")).isFalse();
  }

  @Test
  void manyAddressesShareOneAllowance() {
    for (int i = 0; i < SecretAttempts.MAX_ADDRESSES; i++) {
      fail("known" + i, 1);
    }
    for (int i = 0; i < SecretAttempts.BURST; i++) {
      assertThat(attempts.allowed("new" + i)).isTrue();
      fail("new" + i, 1);
    }
    assertThat(attempts.allowed("yet another")).isFalse();
    assertThat(attempts.allowed("known1")).isTrue();
    pass(SecretAttempts.RECOVERY_SECONDS);
    fail("another", 1);
    assertThat(attempts.allowed("new1")).as("there is room again").isTrue();
  }

  @Test
  void aRefusalIsToldOnce() {
    fail("a", SecretAttempts.BURST);
    assertThat(attempts.firstRefusal("a")).isTrue();
    assertThat(attempts.firstRefusal("a")).isFalse();
    pass(SecretAttempts.RECOVERY_SECONDS);
    assertThat(attempts.allowed("a")).isTrue();
    fail("a", 1);
    assertThat(attempts.firstRefusal("a")).isTrue();
  }
}

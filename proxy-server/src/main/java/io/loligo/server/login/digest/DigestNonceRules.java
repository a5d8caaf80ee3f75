package io.loligo.server.login.digest;

/**
 * How long and how often a nonce may be used. Immutable.
 *
 * @param maxMillis {@code nonce_max_duration} in milliseconds
 * @param maxCount {@code nonce_max_count}: most requests with one nonce
 * @param checksCount {@code check_nonce_count}: whether a count must be higher than all before
 * @param strict {@code nonce_strictness}: whether it must be higher by one
 * @param collectMillis {@code nonce_garbage_interval}: how often old nonces are forgotten
 */
public record DigestNonceRules(
    long maxMillis, long maxCount, boolean checksCount, boolean strict, long collectMillis) {
  /** The values that Squid has without a line. */
  public static final DigestNonceRules USUAL =
      new DigestNonceRules(30 * 60_000, 50, true, false, 5 * 60_000);
}

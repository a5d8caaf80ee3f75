package io.loligo.server.exchange.settings;

/** {@code loligo_stored_set_cookie}: how Set-Cookie of stored responses is treated. */
public enum StoredSetCookie {
  /** {@link #REPLAY} on accel ports, {@link #STRIP} on other ports. */
  AUTO,
  /** Every client gets the field. */
  REPLAY,
  /** No client gets the field. */
  STRIP,
  /** A response with Set-Cookie is not stored. */
  BYPASS
}

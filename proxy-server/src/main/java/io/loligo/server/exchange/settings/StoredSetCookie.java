package io.loligo.server.exchange.settings;

/** {@code loligo_stored_set_cookie}: what becomes of Set-Cookie in stored responses. */
public enum StoredSetCookie {
  /** Replayed on accel ports, stripped on forward ports. */
  AUTO,
  /** Sent to every client. */
  REPLAY,
  /** Sent to no client. */
  STRIP,
  /** A response with Set-Cookie is not stored. */
  BYPASS
}

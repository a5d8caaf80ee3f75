package io.loligo.server.exchange.settings;

/** {@code forwarded_for}: what becomes of X-Forwarded-For. */
public enum ForwardedFor {
  /** The client's address is added. */
  ON,
  /** {@code unknown} is added. */
  OFF,
  /** The field is left alone. */
  TRANSPARENT,
  /** The client's address replaces the field. */
  TRUNCATE,
  /** The field is removed. */
  DELETE
}

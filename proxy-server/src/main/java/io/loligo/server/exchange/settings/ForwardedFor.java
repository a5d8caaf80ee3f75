package io.loligo.server.exchange.settings;

/** {@code forwarded_for}: how the proxy sends X-Forwarded-For. */
public enum ForwardedFor {
  /** Appends the client's address. */
  ON,
  /** Appends {@code unknown}. */
  OFF,
  /** Forwards the field unchanged. */
  TRANSPARENT,
  /** Replaces the field with the client's address. */
  TRUNCATE,
  /** Removes the field. */
  DELETE
}

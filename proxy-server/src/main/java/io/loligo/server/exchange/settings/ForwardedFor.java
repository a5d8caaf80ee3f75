package io.loligo.server.exchange.settings;

/**
 * {@code forwarded_for} and {@code loligo_forwarded}: how the proxy sends X-Forwarded-For and
 * Forwarded.
 */
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

package io.loligo.server.exchange.settings.pages;

/** {@code loligo_error_form}: the form of an error for a client that prefers none. */
enum ErrorForm {
  /** A page. */
  HTML,
  /** Problem details (RFC 9457). */
  JSON
}

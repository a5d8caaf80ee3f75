package io.loligo.server.exchange.settings.pages;

/**
 * The response that {@code deny_info} gives instead of a plain 403. Immutable.
 *
 * @param kind of the response
 * @param status of a page or a redirection; 0: the usual one
 * @param text name of the page, or the template of the URL to redirect to
 */
public record DenyPage(Kind kind, int status, String text) {
  /** Kinds of responses. */
  public enum Kind {
    /** The connection is reset, without a response. */
    RESET,
    /** A redirection. */
    REDIRECT,
    /** An error page. */
    PAGE
  }
}

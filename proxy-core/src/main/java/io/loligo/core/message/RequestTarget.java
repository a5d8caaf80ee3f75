package io.loligo.core.message;

/**
 * The target of a request, taken apart and joined with Host into the effective URI (RFC 9112
 * sections 3.2 and 3.3, RFC 9110 section 7.1). Reusable; confined to one event loop; offsets refer
 * to the head's array, strings are made only when asked for.
 */
public final class RequestTarget {
  /** Forms of RFC 9112 section 3.2. */
  public enum Form {
    ORIGIN,
    ABSOLUTE,
    AUTHORITY,
    ASTERISK
  }

  /**
   * Takes {@code head}'s target apart, borrowed until the next call.
   *
   * <p>The authority comes from an absolute-form or authority-form target, else from Host, else
   * from {@code defaultAuthority}. User information and fragments are refused; the host is checked
   * against reg-name, IPv4 and IPv6 literal syntax.
   *
   * @param defaultScheme {@code http} or {@code https}, for origin-form
   * @param defaultAuthority host or host:port for a request without one, or null
   * @param hostChooses whether Host overrides {@code defaultAuthority} (accel vhost, forward)
   * @return null, or why the target was refused
   */
  public ParseFailure resolve(
      RequestHead head, String defaultScheme, String defaultAuthority, boolean hostChooses) {
    throw new AssertionError("http1 work package");
  }

  public Form form() {
    throw new AssertionError("http1 work package");
  }

  /** {@code http} or {@code https} or another scheme in lower case; empty for authority-form. */
  public String scheme() {
    throw new AssertionError("http1 work package");
  }

  /** Lower case, no brackets, no trailing dot; cached until the next {@link #resolve}. */
  public String host() {
    throw new AssertionError("http1 work package");
  }

  /** The port given or the scheme's default. */
  public int port() {
    throw new AssertionError("http1 work package");
  }

  /** The array the offsets refer to: the head's, or one of this object's own. */
  public byte[] pathBytes() {
    throw new AssertionError("http1 work package");
  }

  /** Start of path and query; an empty path counts as {@code /}. */
  public int pathStart() {
    throw new AssertionError("http1 work package");
  }

  /** Exclusive; fragment never included. */
  public int pathEnd() {
    throw new AssertionError("http1 work package");
  }

  /** A new string: {@code host[:port]} with the default port left out and brackets where needed. */
  public String authority() {
    throw new AssertionError("http1 work package");
  }

  /** A new string: the effective URI, {@code host:port} for authority-form. */
  public String url() {
    throw new AssertionError("http1 work package");
  }

  /** An independent copy whose offsets refer to {@code copy}, a snapshot of the same head. */
  public RequestTarget snapshot(RequestHead copy) {
    throw new AssertionError("http1 work package");
  }
}

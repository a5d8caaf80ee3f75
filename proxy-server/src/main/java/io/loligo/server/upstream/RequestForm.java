package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/**
 * The form of requests that one hop expects, in every protocol. Immutable.
 *
 * @param absolute whether the target has scheme and authority: for a proxy
 * @param host the value of Host in place of the client's; null: the client's
 * @param credentials the configured value of Proxy-Authorization for a proxy, and of Authorization,
 *     in place of the client's, for an origin server; null: none
 * @param frontEndHttps whether Front-End-Https is added
 */
public record RequestForm(
    boolean absolute,
    @Nullable String host,
    @Nullable String credentials,
    FrontEndHttps frontEndHttps) {
  /** For an origin: the request unchanged. */
  public static final RequestForm DIRECT = new RequestForm(false, null, null, FrontEndHttps.OFF);

  /** Without credentials. */
  @Override
  public String toString() {
    return "RequestForm[absolute=" + absolute + ", host=" + host + "]";
  }
}

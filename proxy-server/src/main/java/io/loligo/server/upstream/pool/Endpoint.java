package io.loligo.server.upstream.pool;

import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.tls.OriginContext;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The far end of a connection: two requests may share a connection only if their endpoints are
 * equal. Immutable.
 *
 * @param local this end of the connection
 * @param address the address that is dialled
 * @param port the TCP port that is dialled
 * @param security TLS on the connection
 * @param proxyHeader the header of the PROXY protocol at the start of the connection, which then
 *     serves one request only; null: none
 * @param tunnel the place behind the proxy at {@code address}; null if the connection ends there
 */
public record Endpoint(
    LocalEnd local,
    InetAddress address,
    int port,
    Security security,
    @Nullable HopProxyHeader proxyHeader,
    @Nullable Tunnel tunnel) {
  /**
   * TLS on a connection.
   *
   * @param serverName the name in the handshake, which the certificate is verified against; null
   *     without TLS
   * @param protocols the protocols offered by ALPN, in order of preference
   * @param context of the handshake; null without TLS
   */
  public record Security(
      @Nullable String serverName, List<String> protocols, @Nullable OriginContext context) {
    /** Clear text. */
    public static final Security NONE = new Security(null, List.of(), null);

    /** HTTP/2 in clear text from the first byte (RFC 9113 section 3.3). */
    public static final Security CLEAR_HTTP_2 = new Security(null, List.of("h2"), null);

    /** TLS with this server; HTTP/2 is offered if {@code http2}. */
    public static Security of(String serverName, OriginContext context, boolean http2) {
      return new Security(
          serverName, http2 ? OriginContext.WITH_HTTP_2 : OriginContext.HTTP_1, context);
    }
  }

  /**
   * The place to which a proxy connected after a CONNECT.
   *
   * @param host name or literal, lower case, without brackets
   * @param port TCP port
   * @param security TLS within the tunnel
   */
  public record Tunnel(String host, int port, Security security) {}

  /** A place that is dialled from any address of the proxy; parameters as above. */
  public Endpoint(
      InetAddress address,
      int port,
      Security security,
      @Nullable HopProxyHeader proxyHeader,
      @Nullable Tunnel tunnel) {
    this(LocalEnd.ANY, address, port, security, proxyHeader, tunnel);
  }

  /** An endpoint in clear text, without a proxy on the way. */
  public static Endpoint clear(InetAddress address, int port) {
    return new Endpoint(address, port, Security.NONE, null, null);
  }

  /** Whether the connection has TLS. */
  public boolean isSecure() {
    return security.context() != null;
  }

  /** Whether HTTP/2 is spoken from the first byte. */
  public boolean isClearHttp2() {
    return security.equals(Security.CLEAR_HTTP_2);
  }

  /** Whether the server may choose HTTP/2. */
  public boolean offersHttp2() {
    return security.protocols().equals(OriginContext.WITH_HTTP_2);
  }

  /** The same place with other TLS. */
  public Endpoint with(Security other) {
    return new Endpoint(local, address, port, other, proxyHeader, tunnel);
  }

  /** The same place for any client. */
  public Endpoint forAnyClient() {
    return proxyHeader == null && local.equals(LocalEnd.ANY)
        ? this
        : new Endpoint(address, port, security, null, tunnel);
  }

  /** The address and the port to dial. */
  public InetSocketAddress socketAddress() {
    return new InetSocketAddress(address, port);
  }

  /** Address and port, for the operator. */
  @Override
  public String toString() {
    return NetUtil.toSocketAddressString(socketAddress());
  }
}

package io.loligo.server.port;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The server that a client means by its connection, if the proxy has intercepted or decrypted that
 * connection. The client does not know that it talks to a proxy, so its requests have the origin
 * form. Immutable.
 *
 * @param scheme {@code http} or {@code https}: that of the requests on the connection
 * @param host the host of requests that name none, an IPv6 address without brackets; null: the
 *     address in {@code original} stands for it
 * @param port 1 to 65535: the port that the client connected to, or named in CONNECT. It is the
 *     port of a Host field that gives none
 * @param original the address that an intercepted client connected to; null: the client was not
 *     intercepted, but named the host in CONNECT
 * @param user who has logged in for that CONNECT; null: nobody
 */
public record Destination(
    String scheme,
    @Nullable String host,
    int port,
    @Nullable InetSocketAddress original,
    @Nullable String user) {
  /** Checks that the server has a name or an address. */
  public Destination {
    if (host == null && original == null) {
      throw new IllegalArgumentException("a destination has a name or an address");
    }
  }

  /** The destination of a client that connected to {@code original} and was intercepted. */
  public static Destination intercepted(String scheme, InetSocketAddress original) {
    return new Destination(scheme, null, original.getPort(), original, null);
  }

  /** {@code host}, or the address in its place; an IPv6 address has brackets. */
  public String authorityHost() {
    String name = host;
    if (name == null) {
      assert original != null : "it has a name or an address";
      name = NetUtil.toAddressString(original.getAddress());
    }
    return name.indexOf(':') < 0 ? name : "[" + name + "]";
  }
}

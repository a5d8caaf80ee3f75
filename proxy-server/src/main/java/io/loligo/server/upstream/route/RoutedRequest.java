package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclInput;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.port.HttpPort;
import io.loligo.server.upstream.ClientLogin;
import io.loligo.server.upstream.HopProxyHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The input of a route's choice for a request. Confined to the request's event loop. */
public interface RoutedRequest extends AclInput, ClientLogin {
  @Override
  default @Nullable String user() {
    return null;
  }

  /** The connected client; a proxy in front of it counts. */
  InetSocketAddress client();

  /** The port that got it. */
  HttpPort httpPort();

  /** The addresses of the destination are known from now on; empty: its name has none. */
  void destinations(List<InetAddress> addresses);

  /** The address to which a direct hop must lead; null: any address of the host. */
  @Nullable InetSocketAddress pinned();

  /**
   * Whether the host in the URL does not lead to {@link #pinned}. No parent may then get the
   * request: it would ask another server than the one that the client meant.
   */
  boolean hostConflicts();

  /**
   * Whether peers may be told its URL, in clear text: not if it is that of a decrypted tunnel, nor
   * another https URL of a client that connected to this proxy.
   */
  default boolean mayBeTold() {
    return !scheme().equals("https") || httpPort().accel() != null;
  }

  /**
   * Whether a rewriter has chosen another host or port than the client. {@code http_access} has
   * decided about the client's, and does not decide about addresses of the other one.
   */
  default boolean isSentElsewhere() {
    return false;
  }

  /**
   * The request with further destination addresses: those of the host if the request is pinned to
   * one, IPv4 addresses inside IPv6 ones, and addresses that mean this host. Returns itself if
   * there are none.
   */
  AclInput withAliases();

  /**
   * The address of a client that came through a port with tproxy: connections for it may be made
   * from there; null: it came otherwise, or no client waits.
   */
  @Nullable InetAddress transparentClient();

  /** Whether another node of the cluster, or this one itself, sends it. */
  default boolean isFromNode() {
    return false;
  }

  /** Some peer that was asked for the response has not answered in time. */
  default void peersTimedOut() {}

  /** The header that tells a peer of the client; it names nobody if no client waits. */
  HopProxyHeader proxyHeader(ProxyHeaderVersion version);
}

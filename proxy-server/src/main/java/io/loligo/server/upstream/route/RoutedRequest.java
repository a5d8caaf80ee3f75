package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclInput;
import io.loligo.server.port.HttpPort;
import java.net.InetAddress;
import java.util.List;

/** The input of a route's choice for a request. Confined to the request's event loop. */
public interface RoutedRequest extends AclInput {
  /** The port that got it. */
  HttpPort httpPort();

  /** The addresses of the destination are known from now on; empty: its name has none. */
  void destinations(List<InetAddress> addresses);

  /**
   * The request with further destination addresses: IPv4 addresses inside IPv6 ones, and addresses
   * that mean this host. Returns itself if there are none.
   */
  AclInput withAliases();
}

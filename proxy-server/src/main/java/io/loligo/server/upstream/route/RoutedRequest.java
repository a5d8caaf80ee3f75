package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclInput;
import io.loligo.server.port.HttpPort;
import java.net.InetAddress;
import java.util.List;

/** A request as the choice of its route sees it. Confined to the request's event loop. */
public interface RoutedRequest extends AclInput {
  /** The port it came in by. */
  HttpPort httpPort();

  /** The addresses of the destination are known from now on; null: its name has none. */
  void destinations(List<InetAddress> addresses);

  /** The same request to the addresses that its destination's lead to, too; perhaps itself. */
  AclInput withAliases();
}

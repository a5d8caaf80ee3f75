package io.loligo.server.exchange.rules;

import io.loligo.core.acl.Aliases;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of this process that clients must not reach through it: the manager, metrics, remote
 * JMX, and ports that would return a request to the proxy. Thread-safe if the sets are.
 *
 * @param ports management TCP ports, blocked on every address of this machine; may still grow while
 *     the process starts
 * @param loops listening addresses that would loop: the ports of a forward proxy, and every port if
 *     no Via is sent; may still grow
 * @param listening all listening addresses for clients; may still grow. No tunnel may lead to such
 *     a port on any address of this machine: a tunnel carries no Via, and access rules would take
 *     this proxy for the client
 * @param local addresses of this machine, which may change; loopback and wildcard addresses need
 *     not be listed
 */
public record OwnAddresses(
    Set<Integer> ports,
    Set<InetSocketAddress> loops,
    Set<InetSocketAddress> listening,
    Set<InetAddress> local) {
  /**
   * Why the proxy must not connect to {@code port} of {@code ip}; null if it may.
   *
   * @param tunnel whether the client gets a tunnel, in which it controls every byte
   */
  public @Nullable String refusal(InetAddress ip, int port, boolean tunnel) {
    if (ports.contains(port) && isHere(ip)) {
      return "a management port of this proxy";
    }
    for (InetSocketAddress loop : loops) {
      if (loop.getPort() == port && reaches(ip, loop.getAddress())) {
        return "a port of this proxy itself";
      }
    }
    return tunnel && isListening(ip, port) ? "a port of this proxy itself" : null;
  }

  private boolean isListening(InetAddress ip, int port) {
    for (InetSocketAddress each : listening) {
      if (each.getPort() == port && (isHere(ip) || reaches(ip, each.getAddress()))) {
        return true;
      }
    }
    return false;
  }

  private boolean reaches(InetAddress ip, InetAddress listening) {
    return ip.equals(listening)
        || aliases(ip).contains(listening)
        || (listening.isAnyLocalAddress() && isHere(ip));
  }

  private boolean isHere(InetAddress ip) {
    return isOwn(ip) || aliases(ip).stream().anyMatch(this::isOwn);
  }

  private boolean isOwn(InetAddress ip) {
    return ip.isLoopbackAddress() || ip.isAnyLocalAddress() || local.contains(ip);
  }

  private static List<InetAddress> aliases(InetAddress ip) {
    return Aliases.of(ip.getAddress()).stream().map(OwnAddresses::address).toList();
  }

  private static InetAddress address(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}

package io.loligo.server.exchange.rules;

import io.loligo.core.acl.Aliases;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;

/**
 * Ports of this process that must not be reached through it: manager, metrics, remote JMX, and
 * those by which a request would come back to where it was. Thread-safe where the sets are.
 *
 * @param ports TCP ports kept from clients on every address of this machine; may still grow while
 *     the process starts
 * @param loops where it listens for requests that it would send to itself again: the ports of a
 *     forward proxy, and all of them where no Via tells that a request was here; may still grow
 * @param listening wherever it listens for clients: no tunnel leads to such a port of this machine,
 *     whichever of its addresses is listened on, as nothing in a tunnel tells that it was here, and
 *     the rules would take this proxy for the client; may still grow
 * @param local addresses of this machine, which may change; loopback and wildcard need not be
 *     listed
 */
public record OwnAddresses(
    Set<Integer> ports,
    Set<InetSocketAddress> loops,
    Set<InetSocketAddress> listening,
    Set<InetAddress> local) {
  /**
   * Why {@code port} of {@code ip} must not be dialled, or null.
   *
   * @param tunnel whether a client wants to talk to it as it likes
   */
  public String refusal(InetAddress ip, int port, boolean tunnel) {
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

  private static InetAddress address(byte[] octets) {
    try {
      return InetAddress.getByAddress(octets);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }
}

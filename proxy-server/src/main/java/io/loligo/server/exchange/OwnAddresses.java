package io.loligo.server.exchange;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * Ports of this process that must not be reached through it: manager, metrics, remote JMX.
 * Thread-safe where its sets are.
 *
 * @param ports TCP ports kept from clients on every address of this machine; may still grow while
 *     the process starts
 * @param local addresses of this machine, which may change; loopback and wildcard need not be
 *     listed
 */
public record OwnAddresses(Set<Integer> ports, Set<InetAddress> local) {
  /** Whether dialling {@code address} would reach one of them. */
  public boolean guards(InetSocketAddress address) {
    if (!ports.contains(address.getPort())) {
      return false;
    }
    InetAddress ip = address.getAddress();
    return ip.isLoopbackAddress() || ip.isAnyLocalAddress() || local.contains(ip);
  }
}

package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.downstream.listen.Listeners;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.port.PortMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Addresses of this machine and ports of this process, which may change. Thread-safe. */
final class OwnPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(OwnPlaces.class);

  private final Set<InetAddress> local = ConcurrentHashMap.newKeySet();
  private final Set<Integer> management = ConcurrentHashMap.newKeySet();
  private final Set<InetSocketAddress> loops = ConcurrentHashMap.newKeySet();
  private final Set<InetSocketAddress> listening = ConcurrentHashMap.newKeySet();
  private final OwnAddresses addresses = new OwnAddresses(management, loops, listening, local);

  /** The addresses that clients must not reach, always the present ones. */
  OwnAddresses addresses() {
    return addresses;
  }

  /** Asks the system for the addresses of this machine. */
  void learn() {
    Set<InetAddress> now = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .forEach(now::add);
      local.addAll(now);
      local.retainAll(now);
    } catch (SocketException e) {
      LOG.warn(
          "addresses of this machine are not known: {}; new ones are not guarded; next: let the"
              + " process list network interfaces",
          e.getMessage());
    }
  }

  /** Whether {@code address} is one of this machine. */
  boolean isHere(InetAddress address) {
    return address.isLoopbackAddress() || local.contains(address);
  }

  /** Adds ports for the management of the process. */
  void manages(Collection<Integer> ports) {
    management.addAll(ports);
  }

  /** {@code port} is no management port of this process any more. */
  void manageNoMore(int port) {
    management.remove(port);
  }

  /** {@code bound} are the ports for clients under {@code config}. */
  void listensOn(List<Listeners.Bound> bound, ProxyConfig config) {
    List<InetSocketAddress> comeBack = new ArrayList<>();
    for (Listeners.Bound each : bound) {
      if (each.port().mode() != PortMode.ACCEL || !config.get(IdentityDirectives.VIA)) {
        comeBack.add(each.address());
      }
    }
    List<InetSocketAddress> all = bound.stream().map(Listeners.Bound::address).toList();
    loops.addAll(comeBack);
    loops.retainAll(comeBack);
    listening.addAll(all);
    listening.retainAll(all);
  }
}

package io.loligo.server.cluster;

import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.discovery.FiledMembers;
import io.loligo.cluster.discovery.HostAndPort;
import io.loligo.cluster.discovery.ListedMembers;
import io.loligo.cluster.discovery.NamedMembers;
import io.loligo.cluster.discovery.Resolver;
import io.loligo.core.config.HostPort;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The addresses of a line of {@code loligo_cluster}. Stateless; blocks. */
final class ClusterPlaces {
  private ClusterPlaces() {}

  /** Where the members of {@code line} are found. */
  static AddressSource members(ClusterLine line, Resolver resolver) {
    return switch (line.kind()) {
      case LISTED ->
          new ListedMembers(
              line.members().stream()
                  .map(one -> new HostAndPort(one.address(), one.port()))
                  .toList(),
              resolver);
      case DNS -> new NamedMembers(Objects.requireNonNull(HostAndPort.of(line.place())), resolver);
      case FILE -> new FiledMembers(Path.of(line.place()), resolver);
    };
  }

  /**
   * The address of the group port.
   *
   * @throws IOException if it is not one of this machine
   */
  static InetSocketAddress listen(HostPort place) throws IOException {
    InetAddress address = InetAddress.getByName(place.address());
    return new InetSocketAddress(
        address.isAnyLocalAddress() ? own(address) : address, place.port());
  }

  /** The first address of the machine of the kind of {@code any} by which others can reach it. */
  private static InetAddress own(InetAddress any) throws IOException {
    try {
      List<InetAddress> all =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .filter(one -> !one.isLoopbackAddress() && !one.isLinkLocalAddress())
              .filter(one -> one instanceof Inet4Address == any instanceof Inet4Address)
              .toList();
      if (all.isEmpty()) {
        throw new IOException("this machine has no address but loopback: name one in listen=");
      }
      return all.get(0);
    } catch (SocketException e) {
      throw new IOException("the addresses of this machine are not known: name one in listen=", e);
    }
  }
}

package io.loligo.server.cluster;

import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.discovery.FiledMembers;
import io.loligo.cluster.discovery.HostAndPort;
import io.loligo.cluster.discovery.ListedMembers;
import io.loligo.cluster.discovery.NamedMembers;
import io.loligo.cluster.discovery.Resolver;
import io.loligo.core.config.HostPort;
import io.netty.util.NetUtil;
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
   * The address and port of this node. For a wildcard, one of the machine by which others can reach
   * it: one that the list of members has, else the first.
   *
   * @throws IOException if it is not one of this machine
   */
  static InetSocketAddress listen(ClusterLine line) throws IOException {
    HostPort place = line.listen();
    InetAddress address = InetAddress.getByName(place.address());
    return new InetSocketAddress(
        address.isAnyLocalAddress() ? own(address, machine(), line) : address, place.port());
  }

  /** The name of this node for logs and pages: a wildcard would be that of all nodes. */
  static String name(ClusterLine line, InetSocketAddress listen) {
    InetAddress written = NetUtil.createInetAddressFromIpAddressString(line.listen().address());
    return written != null && written.isAnyLocalAddress()
        ? NetUtil.toSocketAddressString(listen)
        : line.listen().text();
  }

  private static List<InetAddress> machine() throws IOException {
    try {
      return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList();
    } catch (SocketException e) {
      throw new IOException("the addresses of this machine are not known: name one in listen=", e);
    }
  }

  /** The one of {@code machine} for {@code any}, a wildcard of its kind. */
  static InetAddress own(InetAddress any, List<InetAddress> machine, ClusterLine line)
      throws IOException {
    List<InetAddress> all =
        machine.stream()
            .filter(one -> !one.isLoopbackAddress() && !one.isLinkLocalAddress())
            .filter(one -> one instanceof Inet4Address == any instanceof Inet4Address)
            .toList();
    if (all.isEmpty()) {
      throw new IOException("this machine has no address but loopback: name one in listen=");
    }
    return all.stream().filter(one -> isListed(one, line)).findFirst().orElse(all.get(0));
  }

  private static boolean isListed(InetAddress address, ClusterLine line) {
    return line.members().stream()
        .filter(member -> member.port() == line.listen().port())
        .anyMatch(
            member ->
                address.equals(NetUtil.createInetAddressFromIpAddressString(member.address())));
  }
}

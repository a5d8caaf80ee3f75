package io.loligo.server.upstream.connect;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The order in which addresses are dialled (RFC 8305 section 4). Stateless. */
public final class AddressOrder {
  private AddressOrder() {}

  /** Families in turn, each in the order given; the preferred family first. */
  public static List<InetSocketAddress> interleave(
      List<InetSocketAddress> addresses, boolean v4First) {
    if (addresses.size() < 2) {
      return addresses;
    }
    List<InetSocketAddress> first = new ArrayList<>(addresses.size());
    List<InetSocketAddress> second = new ArrayList<>(addresses.size());
    for (InetSocketAddress address : addresses) {
      boolean v6 = address.getAddress() instanceof Inet6Address;
      (v6 == v4First ? second : first).add(address);
    }
    List<InetSocketAddress> ordered = new ArrayList<>(addresses.size());
    for (int i = 0; i < Math.max(first.size(), second.size()); i++) {
      if (i < first.size()) {
        ordered.add(first.get(i));
      }
      if (i < second.size()) {
        ordered.add(second.get(i));
      }
    }
    return ordered;
  }
}

package io.loligo.server.exchange.request;

import io.loligo.core.acl.Aliases;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a request may be sent to, as far as they are known. Immutable.
 *
 * @param addresses the destinations that access rules see; null: the host was not resolved
 * @param named the addresses of the host in the URL, if {@code addresses} has the pinned one
 *     instead; null: they are not known, or no address is pinned
 * @param pinned the address to which a direct hop must lead; null: any of the host
 * @param conflict whether the host in the URL does not lead to {@code pinned}
 */
record KnownDestination(
    @Nullable List<byte[]> addresses,
    @Nullable List<byte[]> named,
    @Nullable InetSocketAddress pinned,
    boolean conflict) {
  /** Nothing is known. */
  static final KnownDestination UNKNOWN = new KnownDestination(null, null, null, false);

  /** The same with other addresses for access rules. */
  KnownDestination at(@Nullable List<byte[]> others) {
    return new KnownDestination(others, named, pinned, conflict);
  }

  /** The same pinned to {@code address}, which access rules see instead of those of the host. */
  KnownDestination pinnedTo(InetSocketAddress address, boolean conflict) {
    List<byte[]> seen = List.of(AddressBytes.of(address.getAddress()));
    return new KnownDestination(seen, addresses, address, conflict);
  }

  /**
   * All addresses: also those of the host if one is pinned, IPv4 addresses inside IPv6 ones, and
   * addresses that mean this host. Null if there are no more than {@link #addresses}.
   */
  @Nullable List<byte[]> withAliases() {
    if (addresses == null) {
      return null;
    }
    List<byte[]> all = new ArrayList<>(addresses);
    if (named != null) {
      all.addAll(named);
    }
    for (int i = all.size() - 1; i >= 0; i--) {
      all.addAll(Aliases.of(all.get(i)));
    }
    return all.size() == addresses.size() ? null : all;
  }
}

package io.loligo.cluster.discovery;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The members of a line. A name that is not known now is left out until it is. Thread-safe. */
public final class ListedMembers implements AddressSource {
  private final List<HostAndPort> members;
  private final Resolver resolver;

  public ListedMembers(List<HostAndPort> members, Resolver resolver) {
    this.members = List.copyOf(members);
    this.resolver = resolver;
  }

  @Override
  public Set<InetSocketAddress> ask() throws IOException {
    Set<InetSocketAddress> found = new LinkedHashSet<>();
    UnknownHostException unknown = null;
    for (HostAndPort member : members) {
      try {
        found.add(new InetSocketAddress(resolver.addresses(member.host()).get(0), member.port()));
      } catch (UnknownHostException e) {
        unknown = e;
      }
    }
    if (found.isEmpty() && unknown != null) {
      throw new IOException("no address is known of " + members, unknown);
    }
    return found;
  }

  @Override
  public int fixed() {
    return members.size();
  }
}

package io.loligo.cluster.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.Set;

/** All addresses of one name, with one port. Thread-safe. */
public final class NamedMembers implements AddressSource {
  private final HostAndPort name;
  private final Resolver resolver;

  public NamedMembers(HostAndPort name, Resolver resolver) {
    this.name = name;
    this.resolver = resolver;
  }

  @Override
  public Set<InetSocketAddress> ask() throws IOException {
    Set<InetSocketAddress> found = new LinkedHashSet<>();
    try {
      for (InetAddress address : resolver.addresses(name.host())) {
        found.add(new InetSocketAddress(address, name.port()));
      }
    } catch (UnknownHostException e) {
      throw new IOException("no address is known of " + name.host(), e);
    }
    return found;
  }

  @Override
  public int fixed() {
    return 0;
  }
}

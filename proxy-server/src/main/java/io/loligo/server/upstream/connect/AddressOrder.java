package io.loligo.server.upstream.connect;

import io.loligo.server.upstream.pool.Endpoint;
import java.net.Inet6Address;
import java.util.ArrayList;
import java.util.List;

/** The order in which addresses are dialled (RFC 8305 section 4). Stateless. */
public final class AddressOrder {
  private AddressOrder() {}

  /** Families in turn, each in the given order; the preferred family first. */
  public static List<Endpoint> interleave(List<Endpoint> endpoints, boolean v4First) {
    if (endpoints.size() < 2) {
      return endpoints;
    }
    List<Endpoint> first = new ArrayList<>(endpoints.size());
    List<Endpoint> second = new ArrayList<>(endpoints.size());
    for (Endpoint endpoint : endpoints) {
      boolean v6 = endpoint.address() instanceof Inet6Address;
      (v6 == v4First ? second : first).add(endpoint);
    }
    List<Endpoint> ordered = new ArrayList<>(endpoints.size());
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

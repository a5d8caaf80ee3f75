package io.loligo.server.adapt;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The services that one name in {@code adaptation_access} stands for. All adapt requests, or all
 * responses. Immutable.
 *
 * @param name of the service, the set or the chain
 * @param chain whether a message passes all services; false: the first one that answers
 * @param services not empty
 */
public record ServiceGroup(String name, boolean chain, List<IcapService> services) {
  /** Whether it adapts responses; false: requests. */
  public boolean responses() {
    return services.get(0).responses();
  }

  /** Its name and those of its services. */
  public Set<String> names() {
    Set<String> all = new HashSet<>();
    all.add(name);
    services.forEach(service -> all.add(service.name()));
    return Set.copyOf(all);
  }

  /** The services by stages: a message passes each stage, through one of its services. */
  public List<List<IcapService>> stages() {
    return chain ? services.stream().map(List::of).toList() : List.of(services);
  }
}

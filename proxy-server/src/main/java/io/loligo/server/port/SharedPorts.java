package io.loligo.server.port;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ports of this node, as other nodes of a cluster name theirs: a request that another node
 * passes on is served by the rules of the port here that is like the one that its client asked.
 * Immutable.
 */
public final class SharedPorts {
  private record Known(HttpPort port, String numbered) {}

  private final List<Known> ports = new ArrayList<>();

  /** Those of {@code ports}. */
  public SharedPorts(List<HttpPort> ports) {
    ports.forEach(port -> this.ports.add(new Known(port, port.numbered())));
  }

  /** The first one; null: there is none. */
  public @Nullable HttpPort first() {
    return ports.isEmpty() ? null : ports.get(0).port();
  }

  /**
   * The port like that of another node: the one of its name; else, if it has no {@code name=}, the
   * one of its number and mode, else the first of its mode.
   *
   * @param sharedName of the other port
   * @return null: no port is like it
   */
  public @Nullable HttpPort find(String sharedName) {
    for (Known known : ports) {
      if (known.port.sharedName().equals(sharedName)) {
        return known.port;
      }
    }
    for (Known known : ports) {
      if (known.numbered.equals(sharedName)) {
        return known.port;
      }
    }
    int slash = sharedName.indexOf('/');
    String mode = slash < 0 ? "" : sharedName.substring(slash);
    for (Known known : ports) {
      if (!mode.isEmpty() && known.numbered.endsWith(mode)) {
        return known.port;
      }
    }
    return null;
  }
}

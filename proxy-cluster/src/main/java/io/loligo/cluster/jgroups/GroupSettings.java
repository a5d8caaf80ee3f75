package io.loligo.cluster.jgroups;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a node takes part. Immutable.
 *
 * @param name of the cluster; nodes of another name are not understood
 * @param listen address and port of the group, not a wildcard; the only port that is bound
 * @param tls null: messages are in clear text, and everybody may send them
 * @param silence after which a member is no longer one
 * @param merging longest time between two looks for other parts of the cluster
 * @param factsWait longest time for which a view waits for the facts of its members
 * @param discovering time between two questions for addresses
 */
public record GroupSettings(
    String name,
    InetSocketAddress listen,
    @Nullable GroupTls tls,
    Duration silence,
    Duration merging,
    Duration factsWait,
    Duration discovering) {
  /** The usual times. */
  public static GroupSettings of(String name, InetSocketAddress listen, @Nullable GroupTls tls) {
    return new GroupSettings(
        name,
        listen,
        tls,
        Duration.ofSeconds(8),
        Duration.ofSeconds(5),
        Duration.ofSeconds(3),
        Duration.ofSeconds(5));
  }
}

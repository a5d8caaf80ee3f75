package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.configuration.Configuration;
import io.loligo.cluster.configuration.ConfigurationState;
import io.loligo.cluster.configuration.ConfigurationState.OfNode;
import io.loligo.cluster.configuration.Configurations;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.core.config.ProxyConfig;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the nodes have the same configuration: announces that of this one, and logs an alarm
 * where nodes differ for long. Thread-safe.
 */
public final class ClusterConfigurations implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterConfigurations.class);

  /** In a line of the log, for each node. */
  private static final int MOST_NAMES = 20;

  private final String name;
  private final Steps steps;
  private final Consumer<ConfigurationState> seen;
  private final Supplier<List<Member>> members;
  private final Configurations configurations;

  /** The last line of the log about nodes that differ; empty: none do. Confined to the steps. */
  private String logged = "";

  /** Knows only {@code config} until {@link #start}. */
  public ClusterConfigurations(Cluster cluster, ProxyConfig config) {
    this(
        cluster.line().name(),
        cluster.steps(),
        cluster.ofConfigurations(),
        config,
        cluster::seen,
        () -> cluster.state().view().members());
  }

  ClusterConfigurations(
      String name,
      Steps steps,
      Group group,
      ProxyConfig config,
      Consumer<ConfigurationState> seen,
      Supplier<List<Member>> members) {
    this.name = name;
    this.steps = steps;
    this.seen = seen;
    this.members = members;
    Configuration own = Configuration.of(ConfigurationLines.of(config));
    configurations = new Configurations(steps, group, own, this::changed);
  }

  /** Begins. Before the group does. */
  public void start() {
    steps.execute(configurations::start);
  }

  /** {@code config} is in force. */
  public void use(ProxyConfig config) {
    Configuration own = Configuration.of(ConfigurationLines.of(config));
    steps.execute(() -> configurations.use(own));
  }

  private void changed(ConfigurationState now) {
    seen.accept(now);
    String differing = differing(now, members.get());
    if (differing.equals(logged)) {
      return;
    }
    logged = differing;
    if (differing.isEmpty()) {
      LOG.info("no node of the cluster {} differs in its configuration any more", name);
    } else {
      LOG.warn(
          "nodes of the cluster {} have different configurations, so that a response depends on"
              + " the node: {}; next: give all nodes the same lines, and reload those that differ",
          name,
          differing);
    }
  }

  /** The nodes that differ for long; empty: none does. */
  private static String differing(ConfigurationState state, List<Member> members) {
    StringJoiner text = new StringJoiner("; ");
    for (Member member : members) {
      OfNode one = state.nodes().get(member.id());
      if (one != null && one.alarmed()) {
        text.add(member.name() + " differs in " + names(one.differsIn()));
      }
    }
    return text.toString();
  }

  private static String names(List<String> all) {
    int more = all.size() - MOST_NAMES;
    return more <= 0
        ? String.join(", ", all)
        : String.join(", ", all.subList(0, MOST_NAMES)) + " and " + more + " more";
  }

  /** Ends. */
  @Override
  public void close() {
    steps.execute(configurations::close);
  }
}

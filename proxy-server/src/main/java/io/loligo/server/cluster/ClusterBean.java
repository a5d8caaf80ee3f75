package io.loligo.server.cluster;

import io.loligo.cluster.group.Member;
import io.loligo.server.jmx.ClusterMXBean;
import java.util.List;

/** A cluster in JMX. Thread-safe. */
public record ClusterBean(Cluster cluster) implements ClusterMXBean {
  @Override
  public String getName() {
    return cluster.line().name();
  }

  @Override
  public List<String> getMembers() {
    return cluster.state().view().members().stream().map(Member::name).toList();
  }

  @Override
  public int getConfigured() {
    return cluster.state().configured();
  }

  @Override
  public long getViewChanges() {
    return cluster.state().changes();
  }
}

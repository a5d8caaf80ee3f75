package io.loligo.server.jmx;

import java.util.List;

/** The cluster. Registered only if this process is a node of one. */
@Description("The cluster that this process is a node of.")
public interface ClusterMXBean {
  @Description("Name of the cluster.")
  String getName();

  @Description("Group ports of the members that this node sees, itself included.")
  List<String> getMembers();

  @Description("Number of nodes that there should be, this one included.")
  @Units("nodes")
  int getConfigured();

  @Description("Changes of the members since the start.")
  @Units("changes")
  long getViewChanges();
}

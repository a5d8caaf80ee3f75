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

  @Description("Different configurations of the members. More than 1: the nodes differ.")
  @Units("configurations")
  int getConfigurations();

  @Description("Changes of the members since the start.")
  @Units("changes")
  long getViewChanges();

  @Description("Purges that this node knows of and has not carried out yet.")
  @Units("purges")
  long getPurgeLag();

  @Description("Share of this node in the keys of a shared cache; 0: it owns none.")
  @Units("percent")
  double getKeysPercent();

  @Description("Members of a shared cache that own no keys, because they drain or begin.")
  @Units("nodes")
  int getDraining();

  @Description("Members of a shared cache that this node asks no more for a while.")
  @Units("nodes")
  int getUnasked();

  @Description("Messages of other nodes that were dropped, because too many waited.")
  @Units("messages")
  long getDroppedMessages();

  @Description("Connections that were closed, because their node sent what no node sends.")
  @Units("connections")
  long getClosedConnections();

  @Description("Requests that other nodes of a shared cache acknowledged.")
  @Units("requests")
  long getPeerRequests();

  @Description(
      "Requests that other nodes of a shared cache refused or did not acknowledge in time.")
  @Units("requests")
  long getPeerFailures();

  @Description("Requests that went to a parent or an origin because other nodes failed.")
  @Units("requests")
  long getFallBacks();

  @Description("Requests that would have, beyond the limit.")
  @Units("requests")
  long getFallBacksRefused();

  @Description("Times that another node was asked no more for a while, because it failed.")
  @Units("times")
  long getEjections();

  @Description("Requests to another node that waited for a connection.")
  @Units("requests")
  long getConnectionWaits();

  @Description("Copies in memory of responses that other nodes store.")
  @Units("responses")
  long getCopies();

  @Description("Direct memory of these copies.")
  @Units("bytes")
  long getCopyBytes();

  @Description("Responses from copies.")
  @Units("responses")
  long getCopyHits();

  @Description("Second copies that this node began to fetch from their owners.")
  @Units("responses")
  long getSecondCopies();

  @Description("Time until another node acknowledged a request, median since the start.")
  @Units("microseconds")
  long getAcknowledgementMedian();

  @Description("Time until another node acknowledged a request, 99th percentile since the start.")
  @Units("microseconds")
  long getAcknowledgement99();
}

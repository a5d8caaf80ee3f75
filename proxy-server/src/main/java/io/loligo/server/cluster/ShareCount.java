package io.loligo.server.cluster;

/** A number of a node whose cluster shares one cache, since its start. */
public enum ShareCount {
  PEER_REQUESTS(
      "peer.requests",
      "Requests to the nodes of a shared cache that these acknowledged: one for each response that"
          + " another node gave."),
  PEER_FAILURES(
      "peer.failures",
      "Requests to the nodes of a shared cache that were refused or reset, or had no sign of life"
          + " in time."),
  FALL_BACKS(
      "fall.backs",
      "Requests that went to a parent or an origin because nodes of a shared cache failed."),
  FALL_BACKS_REFUSED(
      "fall.backs.refused",
      "Requests that would have gone to a parent or an origin because nodes failed, beyond the"
          + " limit of a fifth: they got a stale response or status 503."),
  EJECTIONS(
      "ejections",
      "Times that a node of a shared cache was asked no more for a while, because it failed three"
          + " requests in a row."),
  CONNECTION_WAITS(
      "connection.waits",
      "Requests to a node of a shared cache that waited for a connection, because as many as"
          + " connections= of loligo_cluster allows were in use."),
  COPY_HITS(
      "copy.hits",
      "Responses from copies of those of other nodes: of objects that many requests of this node"
          + " ask for."),
  SECOND_COPIES(
      "second.copies",
      "Second copies that this node began to fetch from their owners (copies=2 of"
          + " loligo_cluster).");

  private final String metric;
  private final String text;

  ShareCount(String metric, String text) {
    this.metric = metric;
    this.text = text;
  }

  /** The name as a metric. */
  public String metric() {
    return "loligo.cluster." + metric;
  }

  /** The name in the history. */
  public String series() {
    return "cluster_" + member();
  }

  /** The name as a member of JSON. */
  String member() {
    return metric.replace('.', '_');
  }

  /** Its meaning, for operators. */
  public String text() {
    return text;
  }
}

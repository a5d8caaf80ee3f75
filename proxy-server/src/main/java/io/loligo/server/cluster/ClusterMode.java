package io.loligo.server.cluster;

/** What the nodes of a cluster have in common. */
public enum ClusterMode {
  /** Purges reach all nodes; each has its own stored responses. */
  PURGE,

  /** Each stored response is on the node that owns its key. */
  SHARE
}

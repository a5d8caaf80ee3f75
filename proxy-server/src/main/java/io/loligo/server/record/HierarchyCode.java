package io.loligo.server.record;

/** The hierarchy codes of Squid that occur here ({@code %Sh}). */
public enum HierarchyCode {
  HIER_NONE,
  HIER_DIRECT,
  /** The origin, at the address that an intercepted client connected to. */
  ORIGINAL_DST,
  /** A sibling has said that it has the response. */
  SIBLING_HIT,
  /** A parent has. */
  PARENT_HIT,
  /** The digest of a sibling has the URL. */
  CD_SIBLING_HIT,
  /** That of a parent has. */
  CD_PARENT_HIT,
  /** No peer has it, and this parent is the nearest one to the origin. */
  CLOSEST_PARENT_MISS,
  /** This proxy is the nearest one to the origin, or near enough. */
  CLOSEST_DIRECT,
  /** No peer has it, and this parent was the first to say so. */
  FIRST_PARENT_MISS,
  FIRSTUP_PARENT,
  DEFAULT_PARENT,
  ROUNDROBIN_PARENT,
  CARP,
  SOURCEHASH_PARENT,
  USERHASH_PARENT,
  ANY_OLD_PARENT,
  /** The node of the cluster that owns the response. */
  CLUSTER_OWNER,
  /** The node that may have it stored because the owner failed before. */
  CLUSTER_SECOND,
  /** The node that owned it before the members changed. */
  CLUSTER_PREVIOUS,
  NO_DIRECT_FAIL;

  /** Whether it is a node of the cluster. */
  public boolean isNode() {
    return this == CLUSTER_OWNER || this == CLUSTER_SECOND || this == CLUSTER_PREVIOUS;
  }
}

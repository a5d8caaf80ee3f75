package io.loligo.server.record;

/** The hierarchy codes of Squid that occur here ({@code %Sh}). */
public enum HierarchyCode {
  HIER_NONE,
  HIER_DIRECT,
  /** The origin, at the address that an intercepted client connected to. */
  ORIGINAL_DST,
  FIRSTUP_PARENT,
  DEFAULT_PARENT,
  ROUNDROBIN_PARENT,
  CARP,
  SOURCEHASH_PARENT,
  USERHASH_PARENT,
  ANY_OLD_PARENT,
  NO_DIRECT_FAIL
}

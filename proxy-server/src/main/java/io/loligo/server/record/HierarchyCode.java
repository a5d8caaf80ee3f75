package io.loligo.server.record;

/** Squid's hierarchy codes ({@code %Sh}). */
public enum HierarchyCode {
  HIER_NONE,
  HIER_DIRECT,
  FIRSTUP_PARENT,
  DEFAULT_PARENT,
  SINGLE_PARENT,
  ROUNDROBIN_PARENT,
  ANY_OLD_PARENT,
  NO_DIRECT_FAIL,
  CARP,
  PINNED,
  ORIGINAL_DST
}

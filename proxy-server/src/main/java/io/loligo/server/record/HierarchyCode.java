package io.loligo.server.record;

/** The hierarchy codes of Squid that occur here ({@code %Sh}). */
public enum HierarchyCode {
  HIER_NONE,
  HIER_DIRECT,
  FIRSTUP_PARENT,
  DEFAULT_PARENT,
  ROUNDROBIN_PARENT,
  ANY_OLD_PARENT,
  NO_DIRECT_FAIL
}

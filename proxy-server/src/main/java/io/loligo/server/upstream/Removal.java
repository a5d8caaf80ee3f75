package io.loligo.server.upstream;

/** Why stored responses were removed, of which peers are told. */
public enum Removal {
  /** A client has purged them. */
  PURGE,
  /** A request with an unsafe method has made them invalid (RFC 9111 section 4.4). */
  INVALIDATION,
  /** A neighbour has told of it. */
  FORWARDED
}

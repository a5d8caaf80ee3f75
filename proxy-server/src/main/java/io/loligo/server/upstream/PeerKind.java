package io.loligo.server.upstream;

/** The kinds of {@code cache_peer} lines. */
public enum PeerKind {
  /** It fetches responses that it has not stored. */
  PARENT,
  /** It answers only from its store. */
  SIBLING,
  /** An address to which queries are sent; its members are lines of their own. */
  MULTICAST
}

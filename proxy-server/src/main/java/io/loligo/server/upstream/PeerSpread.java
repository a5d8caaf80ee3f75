package io.loligo.server.upstream;

/** How requests are spread over the parents that have the same option. Immutable. */
public enum PeerSpread {
  /** By a hash of the client's address. */
  SOURCEHASH,
  /** By a hash of the user's name. */
  USERHASH,
  /** By a hash of the URL. */
  CARP,
  /** In turn, by weight. */
  ROUND_ROBIN,
  /** In turn: round trip times are not measured, and without them all are equal in Squid too. */
  WEIGHTED_ROUND_ROBIN
}

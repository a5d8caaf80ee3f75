package io.loligo.server.upstream;

/** A part of a URL that {@code carp-key=} names, in the order in which the key has them. */
public enum CarpKey {
  SCHEME,
  HOST,
  PORT,
  PATH,
  PARAMS
}

package io.loligo.server.upstream.route;

/** The peers that may be asked whether they have the response to a request. */
public enum Askable {
  /** None: it is sent where other rules say. */
  NOBODY,
  /** Parents: a sibling may not answer it from its store. */
  PARENTS,
  /** Parents and siblings. */
  ALL
}

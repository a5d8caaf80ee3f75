package io.loligo;

/** The kind of a finished exchange. */
public enum Outcome {
  /** A stored response answered, perhaps after a validation. */
  HIT,
  /** The response was fetched. */
  MISS,
  /** A tunnel (CONNECT, WebSocket). */
  TUNNEL,
  /** A rule denied the request or its response, or asked for a login. */
  DENIED,
  /** The proxy answered with a status from 500 on, or cut the response, because it failed. */
  ERROR,
  /** The proxy itself answered: a purge, a redirection, a wrong request. */
  OWN_ANSWER
}

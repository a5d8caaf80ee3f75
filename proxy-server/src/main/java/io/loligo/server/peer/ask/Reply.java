package io.loligo.server.peer.ask;

/** What a peer says about a response. */
public enum Reply {
  /** It has the response. */
  HIT,
  /** It lacks the response, and a parent would fetch it. */
  MISS,
  /** It is there, and is of no use for this request. */
  NO_HELP,
  /** It does not answer queries of this proxy. */
  DENIED
}

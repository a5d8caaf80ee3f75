package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;

/** The step after a request has failed on a connection. */
enum AfterFailure {
  /** The fetch fails with it. */
  GIVE_UP,
  /** The same hop, on a connection that is not a kept one. */
  RECONNECT,
  /** The next hop. */
  NEXT_HOP;

  /**
   * Decides; pure. A request is sent again only if it may be repeated and the peer was silent (RFC
   * 9110 section 9.2.2), or if the peer says that it has not looked at it (RFC 9113 section 8.7).
   *
   * @param answered whether a byte of a response arrived
   * @param repeatable whether the request may be sent twice
   * @param unspent whether nothing of its content was sent, so that it can be sent from its start
   * @param reused whether the connection was a kept one, which the peer may have closed meanwhile
   * @param hopsLeft whether there is a further hop
   */
  static AfterFailure of(
      FetchFailure failure,
      boolean answered,
      boolean repeatable,
      boolean unspent,
      boolean reused,
      boolean hopsLeft) {
    if (failure.kind() == Kind.REQUEST_HEAD_TOO_LARGE) {
      return unspent && hopsLeft ? NEXT_HOP : GIVE_UP;
    }
    if (!answered && isUnprocessed(failure.kind())) {
      if (!unspent) {
        return GIVE_UP;
      }
      boolean again = reused || failure.kind() == Kind.HTTP_1_REQUIRED;
      return again ? RECONNECT : hopsLeft ? NEXT_HOP : GIVE_UP;
    }
    boolean silent =
        !answered && (failure.kind() == Kind.NO_ANSWER || failure.kind() == Kind.WRITE_FAILED);
    if (!silent || !repeatable) {
      return GIVE_UP;
    }
    if (reused) {
      return RECONNECT;
    }
    return hopsLeft ? NEXT_HOP : GIVE_UP;
  }

  /**
   * Decides after a node of the cluster has failed before its response; pure. The next hop does as
   * well as that node, whatever happened to it.
   *
   * @param answered whether a byte of a response arrived
   * @param repeatable whether the request may be sent twice
   * @param reused whether the connection was a kept one
   * @param hopsLeft whether there is a further hop
   */
  static AfterFailure ofNode(
      FetchFailure failure,
      boolean answered,
      boolean repeatable,
      boolean reused,
      boolean hopsLeft) {
    if (!repeatable) {
      return GIVE_UP;
    }
    boolean closed = !answered && failure.kind() != Kind.NOT_ACKNOWLEDGED;
    return reused && closed ? RECONNECT : hopsLeft ? NEXT_HOP : GIVE_UP;
  }

  private static boolean isUnprocessed(Kind kind) {
    return kind == Kind.NOT_PROCESSED || kind == Kind.HTTP_1_REQUIRED;
  }
}

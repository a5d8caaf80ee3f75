package io.loligo.server.peer.ask;

import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKind;

/**
 * What is known of one peer that is asked for responses. Confined to the event loop of the asker,
 * except for {@link #isRefused}.
 *
 * <pre>
 * up       replies come; requests wait for them
 * down     {@value #MOST_UNANSWERED} queries in a row, or dead_peer_timeout, without a reply:
 *          it gets queries, and nobody waits
 * refused  more than {@value #REFUSED_PERCENT} % of at least {@value #REPLIES_TO_JUDGE} replies
 *          refuse: it gets no queries
 * </pre>
 */
final class Neighbour {
  /** Queries in a row without a reply after which it is down (RFC 2187 section 5.3.3). */
  static final int MOST_UNANSWERED = 20;

  /** Replies after which refusals count (RFC 2186, ICP_OP_DENIED). */
  static final int REPLIES_TO_JUDGE = 100;

  static final int REFUSED_PERCENT = 95;

  /** The assumed round trip of a peer without a reply so far. */
  private static final int UNKNOWN_MILLIS = 1_000;

  /** The weight of the past in averages. */
  private static final int AVERAGED = 50;

  private static final int AVERAGED_IN_BACKGROUND = 25;

  /** A longer round trip is not believed, as in Squid. */
  private static final int MAX_MILLIS = 10_000;

  private Peer line;
  private volatile boolean refused;

  /** Average round trip, milliseconds; 0: unknown. */
  private int roundTripMillis;

  private boolean asked;
  private long lastQueryNanos;

  /** Whether a query is unanswered since {@code silentSinceNanos}. */
  private boolean silent;

  private long silentSinceNanos;
  private int unanswered;
  private boolean down;
  private long replies;
  private long refusals;

  /** Of a group: the average number of replies to a query, times {@value #AVERAGED}. */
  private int groupReplies;

  Neighbour(Peer line) {
    this.line = line;
  }

  /** Its line. */
  Peer line() {
    return line;
  }

  /** Whether {@code other} is the same place, so that what is known still holds. */
  boolean isAt(Peer other) {
    return line.kind() == other.kind()
        && line.host().equals(other.host())
        && line.port() == other.port()
        && line.querying().equals(other.querying());
  }

  /** Its line is {@code next} from now on, that of the same place. */
  void renew(Peer next) {
    line = next;
  }

  /** Whether it refuses queries of this proxy. Any thread. */
  boolean isRefused() {
    return refused;
  }

  /** Whether requests wait for its replies. */
  boolean isUp() {
    return !down;
  }

  /** Whether it is a multicast group. */
  boolean isGroup() {
    return line.kind() == PeerKind.MULTICAST;
  }

  /** Whether a query is due, as far as {@code background-ping} says. */
  boolean isDue(long nowNanos, long backgroundNanos) {
    return !line.querying().inBackground()
        || !asked
        || nowNanos - lastQueryNanos >= backgroundNanos;
  }

  /** A query is sent. */
  void queried(long nowNanos) {
    asked = true;
    lastQueryNanos = nowNanos;
    if (!silent) {
      silent = true;
      silentSinceNanos = nowNanos;
    }
  }

  /**
   * A reply has come. Only one to a query of a running round counts as a refusal: any other may be
   * forged without a look at the queries.
   *
   * @param roundTrip milliseconds; negative: it is for no running round
   * @return whether it was down
   */
  boolean replied(Reply reply, long roundTrip) {
    boolean before = down;
    silent = false;
    unanswered = 0;
    down = false;
    if (roundTrip < 0) {
      return before;
    }
    replies++;
    if (reply == Reply.DENIED) {
      refusals++;
    }
    if (roundTrip <= MAX_MILLIS) {
      int most = line.querying().inBackground() ? AVERAGED_IN_BACKGROUND : AVERAGED;
      int n = (int) Math.min(replies, most);
      int now = (int) Math.max(1, roundTrip);
      roundTripMillis = roundTripMillis == 0 ? now : (roundTripMillis * (n - 1) + now) / n;
    }
    return before;
  }

  /**
   * Judges its refusals.
   *
   * @return whether it counts as refused from now on
   */
  boolean refuses() {
    if (refused || replies < REPLIES_TO_JUDGE || refusals * 100 <= replies * REFUSED_PERCENT) {
      return false;
    }
    refused = true;
    return true;
  }

  /**
   * A query has got no reply in time.
   *
   * @return whether it is down from now on
   */
  boolean unanswered(long nowNanos, long deadNanos) {
    unanswered++;
    boolean dead =
        unanswered >= MOST_UNANSWERED || (silent && nowNanos - silentSinceNanos > deadNanos);
    if (down || !dead) {
      return false;
    }
    down = true;
    return true;
  }

  /** The average round trip, milliseconds. */
  int roundTripMillis() {
    return roundTripMillis == 0 ? UNKNOWN_MILLIS : roundTripMillis;
  }

  /** The average round trip, milliseconds; 0: no reply so far. */
  int knownRoundTripMillis() {
    return roundTripMillis;
  }

  /** Of a group: the expected number of replies; 0: unknown. */
  int groupReplies() {
    return (groupReplies + AVERAGED / 2) / AVERAGED;
  }

  /** Of a group: so many replies have come to a query. Without any it is down after a while. */
  void groupReplied(int count) {
    unanswered = count > 0 ? 0 : Math.min(MOST_UNANSWERED, unanswered + 1);
    down = unanswered >= MOST_UNANSWERED;
    groupReplies =
        groupReplies == 0 ? count * AVERAGED : groupReplies + count - groupReplies / AVERAGED;
  }
}

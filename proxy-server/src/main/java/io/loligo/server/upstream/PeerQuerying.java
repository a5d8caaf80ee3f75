package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/**
 * How a peer is asked whether it has a response, before a request is sent anywhere. Immutable.
 *
 * @param port for queries over UDP; 0: none
 * @param asked whether it gets queries: without {@code no-query}
 * @param inBackground whether it gets them only now and then ({@code background-ping})
 * @param closestOnly whether a parent that lacks the response is chosen by its distance to the
 *     origin only ({@code closest-only})
 * @param baseMillis time that is subtracted from its response times ({@code basetime})
 * @param answersGroup whether it answers queries to a multicast group ({@code multicast-responder})
 * @param htcp how HTCP is spoken with it; null: it is not
 * @param hops that queries to a multicast group may pass ({@code ttl}); 0: those of the local
 *     network
 */
public record PeerQuerying(
    int port,
    boolean asked,
    boolean inBackground,
    boolean closestOnly,
    int baseMillis,
    boolean answersGroup,
    int hops,
    @Nullable PeerHtcp htcp) {
  /** It gets no queries. */
  public static final PeerQuerying NONE =
      new PeerQuerying(0, false, false, false, 0, false, 0, null);
}

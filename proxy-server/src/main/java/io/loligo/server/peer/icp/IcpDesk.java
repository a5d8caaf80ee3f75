package io.loligo.server.peer.icp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides about the queries at the ICP port. Confined to the event loop of the port. */
public interface IcpDesk {
  /** A GET that a peer may send. */
  interface Subject {
    /** Whether {@code icp_access} allows the query. */
    boolean mayAsk();

    /** The round trip to its origin, milliseconds; 0: unknown. */
    int distanceMillis();

    /**
     * Looks for a response that any client would get.
     *
     * @param then told once on this loop: HIT, MISS or MISS_NOFETCH
     */
    void look(Consumer<IcpOutcome> then);
  }

  /** Whether {@code address} is one of a cache_peer. */
  boolean isPeer(InetAddress address);

  /** A GET of {@code from} for {@code url}; null: no port accepts that. */
  @Nullable Subject subject(InetSocketAddress from, String url);

  /**
   * A query is over.
   *
   * @param url null: it could not be read
   * @param about null: no port accepts the URL
   * @param replyBytes 0: it got no reply
   */
  void note(
      InetSocketAddress from,
      @Nullable String url,
      @Nullable Subject about,
      IcpOutcome outcome,
      int replyBytes);

  /** A peer has replied to a query. */
  void replied(InetSocketAddress from, IcpMessage reply);
}

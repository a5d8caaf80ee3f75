package io.loligo.server.upstream;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a node of the cluster is told of a request from another node. Immutable.
 *
 * @param lines field lines beside those of the client; empty: the hop is no node
 */
public record PeerHop(List<Line> lines) {
  /** A field line; the name as HTTP/1 spells it. */
  public record Line(String name, String value) {}

  /**
   * The status of the interim response by which a node tells at once that it has the request (RFC
   * 2518 section 10.1). The first of a response is that sign, and no client gets it; any further
   * one is of the origin.
   */
  public static final int ACKNOWLEDGED = 102;

  /** The status by which a node refuses a request that it does not take from other nodes. */
  public static final int NOT_TAKEN = 421;

  /** The hop is no node of the cluster. */
  public static final PeerHop NONE = new PeerHop(List.of());

  private static final Line ONE = new Line("Peer-Hop", "1");

  /**
   * Tells a node to ask no further node.
   *
   * @param port the name of the port that the client asked
   * @param purges those that this node has applied; null: it does not say
   */
  static PeerHop to(String port, @Nullable String purges) {
    Line asked = new Line("Peer-Port", port);
    return new PeerHop(
        purges == null
            ? List.of(ONE, asked)
            : List.of(ONE, asked, new Line("Peer-Purges", purges)));
  }
}

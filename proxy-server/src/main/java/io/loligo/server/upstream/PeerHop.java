package io.loligo.server.upstream;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.StoreId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The field lines by which a node of the cluster tells another one of a request. Immutable.
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
   * @param storeId that of the response, in the place of its URL; null: it has none
   * @param node the id of the node that is meant; null: any
   */
  static PeerHop to(
      String port, @Nullable String purges, @Nullable StoreId storeId, @Nullable String node) {
    List<Line> lines = new ArrayList<>(5);
    lines.add(ONE);
    if (node != null) {
      lines.add(new Line("Peer-Node", node));
    }
    lines.add(new Line("Peer-Port", port));
    if (purges != null) {
      lines.add(new Line("Peer-Purges", purges));
    }
    if (storeId != null) {
      lines.add(new Line("Peer-Key", encoded(storeId)));
    }
    return new PeerHop(List.copyOf(lines));
  }

  /** The value of Peer-Key: an id may have spaces at its ends, and bytes above ASCII. */
  private static String encoded(StoreId id) {
    return Base64.getEncoder().encodeToString(id.text().getBytes(StandardCharsets.ISO_8859_1));
  }

  /** The store id that {@code value} of Peer-Key encodes; null: none. */
  public static @Nullable StoreId storeId(String value) {
    try {
      byte[] text = Base64.getDecoder().decode(value);
      return CacheKeys.storeId(new String(text, StandardCharsets.ISO_8859_1));
    } catch (IllegalArgumentException notEncoded) {
      return null;
    }
  }
}

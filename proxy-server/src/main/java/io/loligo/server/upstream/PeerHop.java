package io.loligo.server.upstream;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.StoreId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The field lines by which a node of the cluster tells another one of a request. Most requests to a
 * node have the same ones: they are encoded once, for both versions of HTTP. Immutable.
 */
public final class PeerHop {
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
  private static final Line COPY = new Line("Peer-Copy", "1");

  private final List<Line> lines;
  private final byte[] fieldLines;
  private final byte[] fieldBlock;
  private final int textBytes;

  private PeerHop(List<Line> lines) {
    this.lines = List.copyOf(lines);
    FieldLines text = new FieldLines(160);
    ByteBuf block = Unpooled.buffer(160);
    int bytes = 0;
    for (Line line : lines) {
      text.add(line.name(), line.value());
      HpackEncoder.field(block, line.name().toLowerCase(Locale.ROOT), line.value());
      bytes += line.name().length() + line.value().length();
    }
    fieldLines = text.toBytes();
    fieldBlock = ByteBufUtil.getBytes(block);
    textBytes = bytes;
  }

  /**
   * Tells a node to ask no further node.
   *
   * @param port the name of the port that the client asked
   * @param purges those that this node has applied; null: it does not say
   * @param storeId that of the response, in the place of its URL; null: it has none
   * @param node the id of the node that is meant; null: any
   * @param offers whether the node is asked to take a copy if it does not have the response
   */
  static PeerHop to(
      String port,
      @Nullable String purges,
      @Nullable StoreId storeId,
      @Nullable String node,
      boolean offers) {
    List<Line> lines = new ArrayList<>(6);
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
    if (offers) {
      lines.add(COPY);
    }
    return new PeerHop(lines);
  }

  /** The lines beside those of the client; empty: the hop is no node. */
  public List<Line> lines() {
    return lines;
  }

  /** Them as HTTP/1 has them; borrowed. */
  public byte[] fieldLines() {
    return fieldLines;
  }

  /** Them as a part of a field block of HTTP/2; borrowed. */
  public byte[] fieldBlock() {
    return fieldBlock;
  }

  /** Bytes of all names and values. */
  public int textBytes() {
    return textBytes;
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

package io.loligo.server.upstream;

import io.loligo.core.message.ContentLength;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of the cluster, as one request that may be sent to it sees it. Confined to the event loop
 * of the request.
 */
public interface ClusterNode {
  /** The use of a response of the node, besides that for the request which it answers. */
  enum Use {
    /** None. */
    ASKED,
    /** Requests that came meanwhile get it, too. */
    JOINED,
    /** The same, and it is stored as a copy, which later requests of clients get for a while. */
    COPIED,
    /** It is stored. */
    STORED
  }

  /**
   * The use of its response. The node may not have applied a purge yet that this node has applied:
   * then a request that begins later must not get the response.
   *
   * @param purges the value of Peer-Purges in the response; null: it has none
   */
  Use use(@Nullable String purges);

  /** The connections of this event loop to it. */
  NodeConnections connections();

  /**
   * Its address, as one that needs no name: each request would read it from the text of the hop.
   * Null: the host of the hop tells it.
   */
  default @Nullable List<InetAddress> addresses() {
    return null;
  }

  /** This end of connections to it. The rules for connections to origins have no say. */
  LocalEnd end();

  /**
   * The longest wait for a connection to it, and after that from the request to its first sign of
   * life: an interim response, or the response.
   */
  long limitNanos();

  /**
   * Whether requests pass it over at present, or it has left. A request that waits for its response
   * then goes on to the next hop too; a response whose content does not move breaks off.
   */
  boolean isOut();

  /**
   * Whether it speaks HTTP/2 and its response is likely small: then many requests share a
   * connection. A large response costs less on a connection of its own.
   */
  boolean sharesConnection();

  /** It responds 200 to a GET, with {@code contentLength}; see {@link ContentLength}. */
  void responds(long contentLength);

  /** The request is sent to it. Waits for its signs from now on. */
  NodeSigns sent(long nowNanos);

  /**
   * The head of its response came.
   *
   * @param had false: it does not have the response that was asked of its store, or refuses the
   *     request
   */
  void answered(boolean had);

  /**
   * It refused the connection, closed it before the response, or gave no sign of life in time.
   *
   * @param silent whether it is the last
   */
  void failed(boolean silent);

  /**
   * Whether a request that nodes failed may go to a parent or the origin now. Counts it if so: an
   * outage of nodes must not become a flood for origins.
   */
  boolean mayFallBack();
}

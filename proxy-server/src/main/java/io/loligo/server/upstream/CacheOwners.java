package io.loligo.server.upstream;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.StoreId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the cluster that share one cache, as one event loop sees them. Confined to the loop.
 */
public interface CacheOwners {
  /** Whether this node fetches the response itself, as things are now. */
  boolean owns(CacheKey key);

  /**
   * The nodes to ask for a response before parents and the origin; empty: none, this node fetches
   * it.
   *
   * @param port the {@linkplain io.loligo.server.port.HttpPort#sharedName shared name} of the port
   *     that the client asked
   * @param storeId the id in the place of the URL, if {@code key} is of one; else null. Only with
   *     {@link #isSecured}.
   */
  List<Hop> hops(CacheKey key, String port, @Nullable StoreId storeId);

  /**
   * The nodes to ask for a response that this node fetches as its owner, or because another node
   * asks for it: at most the previous owner, which answers from its store. Parameters as above.
   */
  List<Hop> previous(CacheKey key, String port, @Nullable StoreId storeId);

  /** Whether a response with two hits is stored on the second node in rank too. */
  default boolean keepsSecondCopies() {
    return false;
  }

  /**
   * The node that this one, the owner, asks to take a second copy; empty: none. Parameters as
   * above.
   */
  default List<Hop> offer(CacheKey key, String port, @Nullable StoreId storeId) {
    return List.of();
  }

  /**
   * The owner, from which this node takes a second copy that it was offered; empty: none.
   * Parameters as above.
   */
  default List<Hop> offered(CacheKey key, String port, @Nullable StoreId storeId) {
    return List.of();
  }

  /** This node begins to take a second copy. */
  default void takesSecondCopy() {}

  /** Whether nodes prove with a certificate that they are nodes. */
  boolean isSecured();

  /**
   * The purges that this node has applied, as a response to another node tells them. Read it before
   * the response is looked up. Null: it does not say.
   *
   * @param asked the value of Peer-Purges in the request; null: it has none
   */
  @Nullable String purges(@Nullable String asked);

  /** A client got a copy of a response that another node stores. */
  void copyServed();

  /**
   * This node does not take a request of {@code client} at the port for nodes. That is a fault of
   * the configuration, or the client is no node.
   */
  void refused(InetSocketAddress client, String why);

  /**
   * Whether {@code port} in a request of a node is the secret by which this node asks itself, and
   * it does so at present.
   */
  default boolean isOwnRequest(String port) {
    return false;
  }

  /**
   * Whether a request of {@code client} is for another member than this node, which then says that
   * the address of this node is its own. That is logged.
   *
   * @param node the value of Peer-Node in the request
   */
  default boolean isForAnother(String node, InetSocketAddress client) {
    return false;
  }

  /** Whether requests from {@code address} may be those of a node. */
  boolean isNode(InetAddress address);
}

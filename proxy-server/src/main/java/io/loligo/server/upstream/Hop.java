package io.loligo.server.upstream;

import io.loligo.server.record.HierarchyCode;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** A possible next destination of a request. Immutable. */
public sealed interface Hop {
  /** Name or literal to dial. */
  String host();

  /** TCP port to dial. */
  int port();

  /** The code for the log. */
  HierarchyCode code();

  /** The cache_peer; null for the origin itself. */
  @Nullable CachePeer peer();

  /** The form that the place expects requests in. */
  RequestForm form();

  /** TLS on the connection; null: clear text. */
  @Nullable HopSecurity security();

  /** The header at the start of each connection; null: none. */
  @Nullable HopProxyHeader proxyHeader();

  /** The client's address, from which connections are made; null: from one of the proxy. */
  @Nullable InetAddress from();

  /** Whether a response of {@code status} says that the place is not one for the request. */
  default boolean declines(int status) {
    return false;
  }

  /** Whether it answers from its store at once, or not at all. */
  default boolean answersFromStore() {
    return false;
  }

  /** The node of the cluster that it is; null: none. */
  default @Nullable ClusterNode node() {
    return null;
  }

  /** This hop if the node asked before it is out of routing: it is the owner then, and fetches. */
  default Hop asOwner() {
    return this;
  }

  /** The origin itself. */
  record Direct(
      String host,
      int port,
      HierarchyCode code,
      @Nullable HopSecurity security,
      @Nullable InetAddress from,
      RequestForm form)
      implements Hop {
    /** The origin, which gets requests unchanged. */
    public Direct(
        String host,
        int port,
        HierarchyCode code,
        @Nullable HopSecurity security,
        @Nullable InetAddress from) {
      this(host, port, code, security, from, RequestForm.DIRECT);
    }

    /** The origin in clear text. */
    public Direct(String host, int port, HierarchyCode code) {
      this(host, port, code, null);
    }

    /** The origin, from an address of the proxy. */
    public Direct(String host, int port, HierarchyCode code, @Nullable HopSecurity security) {
      this(host, port, code, security, null);
    }

    @Override
    public @Nullable CachePeer peer() {
      return null;
    }

    @Override
    public @Nullable HopProxyHeader proxyHeader() {
      return null;
    }
  }

  /** A cache_peer, or a node of the cluster as one: {@link #peer} has the address. */
  sealed interface ToPeer extends Hop {
    @Override
    CachePeer peer();

    @Override
    default String host() {
      return peer().host();
    }

    @Override
    default int port() {
      return peer().port();
    }

    @Override
    default @Nullable HopSecurity security() {
      return peer().security();
    }
  }

  /**
   * A cache_peer that answers only from its store, and 504 if it lacks the response; with
   * allow-miss, it may fetch.
   */
  record Sibling(
      CachePeer peer,
      HierarchyCode code,
      @Nullable HopProxyHeader proxyHeader,
      @Nullable InetAddress from,
      RequestForm form)
      implements ToPeer {
    @Override
    public boolean declines(int status) {
      return status >= 500 || status == 403 || status == 407;
    }

    @Override
    public boolean answersFromStore() {
      return form.cacheControl() != null; // only-if-cached
    }
  }

  /** A cache_peer that fetches a response that it has not stored. */
  record Parent(
      CachePeer peer,
      HierarchyCode code,
      @Nullable HopProxyHeader proxyHeader,
      @Nullable InetAddress from,
      RequestForm form)
      implements ToPeer {
    /** A parent, from an address of the proxy. */
    public Parent(CachePeer peer, HierarchyCode code, @Nullable HopProxyHeader proxyHeader) {
      this(peer, code, proxyHeader, null, peer.form());
    }
  }

  /**
   * A node of the cluster: the owner of the response, or another one that may have it stored. It is
   * reached at an address of the cluster, for which {@code http_access} has no say.
   *
   * @param peer its peer port
   * @param form with {@link RequestForm#peerHop}
   */
  record Owner(CachePeer peer, ClusterNode node, HierarchyCode code, RequestForm form)
      implements ToPeer {
    @Override
    public @Nullable HopProxyHeader proxyHeader() {
      return null;
    }

    @Override
    public @Nullable InetAddress from() {
      return null;
    }

    @Override
    public Hop asOwner() {
      return new Owner(peer, node, HierarchyCode.CLUSTER_OWNER, form.withCacheControl(null));
    }

    @Override
    public boolean declines(int status) {
      return status == PeerHop.NOT_TAKEN || (status == 504 && form.cacheControl() != null);
    }
  }
}

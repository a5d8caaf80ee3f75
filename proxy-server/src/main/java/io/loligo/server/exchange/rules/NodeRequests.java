package io.loligo.server.exchange.rules;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RepeatedValue;
import io.loligo.core.message.StoreId;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.SharedPorts;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.PeerHop;
import io.loligo.server.upstream.own.OwnObjects;
import org.jspecify.annotations.Nullable;

/**
 * The requests that nodes of the cluster send to each other: which of them are taken, and which
 * requests of clients become one. Confined to the event loop.
 *
 * <p>The node that the client asked has done admission: {@code http_access}, login, rewriting and
 * adaptation. This node goes on with the key. A request that it does not take gets {@value
 * PeerHop#NOT_TAKEN}, and the other node asks somebody else.
 */
public final class NodeRequests {
  private final CacheOwners owners;
  private final SharedPorts ports;
  private final boolean adapts;
  private final boolean names;

  // a node says the same in most requests, and in most responses
  private final RepeatedValue node = new RepeatedValue();
  private final RepeatedValue hop = new RepeatedValue();
  private final RepeatedValue port = new RepeatedValue();
  private final RepeatedValue askedPurges = new RepeatedValue();
  private final RepeatedValue answeredPurges = new RepeatedValue();

  /**
   * Creates the rules.
   *
   * @param adapts whether services adapt responses: then each node fetches for itself
   * @param names whether a program gives responses their store ids
   */
  public NodeRequests(CacheOwners owners, ProxyConfig config, boolean adapts, boolean names) {
    this.names = names;
    this.owners = owners;
    this.ports = new SharedPorts(PortDirectives.ports(config));
    this.adapts = adapts;
  }

  /** Whether {@code request}, which came to the port for nodes, is for another one. */
  public boolean isForAnother(Request request) {
    String meant = node.of(request.head().fields(), FieldName.PEER_NODE);
    return meant != null && isOfANode(request) && owners.isForAnother(meant, request.client());
  }

  /** With TLS a certificate has told it. */
  private boolean isOfANode(Request request) {
    return request.stream().port().tls() != null || owners.isNode(request.client().getAddress());
  }

  /** Marks {@code request}, which came to the port for nodes. Returns why it is not taken. */
  public @Nullable Refusal take(Request request) {
    Fields fields = request.head().fields();
    boolean secured = request.stream().port().tls() != null;
    if (!isOfANode(request)) {
      String why = "the client is no node";
      owners.refused(request.client(), why);
      return notTaken(why);
    }
    if (!"1".equals(hop.of(fields, FieldName.PEER_HOP))) {
      return notTaken("Peer-Hop is not 1");
    }
    String name = port.of(fields, FieldName.PEER_PORT);
    boolean own = name != null && owners.isOwnRequest(name);
    if (!Method.isGetOrHead(request.head().methodId())
        || ContentLength.hasContent(request.contentLength())
        || request.host().equals(OwnObjects.HOST) != own) {
      return notTaken("no request of this kind is taken from nodes");
    }
    request.record().isOwnRequest = own;
    HttpPort asked = name == null ? null : own ? ports.first() : ports.find(name);
    if (asked == null) {
      String why = "no port here is like " + name;
      owners.refused(request.client(), why);
      return notTaken(why);
    }
    String key = fields.get(FieldName.PEER_KEY);
    StoreId id = key == null ? null : PeerHop.storeId(key);
    if (key != null && (id == null || !names || !secured)) {
      String why =
          !secured
              ? "a store id needs loligo_cluster_tls"
              : names ? "Peer-Key is no store id" : "store_id_program is not set here";
      owners.refused(request.client(), why);
      return notTaken(why);
    }
    request.isOfNode(asked);
    if (id != null) {
      request.storedAs(id);
    }
    request.record().peerPurges = owners.purges(askedPurges.of(fields, FieldName.PEER_PURGES));
    return null;
  }

  /** The purges that another node tells of in a response with {@code fields}; null: none. */
  public @Nullable String answeredPurges(Fields fields) {
    return answeredPurges.of(fields, FieldName.PEER_PURGES);
  }

  /** {@code refusal} for an overload, as another node gets it: it asks somebody else. */
  public static Refusal overloaded(Refusal refusal) {
    return notTaken(refusal.summary());
  }

  private static Refusal notTaken(String why) {
    return Refusal.of(
            PeerHop.NOT_TAKEN, "ERR_ACCESS_DENIED", "This node does not take the request.")
        .because(why);
  }

  /**
   * Whether the response to {@code request} may come from another node: it is not personal, and
   * would be stored here.
   */
  public boolean mayShare(Request request) {
    return !adapts
        && Method.isGetOrHead(request.head().methodId())
        && !ContentLength.hasContent(request.contentLength())
        && (request.target().storeId() == null || owners.isSecured()) // who may name a response
        && !request.hostConflicts()
        && !request.head().fields().has(FieldName.AUTHORIZATION)
        && !request.head().fields().hasToken(FieldName.CACHE_CONTROL, "no-store");
  }

  /**
   * Whether another node may have the response to {@code request}, a client's with {@code
   * only-if-cached}, and is asked for it. A slice is looked for on this node only.
   */
  public boolean mayAskForStored(Request request, CacheKey key) {
    return !request.isFromNode()
        && !request.continuesAnswer()
        && request.slice() == null
        && mayShare(request)
        && !owners.owns(key);
  }

  /**
   * Whether the node second in rank is offered a copy of the response to {@code request}: with the
   * second hit and each doubling after it. The second in rank may have removed its copy meanwhile,
   * or be another node now.
   *
   * @param hits of the response, with that of the request
   */
  public boolean offersCopy(Request request, int hits) {
    return hits >= 2 && Integer.bitCount(hits) == 1 && request.slice() == null && mayShare(request);
  }

  /** Whether the owner offers this node a copy of the response, by {@code request}. */
  public boolean isOffer(Request request) {
    return request.isFromNode() && request.head().fields().has(FieldName.PEER_COPY);
  }

  /** The nodes of the cluster. */
  public CacheOwners owners() {
    return owners;
  }
}

package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.message.StoreId;
import io.loligo.server.exchange.adapt.ResponseAdaptation;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.NodeRequests;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.route.Askable;
import io.loligo.server.upstream.route.Router;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The upstream side of one fetch. It requests hops, sends one request after another, and sums up
 * their bytes. Confined to the fetch's event loop.
 */
final class OriginSide implements Router.Listener, AddressCheck {
  /** The fetch that composes the requests and receives the responses. */
  interface Sender extends OriginEvents {
    /** Composes the request after hops were found; null if no request is needed any more. */
    @Nullable OutgoingRequest compose();

    /** The peers that may be asked for the response. */
    Askable askable();

    /** The key of a response that is shared by all clients; null: it may be for one client. */
    @Nullable CacheKey sharedKey();

    /** Whether the owner of the key is asked, if that is another node of the cluster. */
    boolean asksOwner();

    /** Whether only a response that another node of the cluster has stored is of use. */
    boolean asksForStored();

    /** Whether it takes a second copy, which the owner has offered. */
    boolean takesSecondCopy();

    /** The limit for the bytes of the response, at present; null: none. Asked if pools exist. */
    @Nullable Allowance limit();
  }

  private final LoopServices services;
  private final Request request;
  private final Sender sender;
  private @Nullable OriginStream stream;

  /** Delays the response to the last request; null: there are no delay pools. */
  private @Nullable DelayedArrival delayed;

  /** Whether the response to the last request is over. */
  private boolean answerOver;

  /** Whether another node owns the response. */
  private boolean ofOther;

  private long bytesInBefore;
  private long bytesOutBefore;

  /** Has no request yet. {@code request} is a snapshot. */
  OriginSide(LoopServices services, Request request, Sender sender) {
    this.services = services;
    this.request = request;
    this.sender = sender;
  }

  /** Finds hops, then sends the request that the sender composes. */
  void ask() {
    if (sender.asksForStored()) {
      routed(List.of());
    } else {
      services.router.route(request, request.head().methodId(), sender.askable(), this);
    }
  }

  @Override
  public void routed(List<Hop> routed) {
    List<Hop> hops = services.nodes == null ? routed : withNodes(services.nodes, routed);
    OutgoingRequest outgoing = sender.compose();
    if (outgoing != null) {
      answerOver = false;
      closeDelayed();
      OriginStream begun = fetch(hops, outgoing);
      stream = begun;
      request.server().way(begun.timings());
    }
  }

  /** {@code routed}, after the nodes that may have the response. */
  private List<Hop> withNodes(NodeRequests nodes, List<Hop> routed) {
    CacheKey key = sender.sharedKey();
    if (key == null || !nodes.mayShare(request)) {
      return routed;
    }
    ofOther = sender.asksOwner() && !nodes.owners().owns(key);
    String port = request.httpPort().sharedName();
    StoreId id = request.target().storeId();
    List<Hop> asked =
        sender.takesSecondCopy()
            ? nodes.owners().offered(key, port, id)
            : sender.asksOwner()
                ? nodes.owners().hops(key, port, id)
                : nodes.owners().previous(key, port, id);
    if (asked.isEmpty()) {
      return routed;
    }
    List<Hop> all = new ArrayList<>(asked);
    all.addAll(routed);
    return all;
  }

  private @Nullable Allowance limit() {
    CachePeer peer = peer();
    return peer != null && !peer.delays() ? null : sender.limit();
  }

  /** Bytes that wait may pass now: the limit is another one. */
  void limitChanged() {
    if (delayed != null) {
      delayed.pump();
    }
  }

  private void closeDelayed() {
    if (delayed != null) {
      delayed.close();
      delayed = null;
    }
  }

  /** Events pass the limit of bandwidth first, then the services that adapt responses. */
  private OriginStream fetch(List<Hop> hops, OutgoingRequest outgoing) {
    OriginEvents events = sender;
    ResponseAdaptation adapting = null;
    if (services.adaptations != null) {
      adapting = new ResponseAdaptation(services.adaptations, services.settings, request, sender);
      events = adapting;
    }
    if (services.bandwidth != null) {
      delayed = new DelayedArrival(services, events, this::limit);
      events = delayed;
    }
    OriginStream asked = services.upstream.fetch(hops, outgoing, this, events);
    return adapting == null ? asked : adapting.over(asked);
  }

  @Override
  public void unroutable(FetchFailure failure) {
    sender.failed(failure);
  }

  @Override
  public @Nullable String refusal(InetAddress address, int port) {
    return services.destinations.refusal(request, address, port, /* tunnel= */ false);
  }

  @Override
  public LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
    return services.destinations.localEnd(request, address, peer);
  }

  @Override
  public boolean mayRiskKept() {
    return services.settings.fetches.mayRiskKept(request);
  }

  @Override
  public boolean tolerates(TlsFault fault) {
    return services.destinations.tolerates(request, fault);
  }

  /** The stream of the last request, or null. */
  @Nullable OriginStream stream() {
    return stream;
  }

  private OriginStream asked() {
    assert stream != null : "no request was sent";
    return stream;
  }

  /** The cache_peer that received the last request, or null. Call only after a request was sent. */
  @Nullable CachePeer peer() {
    return asked().timings().peer;
  }

  /** The node of the cluster that received the last request; null: none did. */
  @Nullable ClusterNode node() {
    return stream == null ? null : stream.timings().node;
  }

  /**
   * Whether another node of the cluster owns the response, so that this one fetches it only because
   * the others did not answer, if it does.
   */
  boolean isOfOther() {
    return ofOther;
  }

  /** Whether the response to the last request is over. */
  boolean isAnswerOver() {
    return answerOver;
  }

  /** Requests one more read of the response's content. */
  void read() {
    asked().read();
  }

  /** The raw connection, after a 101. Returns owned. */
  ByteStream detach() {
    return asked().detach();
  }

  /** Cancels the rest of the response, if there is one. */
  void cancel() {
    if (stream != null && !answerOver) {
      stream.cancel();
    }
    closeDelayed();
  }

  /**
   * Cancels the last request and excludes its bytes from the sums, because another request follows.
   */
  void forget() {
    asked().cancel();
    closeDelayed();
    stream = null;
  }

  /**
   * Adds the bytes of the last request to the sums.
   *
   * @param cancel whether to cancel the rest of its response
   */
  void endAnswer(boolean cancel) {
    if (stream == null || answerOver) {
      return;
    }
    if (cancel) {
      stream.cancel();
      closeDelayed();
    }
    answerOver = true;
    bytesInBefore += stream.timings().bytesIn;
    bytesOutBefore += stream.timings().bytesOut;
  }

  /**
   * Writes the facts about the requests so far into {@code record}. Returns false if none was sent.
   */
  boolean account(ExchangeRecord record) {
    if (stream == null) {
      return false;
    }
    FetchTimings timings = stream.timings();
    timings.describe(record);
    record.serverBytesIn = bytesInBefore + (answerOver ? 0 : timings.bytesIn);
    record.serverBytesOut = bytesOutBefore + (answerOver ? 0 : timings.bytesOut);
    FetchTimings.stage(record, Stage.SERVER_FIRST_BYTE, timings.firstByteNanos);
    FetchTimings.stage(record, Stage.SERVER_LAST_BYTE, timings.lastByteNanos);
    return true;
  }
}

package io.loligo.server.exchange.tunnel;

import io.loligo.core.caching.HiddenFields;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.message.WebSocketHandshake;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.answer.FailureAnswer;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.BandwidthRules;
import io.loligo.server.exchange.rules.ForwardedFields;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.Limit;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.Tunnel;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.route.Router;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * CONNECT (RFC 9110 section 9.3.6): connects to the target, then moves bytes both ways. Upgrade
 * ends in the same way. Confined to the client's event loop.
 */
public final class Tunneling extends ConnectEvents implements Router.Listener, AddressCheck {
  private final LoopServices services;
  private final Request request;
  private final ClientStream stream;
  private @Nullable OriginStream origin;
  private boolean over;

  /** Prepares a tunnel for {@code request}, a snapshot. */
  public Tunneling(LoopServices services, Request request) {
    this.services = services;
    this.request = request;
    this.stream = request.stream();
  }

  /**
   * Begins to connect. Returns itself, or null if it failed at once; the client then has its
   * response.
   */
  public @Nullable ClientEvents connect() {
    ExchangeRecord record = stream.record();
    record.tag = LogTag.TCP_TUNNEL;
    record.hitClass = HitClass.TUNNEL;
    services.router.route(request, request.head().methodId(), this);
    return over ? null : this;
  }

  @Override
  public void unroutable(FetchFailure failure) {
    if (!over) {
      failed(failure);
    }
  }

  @Override
  public void routed(List<Hop> hops) {
    if (over) {
      return;
    }
    origin = services.upstream.connect(hops, Tunneling.to(services, request, hops), this, this);
  }

  /**
   * The tunnel that {@code request} asks for. A parent among {@code hops} gets the fields of the
   * client, as Squid's parents do, under the rules about fields.
   */
  public static OutgoingConnect to(LoopServices services, Request request, List<Hop> hops) {
    FieldLines lines = services.scratch.section();
    if (mayReachParent(hops)) {
      ExchangeSettings settings = services.settings;
      ForwardedFields.copy(request, settings, FieldSet.NONE, ForwardedFields.NO_FIELD, lines);
      ForwardedFields.addWay(request, settings, lines);
      if (services.requestFields != null) {
        services.requestFields.request(request, lines);
      }
    }
    return new OutgoingConnect(request.host(), request.port(), lines.toBytes());
  }

  private static boolean mayReachParent(List<Hop> hops) {
    for (Hop hop : hops) {
      if (hop.peer() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public @Nullable String refusal(InetAddress address, int port) {
    return services.destinations.refusal(request, address, port, /* tunnel= */ true);
  }

  @Override
  public LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
    return services.destinations.localEnd(request, address, peer);
  }

  @Override
  public boolean tolerates(TlsFault fault) {
    return services.destinations.tolerates(request, fault);
  }

  @Override
  public void head(@Nullable ResponseHead none, long noContent) {
    over = true;
    account();
    FieldLines lines = services.scratch.lines();
    lines.append(services.settings.viaLine(), 0, services.settings.viaLine().length);
    stream.head(services.scratch.head(200, lines).content(ContentLength.NONE, false));
    stream.flush();
    OriginStream connected = origin;
    assert connected != null : "it has answered";
    CachePeer peer = connected.timings().peer;
    relay(services, stream, connected.detach(), limit(services, request, peer));
  }

  /**
   * Switches to the protocol that {@code reply}, a 101, names (RFC 9110 section 7.8): sends it on,
   * then moves bytes both ways. A client of HTTP/2 gets 200 (RFC 8441 section 5). Takes {@code
   * origin}, which is reached through {@code peer}; null: directly.
   */
  public static void upgraded(
      LoopServices services,
      Request request,
      ResponseHead reply,
      ByteStream origin,
      @Nullable CachePeer peer) {
    ClientStream stream = request.stream();
    boolean ours = WebSocketHandshake.isOurs(request.head());
    FieldLines lines = services.scratch.lines();
    Fields fields = reply.fields();
    for (int i = 0; i < fields.count(); i++) {
      if (fields.id(i) != FieldName.CONNECTION
          && fields.id(i) != FieldName.CONTENT_LENGTH
          && fields.id(i) != FieldName.TRANSFER_ENCODING
          && !HiddenFields.contains(fields.id(i))
          && !(ours && isOfHandshake(fields, i))) {
        lines.add(fields, i);
      }
    }
    lines.append(services.settings.viaLine(), 0, services.settings.viaLine().length);
    stream.record().tag = LogTag.TCP_TUNNEL;
    stream.record().hitClass = HitClass.TUNNEL;
    stream.head(services.scratch.head(ours ? 200 : 101, lines).content(ContentLength.NONE, false));
    stream.flush();
    relay(services, stream, origin, limit(services, request, peer));
  }

  private static boolean isOfHandshake(Fields fields, int i) {
    return fields.id(i) == FieldName.UPGRADE || fields.nameEquals(i, WebSocketHandshake.ACCEPT);
  }

  /**
   * The limit of the bytes to the client of {@code request}, from a server or through {@code peer};
   * null: none. The 200 or 101 was sent.
   */
  public static @Nullable Limit limit(
      LoopServices services, Request request, @Nullable CachePeer peer) {
    BandwidthRules bandwidth = services.bandwidth;
    if (bandwidth == null) {
      return null;
    }
    boolean delays = peer == null || peer.delays();
    Limit sending = request.stream().limit();
    Allowance allowance =
        Allowance.both(
            delays ? bandwidth.ofServer(request) : null,
            sending == null ? null : sending.allowance());
    return allowance == null ? null : new Limit(allowance, services.paces);
  }

  private static void relay(
      LoopServices services, ClientStream stream, ByteStream origin, @Nullable Limit limit) {
    ByteStream client = stream.detach();
    if (client == null) {
      origin.discard();
    } else {
      relay(services, stream, client, origin, limit);
    }
  }

  /**
   * Moves bytes both ways until both sides have finished. Takes {@code origin} and {@code client},
   * which {@code stream} has given away.
   */
  public static void relay(
      LoopServices services,
      ClientStream stream,
      ByteStream client,
      ByteStream origin,
      @Nullable Limit limit) {
    ConnectionCounters counters = services.counters;
    counters.tunnelOpened();
    String peer = stream.record().peerName;
    Tunnel tunnel =
        Tunnel.start(
            client,
            origin,
            limit,
            services.timer,
            services.settings.readMillis,
            services.settings.streamBufferBytes,
            services.store.transit(),
            (fromClient, toClient) -> {
              counters.tunnelClosed();
              if (peer != null) {
                services.health.moved(peer, fromClient, toClient);
              }
              stream.tunnelEnded(fromClient, toClient);
            });
    stream.tunnelBegun(tunnel::abort);
  }

  @Override
  public void failed(FetchFailure failure) {
    over = true;
    account();
    ExchangeRecord record = stream.record();
    record.errorDetail = failure.detail();
    if (failure.kind() == FetchFailure.Kind.ADDRESS_DENIED) {
      record.tag = LogTag.TCP_DENIED;
      record.hitClass = HitClass.OWN_ANSWER;
      record.hierarchy = HierarchyCode.HIER_NONE;
      record.nextHop = null;
    }
    if (failure.kind() == FetchFailure.Kind.NO_MEMORY) {
      record.shed = Shed.MEMORY;
    }
    FieldLines lines = FailureAnswer.retryAfter(failure);
    if (failure.refusal() != null) {
      record.serverStatus = failure.refusal().answered();
      lines = new FieldLines(64);
      failure.refusal().addFields(lines);
    }
    ErrorPage.send(
        stream,
        services,
        failure.status(),
        failure.kind().errorCode(),
        FailureAnswer.text(failure),
        lines);
  }

  @Override
  public void gone() {
    if (!over) {
      over = true;
      account();
      if (origin != null) {
        origin.cancel();
      }
    }
  }

  private void account() {
    if (origin != null) {
      origin.timings().describe(stream.record());
    }
  }
}

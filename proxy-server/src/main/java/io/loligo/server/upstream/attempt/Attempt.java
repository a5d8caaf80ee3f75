package io.loligo.server.upstream.attempt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.connect.AddressOrder;
import io.loligo.server.upstream.names.NameResolver;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.PooledConnection;
import io.loligo.server.upstream.pool.ResponseEvents;
import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request, or one tunnel being opened, along its hops. Confined to its event loop.
 *
 * <pre>
 * ROUTING  looking for a hop that answers: names, kept connections, dialling
 * RUNNING  a lease has it
 * DONE     ended, failed, cancelled or given away: no event follows
 * </pre>
 *
 * <p>The next hop follows if a name does not resolve, if no connection can be made, or if {@link
 * AfterFailure} says so. The attempt ends at a hop of which the rules deny every address.
 *
 * <p>A kept connection is used only for a request that may be sent twice: the peer may have closed
 * it before the request arrives, and then it is unknown whether the request was carried out (RFC
 * 9110 section 9.2.2). The rules may risk it ({@link AddressCheck#mayRiskKept}); then a failure is
 * the client's. A connection of HTTP/2 that is known to be alive is used for any request.
 */
final class Attempt implements OriginStream, ResponseEvents, NameResolver.Listener, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);

  /** The most bytes of an unwanted response that are read, so that its connection can be kept. */
  private static final int MAX_SKIPPED_BYTES = 64 << 10;

  /** Refusals after which no kept connection is used any more. */
  private static final int MAX_REFUSALS = 3;

  private enum Phase {
    ROUTING,
    RUNNING,
    DONE
  }

  private final NettyUpstream upstream;
  private final List<Hop> hops;
  private final @Nullable OutgoingRequest request;
  private final @Nullable OutgoingConnect tunnel;
  private final AddressCheck check;
  private final OriginEvents events;
  private final FetchTimings timings = new FetchTimings();
  private final boolean repeatable;

  private Phase phase = Phase.ROUTING;
  private int hopIndex = -1;

  @SuppressWarnings("NullAway.Init") // set by nextHop, before any use
  private Hop hop;

  private List<Endpoint> endpoints = List.of();
  private boolean freshOnly;
  private int refusals;

  /** Whether only HTTP/1.1 will do: for a tunnel, an upgrade, or because the server says so. */
  private boolean http1;

  /** Whether content was asked for. */
  private boolean contentBegun;

  /** A copy of it; null if nobody can refuse the request any more. */
  private @Nullable SentContent sent;

  private boolean reused;
  private long stageStartNanos;
  private @Nullable Opening opening;

  /** Whether it has waited for a connection to the hop that others opened. */
  private boolean waited;

  private @Nullable Lease lease;
  private @Nullable ForwardLimit forwardLimit;
  private @Nullable FetchFailure lastFailure;

  /** Whether the response that arrives is not wanted: the next hop is asked after it. */
  private boolean skipping;

  private int skippedBytes;

  /** {@code request} or {@code tunnel} is null, or both: then TLS is looked at only. */
  Attempt(
      NettyUpstream upstream,
      List<Hop> hops,
      @Nullable OutgoingRequest request,
      @Nullable OutgoingConnect tunnel,
      AddressCheck check,
      OriginEvents events) {
    this.upstream = upstream;
    this.hops = hops;
    this.request = request;
    this.tunnel = tunnel;
    this.check = check;
    this.events = events;
    this.http1 = request == null ? tunnel != null : request.upgrade() != null;
    this.repeatable =
        request != null && !request.hasContent() && Method.isIdempotent(request.methodId());
  }

  // ---- routing

  @Override
  public void run() {
    if (phase == Phase.ROUTING) {
      try {
        nextHop();
      } catch (RuntimeException | Error e) {
        broken(e);
      }
    }
  }

  private void nextHop() {
    while (phase == Phase.ROUTING && ++hopIndex < hops.size() && triesLeft() > 0) {
      hop = hops.get(hopIndex);
      waited = false;
      timings.code = hop.code();
      timings.peer = hop.peer();
      timings.address = hop.host();
      timings.port = hop.port();
      List<InetAddress> known = upstream.names.known(hop.host());
      if (known == null || known.isEmpty()) {
        limitForwarding();
        stageStartNanos = now();
        upstream.names.resolve(hop.host(), this);
        return;
      }
      if (open(known)) {
        return;
      }
    }
    if (phase == Phase.ROUTING) {
      fail(lastFailure != null ? lastFailure : new FetchFailure(Kind.NO_ROUTE, "no hop to try"));
    }
  }

  @Override
  public void resolved(List<InetAddress> found, @Nullable String failure) {
    if (phase != Phase.ROUTING) {
      return;
    }
    try {
      timings.dnsNanos = Math.max(0, timings.dnsNanos) + now() - stageStartNanos;
      if (found.isEmpty()) {
        assert failure != null : "no address, and no reason";
        lastFailure = new FetchFailure(Kind.DNS_FAILED, failure);
        nextHop();
      } else if (!open(found)) {
        nextHop();
      }
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  /** Uses or dials one of {@code all}; false if this hop has to be skipped. */
  private boolean open(List<InetAddress> all) {
    List<InetAddress> found = ofFamily(all, hop.from());
    if (found.isEmpty()) {
      lastFailure =
          new FetchFailure(
              Kind.CONNECT_FAILED, hop.host() + ": no address of the client's version of IP");
      return false;
    }
    List<Endpoint> allowed = allowed(found);
    if (allowed == null) {
      return true;
    }
    endpoints = allowed;
    if (isChunked() && upstream.oldServers.contains(endpoints)) {
      lastFailure =
          new FetchFailure(Kind.LENGTH_REQUIRED, hop.host() + ": answered with HTTP/1.0 before");
      return false;
    }
    return (!freshOnly && useKept()) || dial();
  }

  /** Uses a kept connection to one of the endpoints, if there is one that may be used. */
  private boolean useKept() {
    boolean mayShare = hop.security() != null && !http1;
    boolean anyKept = repeatable || (request != null && check.mayRiskKept());
    if (!anyKept && !mayShare) {
      return false;
    }
    for (Endpoint endpoint : endpoints) {
      Lease kept = anyKept ? upstream.idle.take(endpoint) : upstream.idle.takeAlive(endpoint);
      if (kept != null) {
        reused = true;
        timings.reused = true;
        upstream.counters.reused();
        use(kept);
        return true;
      }
    }
    return false;
  }

  private boolean isChunked() {
    return request != null && request.hasContent() && request.contentLength() < 0;
  }

  /** Those of {@code all} that can be dialled from {@code from}. */
  private static List<InetAddress> ofFamily(List<InetAddress> all, @Nullable InetAddress from) {
    return from == null
        ? all
        : all.stream().filter(one -> one.getClass() == from.getClass()).toList();
  }

  /** The endpoints that may be dialled; null, and the fetch failed, if there are none. */
  private @Nullable List<Endpoint> allowed(List<InetAddress> found) {
    List<Endpoint> allowed = new ArrayList<>(found.size());
    Endpoint.Security security = upstream.security(isRaw() ? null : hop.security(), http1);
    String refusal = null;
    for (InetAddress address : found) {
      String reason = hop.peer() == null ? check.refusal(address, hop.port()) : null;
      if (reason == null) {
        allowed.add(upstream.endpoint(hop, address, check, security));
      } else {
        refusal = reason;
      }
    }
    if (allowed.isEmpty()) {
      assert refusal != null : "no address to refuse";
      fail(new FetchFailure(Kind.ADDRESS_DENIED, refusal));
      return null;
    }
    return allowed;
  }

  /** Whether the client will speak with the hop itself, and makes its own handshake. */
  private boolean isRaw() {
    return tunnel != null && !hop.form().absolute();
  }

  private boolean isProbe() {
    return request == null && tunnel == null;
  }

  /** Opens a connection, or waits for one that is being opened and may be shared. */
  private boolean dial() {
    CachePeer peer = hop.peer();
    List<Endpoint> order = AddressOrder.interleave(endpoints, upstream.settings.v4First);
    Opening.Place place = new Opening.Place(order, peer);
    boolean shared = upstream.mayBeShared(order);
    Opening other = shared && !freshOnly && !waited ? upstream.openings.get(place) : null;
    if (other != null && other.join(this)) {
      opening = other;
      waited = true;
    } else if (peer != null && !upstream.health.open(peer)) {
      lastFailure = new FetchFailure(Kind.OVERLOADED, peer.name() + ": max-conn reached");
      return false;
    }
    limitForwarding();
    stageStartNanos = now();
    if (opening == null) {
      opening = new Opening(upstream, place, hop, triesLeft(), this, check::tolerates);
      opening.start(connectMillis(peer), shared);
    }
    return true;
  }

  private long connectMillis(@Nullable CachePeer peer) {
    if (peer == null) {
      return upstream.settings.connectMillis;
    }
    return peer.connectMillis() > 0 ? peer.connectMillis() : upstream.settings.peerConnectMillis;
  }

  private int triesLeft() {
    return Math.max(0, upstream.settings.maxTries - timings.attempts);
  }

  /** None of the endpoints could be connected to. */
  void unreachable(FetchFailure failure, int attempts) {
    opening = null;
    timings.attempts += attempts;
    lastFailure = failure;
    run();
  }

  /** {@code connection} was opened for this request, after {@code attempts}. */
  void connected(PooledConnection connection, Endpoint endpoint, int attempts) {
    opened();
    timings.attempts += attempts;
    reused = false;
    timings.reused = false;
    try {
      Lease first = connection.lease();
      if (first == null) {
        lastFailure = new FetchFailure(Kind.CONNECT_FAILED, endpoint + ": closed at once");
        nextHop();
      } else {
        use(first);
      }
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  private void opened() {
    opening = null;
    timings.connectNanos = Math.max(0, timings.connectNanos) + now() - stageStartNanos;
  }

  /** The connection that it waited for may be in the pool now, or not. */
  void waited() {
    if (phase == Phase.ROUTING) {
      opened();
      try {
        if (!useKept() && !dial()) {
          nextHop();
        }
      } catch (RuntimeException | Error e) {
        broken(e);
      }
    }
  }

  private void use(Lease open) {
    phase = Phase.RUNNING;
    dropForwardLimit();
    lease = open;
    timings.address = NetUtil.toAddressString(open.endpoint().address());
    timings.local = open.localAddress();
    timings.trafficClass = open.endpoint().local().trafficClass();
    timings.mark = open.endpoint().local().mark();
    timings.secured = open.secured();
    if (isProbe()) {
      phase = Phase.DONE;
      lease = null;
      open.keep();
      events.head(null, ContentLength.NONE);
    } else if (request != null) {
      if (open.secured() != null && open.secured().isHttp2()) {
        upstream.counters.multiplexed();
      }
      if (request.hasContent() && open.mayBeRefused() && sent == null && !contentBegun) {
        sent = new SentContent(upstream.transit());
      }
      open.send(request, hop.form(), timings, this);
    } else if (hop.form().absolute()) {
      assert tunnel != null : "neither a request nor a tunnel";
      open.tunnel(tunnel, hop.form(), timings, this);
    } else {
      open.raw();
      events.head(null, ContentLength.NONE);
    }
  }

  private long now() {
    return upstream.loop().ticker().nanoTime();
  }

  // ---- events of the connection

  @Override
  public void readyForContent() {
    if (!contentBegun) {
      contentBegun = true;
      events.readyForContent();
      return;
    }
    Lease again = lease;
    if (sent != null && again != null) {
      sent.sendTo(again);
      if (!again.mayBeRefused()) {
        forgetContent();
      }
      if (lease == again && again.writable()) {
        events.writable();
      }
    }
  }

  @Override
  public void interim(ResponseHead head) {
    events.interim(head);
  }

  @Override
  public void head(ResponseHead head, long contentLength) {
    assert lease != null : "a head without a lease";
    forgetContent();
    if (asksNext(head.status())) {
      skipping = true;
      skippedBytes = 0;
      lease.read();
      return;
    }
    if (head.status() < 500) { // an error may come from a proxy on the way
      upstream.oldServers.answered(lease.endpoint(), head.version());
    }
    events.head(head, contentLength);
  }

  @Override
  public void tunnelOpen() {
    events.head(null, ContentLength.NONE);
  }

  @Override
  public void received(ByteBuf content) {
    if (skipping) {
      skippedBytes += content.readableBytes();
      content.release();
      return;
    }
    events.content(content);
  }

  @Override
  public void readComplete() {
    if (skipping) {
      Lease unwanted = lease;
      assert unwanted != null : "its response arrives";
      if (skippedBytes > MAX_SKIPPED_BYTES) {
        lease = null;
        unwanted.cancel();
        askNext();
      } else {
        unwanted.read();
      }
      return;
    }
    events.readComplete();
  }

  @Override
  public void drained() {
    events.writable();
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (skipping) {
      lease = null;
      askNext();
      return;
    }
    phase = Phase.DONE;
    lease = null;
    forgetContent();
    events.end(trailers);
  }

  @Override
  public void failed(FetchFailure failure, boolean answered) {
    if (lease != null && failure.kind() == Kind.HTTP_1_REQUIRED) {
      upstream.http1Servers.requires(lease.endpoint());
    }
    lease = null;
    if (skipping) {
      askNext();
      return;
    }
    boolean hopsLeft = hopIndex + 1 < hops.size();
    AfterFailure next =
        AfterFailure.of(failure, answered, repeatable, isUnspent(), reused, hopsLeft);
    if (next == AfterFailure.GIVE_UP) {
      fail(failure);
      return;
    }
    lastFailure = failure;
    phase = Phase.ROUTING;
    if (failure.kind() == Kind.HTTP_1_REQUIRED) {
      http1 = true;
      Endpoint.Security security = upstream.security(hop.security(), http1);
      endpoints = endpoints.stream().map(endpoint -> endpoint.with(security)).toList();
    }
    // not from within the failed connection's event
    boolean refused = failure.kind() == Kind.NOT_PROCESSED;
    upstream.loop().execute(() -> retry(next, refused));
  }

  /** Whether a response of this status is left, and the next hop asked. */
  private boolean asksNext(int status) {
    return request != null
        && request.nextOn() != null
        && request.nextOn().contains(status)
        && hopIndex + 1 < hops.size()
        && triesLeft() > 0
        && isUnspent();
  }

  private void askNext() {
    skipping = false;
    phase = Phase.ROUTING;
    freshOnly = false;
    // not from within the connection's event
    upstream.loop().execute(this);
  }

  /** Whether the request can be sent from its start. */
  private boolean isUnspent() {
    return !contentBegun || (sent != null && sent.isWhole());
  }

  private void forgetContent() {
    if (sent != null) {
      sent.release();
      sent = null;
    }
  }

  private void retry(AfterFailure next, boolean refused) {
    if (phase != Phase.ROUTING) {
      return;
    }
    try {
      reused = false;
      // a connection that refuses or goes away has left the pool
      freshOnly = !refused || ++refusals > MAX_REFUSALS;
      boolean again = next == AfterFailure.RECONNECT && ((!freshOnly && useKept()) || dial());
      if (!again) {
        nextHop();
      }
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  // ---- requests of the exchange

  @Override
  public void content(ByteBuf content) {
    if (sent != null) {
      try {
        sent.add(content, content.alloc(), lease == null);
      } catch (OutOfMemoryError e) {
        content.release();
        throw e;
      }
    }
    if (lease == null) {
      content.release();
    } else {
      lease.content(content);
    }
  }

  @Override
  public void endContent(@Nullable Fields trailers) {
    if (sent != null) {
      sent.end(trailers);
    }
    if (lease != null) {
      lease.endContent(trailers);
    }
  }

  @Override
  public boolean writable() {
    if (lease == null) {
      return sent == null || sent.hasRoom();
    }
    return lease.writable();
  }

  @Override
  public void read() {
    if (lease != null) {
      lease.read();
    }
  }

  @Override
  public void cancel() {
    abandon();
    phase = Phase.DONE;
  }

  @Override
  public ByteStream detach() {
    Lease given = lease;
    if (given == null) {
      throw new IllegalStateException("phase: " + phase + " (expected: RUNNING)");
    }
    ByteStream detached = given.detach();
    lease = null;
    phase = Phase.DONE;
    return detached;
  }

  @Override
  public FetchTimings timings() {
    return timings;
  }

  // ---- ends

  private void fail(FetchFailure failure) {
    if (phase == Phase.DONE) {
      return;
    }
    phase = Phase.DONE;
    dropForwardLimit();
    forgetContent();
    try {
      events.failed(failure);
    } catch (RuntimeException | Error e) {
      LOG.warn("after the failure of a fetch: {}", failure, e);
    }
  }

  private void broken(Throwable fault) {
    if (fault instanceof OutOfMemoryError noMemory) {
      upstream.transit().shortage().met(noMemory, "a fetch");
      abandon();
      fail(new FetchFailure(Kind.NO_MEMORY, noMemory.toString()));
    } else {
      LOG.warn("fetch by {}", hop, fault);
      abandon();
      fail(new FetchFailure(Kind.INVALID_RESPONSE, "internal: " + fault));
    }
  }

  /** Ends the dial or the lease, if there is one. */
  private void abandon() {
    dropForwardLimit();
    forgetContent();
    if (opening != null) {
      opening.leave(this);
      opening = null;
    }
    if (lease != null) {
      lease.cancel();
      lease = null;
    }
  }

  private void limitForwarding() {
    if (forwardLimit == null) {
      forwardLimit = new ForwardLimit();
      upstream.timer().arm(forwardLimit, upstream.settings.forwardMillis);
    }
  }

  private void dropForwardLimit() {
    if (forwardLimit != null) {
      upstream.timer().forget(forwardLimit);
    }
  }

  /** {@code forward_timeout}: the time to find a hop. */
  private final class ForwardLimit extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      boolean resolving = opening == null;
      abandon();
      if (lastFailure != null) {
        fail(lastFailure);
      } else if (resolving) {
        fail(new FetchFailure(Kind.DNS_FAILED, hop.host() + ": not resolved in time"));
      } else {
        fail(new FetchFailure(Kind.CONNECT_TIMEOUT, hop.host() + ": no connection in time"));
      }
    }
  }
}

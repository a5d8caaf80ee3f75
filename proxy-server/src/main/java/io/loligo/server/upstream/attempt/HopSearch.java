package io.loligo.server.upstream.attempt;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.PeerKerberos;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.connect.AddressOrder;
import io.loligo.server.upstream.names.NameResolver;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.PooledConnection;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a hop that answers, for one attempt: names, kept connections, dialling. Confined to its
 * event loop.
 *
 * <p>The next hop follows if a name does not resolve, or if no connection can be made. The search
 * ends at a hop of which the rules deny every address. Once a connection is found the search rests;
 * the attempt may ask for another connection, or for the next hop.
 *
 * <p>A kept connection is used only for a request that may be sent twice: the peer may have closed
 * it before the request arrives, and then it is unknown whether the request was carried out (RFC
 * 9110 section 9.2.2). The rules may risk it ({@link
 * io.loligo.server.upstream.AddressCheck#mayRiskKept}); then a failure is the client's. A
 * connection of HTTP/2 that is known to be alive is used for any request.
 */
final class HopSearch implements NameResolver.Listener {
  /** Refusals after which no kept connection is used any more. */
  private static final int MAX_REFUSALS = 3;

  /** The longest wait for a free connection to a node of the cluster. */
  private static final long MAX_ROOM_MILLIS = 1_000;

  /** The longest wait for the response of a sibling that answers from its store. */
  private static final long MAX_STORE_MILLIS = 5_000;

  /** The attempt, which learns the end of the search. */
  interface Outcome {
    /** {@code lease} is open for the request. The search rests. */
    void found(Lease lease);

    /** No hop is left, or none may be asked. */
    void notFound(FetchFailure failure);

    /** {@code fault} is one of this code. */
    void broken(Throwable fault);
  }

  private final NettyUpstream upstream;
  private final List<Hop> hops;
  private final AttemptTask task;
  private final FetchTimings timings;
  private final Outcome outcome;

  /** Whether a connection is being looked for. */
  private boolean searching = true;

  private int hopIndex = -1;

  @SuppressWarnings("NullAway.Init") // set by nextHop, before any use
  private Hop hop;

  private List<Endpoint> endpoints = List.of();
  private boolean freshOnly;
  private int refusals;

  /** Whether only HTTP/1.1 will do: for a tunnel, an upgrade, or because the server says so. */
  private boolean http1;

  private boolean reused;
  private long stageStartNanos;
  private @Nullable Opening opening;

  /** Whether it has waited for a connection to the hop that others opened. */
  private boolean waited;

  /** Made for this hop, if this proxy logs in there with a token for each request. */
  private @Nullable String credentials;

  private @Nullable TokenWait tokenWait;

  /** Runs while all connections to the hop, a node of the cluster, are in use. */
  private @Nullable RoomWait roomWait;

  private @Nullable ForwardLimit forwardLimit;
  private @Nullable FetchFailure lastFailure;

  /** A search that has not begun. */
  HopSearch(
      NettyUpstream upstream,
      List<Hop> hops,
      AttemptTask task,
      FetchTimings timings,
      Outcome outcome) {
    this.upstream = upstream;
    this.hops = hops;
    this.task = task;
    this.timings = timings;
    this.outcome = outcome;
    this.http1 = task.needsHttp1();
  }

  // ---- requests of the attempt

  /** Tries the next hop. */
  void proceed() {
    if (searching) {
      try {
        nextHop();
      } catch (RuntimeException | Error e) {
        outcome.broken(e);
      }
    }
  }

  /** Whether there is a further hop. */
  boolean hopsLeft() {
    return hopIndex + 1 < hops.size();
  }

  /** Whether the present hop says with {@code status} that another one has to be asked. */
  boolean isDeclined(int status) {
    return hop.declines(status);
  }

  /** Why the present hop was chosen. */
  HierarchyCode code() {
    return hop.code();
  }

  /** How long the present hop may take for an answer from its store; 0: it is not one for that. */
  long storeMillis() {
    if (!hop.answersFromStore()) {
      return 0;
    }
    // before read_timeout would end the fetch, so that the next hop is asked
    long most = Math.min(MAX_STORE_MILLIS, connectMillis(hop.peer()));
    return Math.min(most, Math.max(1, upstream.settings.readMillis / 2));
  }

  /** The form of requests to the present hop. */
  RequestForm form() {
    return credentials == null ? hop.form() : hop.form().withCredentials(credentials);
  }

  /** The node of the cluster that the present hop is; null: none. */
  @Nullable ClusterNode node() {
    return hop.node();
  }

  /** Whether the connection that was found is a kept one. */
  boolean reused() {
    return reused;
  }

  /** The search goes on: the next hop is tried once {@link #proceed} is called. */
  void askNext() {
    searching = true;
    freshOnly = false;
  }

  /** The search goes on, after {@code failure} on the connection that was found. */
  void retry(FetchFailure failure, AfterFailure next) {
    lastFailure = failure;
    searching = true;
    if (failure.kind() == Kind.HTTP_1_REQUIRED) {
      http1 = true;
      endpoints = with(upstream.security(hop.security(), http1));
    }
    // not from within the failed connection's event
    boolean refused = failure.kind() == Kind.NOT_PROCESSED;
    upstream.loop().execute(() -> retry(next, refused));
  }

  private void retry(AfterFailure next, boolean refused) {
    if (!searching) {
      return;
    }
    try {
      reused = false;
      // a connection that refuses or goes away has left the pool
      freshOnly = !refused || ++refusals > MAX_REFUSALS;
      PeerKerberos login = login();
      if (next != AfterFailure.RECONNECT) {
        nextHop();
      } else if (login != null) {
        awaitToken(login, this::reconnect); // a token counts once
      } else if (!reconnect()) {
        nextHop();
      }
    } catch (RuntimeException | Error e) {
      outcome.broken(e);
    }
  }

  private boolean reconnect() {
    return (!freshOnly && useKept()) || dial();
  }

  /** Ends the search: no outcome follows. */
  void end() {
    searching = false;
    dropForwardLimit();
    dropTokenWait();
    dropRoomWait();
    if (opening != null) {
      opening.leave(this);
      opening = null;
    }
  }

  @Override
  public String toString() {
    return String.valueOf(hop);
  }

  // ---- hops

  private void nextHop() {
    while (searching && ++hopIndex < hops.size() && triesLeft() > 0) {
      ClusterNode before = hopIndex == 0 ? null : hop.node();
      hop = hops.get(hopIndex);
      if (before != null && hop.node() == null && !before.mayFallBack()) {
        fail(new FetchFailure(Kind.NO_FALL_BACK, "nodes failed, and the fall-backs are used up"));
        return;
      }
      if (before != null && before.isOut()) {
        hop = hop.asOwner();
      }
      waited = false;
      timings.code = hop.code();
      timings.peer = hop.peer();
      timings.node = hop.node();
      timings.address = hop.host();
      timings.port = hop.port();
      credentials = null;
      PeerKerberos login = login();
      if (login != null) {
        awaitToken(login, this::lookUp);
        return;
      }
      if (lookUp()) {
        return;
      }
    }
    if (searching) {
      fail(lastFailure != null ? lastFailure : new FetchFailure(Kind.NO_ROUTE, "no hop to try"));
    }
  }

  /** How this proxy logs in at the hop by a token for this request; null: not so. */
  private @Nullable PeerKerberos login() {
    CachePeer peer = hop.peer();
    return peer == null || task.isProbe() || task.isRaw(hop) ? null : peer.kerberos();
  }

  private void awaitToken(PeerKerberos login, BooleanSupplier next) {
    limitForwarding();
    TokenWait wait = new TokenWait(next);
    tokenWait = wait;
    upstream.timer().arm(wait, connectMillis(hop.peer()));
    upstream.tokens.next(login, upstream.loop(), wait);
  }

  /** Uses an address of the hop, or looks for one; false if this hop has to be skipped. */
  private boolean lookUp() {
    ClusterNode node = hop.node();
    List<InetAddress> known = node == null ? null : node.addresses();
    if (known == null) {
      known = upstream.names.known(hop.host());
    }
    if (known == null || known.isEmpty()) {
      limitForwarding();
      stageStartNanos = now();
      upstream.names.resolve(hop.host(), this);
      return true;
    }
    return open(known);
  }

  @Override
  public void resolved(List<InetAddress> found, @Nullable String failure) {
    if (!searching) {
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
      outcome.broken(e);
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
    if (task.isChunked() && upstream.oldServers.contains(endpoints)) {
      lastFailure =
          new FetchFailure(Kind.LENGTH_REQUIRED, hop.host() + ": answered with HTTP/1.0 before");
      return false;
    }
    return reconnect();
  }

  /** Uses a kept connection to one of the endpoints, if there is one that may be used. */
  private boolean useKept() {
    boolean mayShare = hop.security() != null && !http1;
    boolean anyKept = task.mayUseAnyKept();
    if (!anyKept && !mayShare) {
      return false;
    }
    for (Endpoint endpoint : endpoints) {
      Lease kept = anyKept ? upstream.idle.take(endpoint) : upstream.idle.takeAlive(endpoint);
      if (kept != null) {
        reused = true;
        timings.reused = true;
        timings.kept++;
        upstream.counters.reused();
        found(kept);
        return true;
      }
    }
    return false;
  }

  /**
   * Uses a kept connection of the other version of HTTP to a node that takes no further one: a
   * large response on a shared connection costs less than a wait.
   */
  private boolean useOtherKept() {
    if (freshOnly || http1 || hop.security() != null) {
      return false;
    }
    List<Endpoint> preferred = endpoints;
    boolean shared = preferred.get(0).isClearHttp2();
    endpoints = with(shared ? Endpoint.Security.NONE : Endpoint.Security.CLEAR_HTTP_2);
    boolean found = useKept();
    if (!found) {
      endpoints = preferred;
    }
    return found;
  }

  private List<Endpoint> with(Endpoint.Security security) {
    return endpoints.stream().map(endpoint -> endpoint.with(security)).toList();
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
    Endpoint.Security security = security();
    String refusal = null;
    for (InetAddress address : found) {
      String reason = hop.peer() == null ? task.check().refusal(address, hop.port()) : null;
      if (reason == null) {
        allowed.add(upstream.endpoint(hop, address, task.check(), security));
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

  private Endpoint.Security security() {
    ClusterNode node = hop.node();
    if (node == null) {
      return upstream.security(task.isRaw(hop) ? null : hop.security(), http1);
    }
    boolean own = http1 || !node.sharesConnection();
    return hop.security() == null && !own
        ? Endpoint.Security.CLEAR_HTTP_2
        : upstream.security(hop.security(), own);
  }

  /** Opens a connection, or waits for one that is being opened and may be shared. */
  private boolean dial() {
    CachePeer peer = hop.peer();
    ClusterNode node = hop.node();
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
    } else if (peer != null && node != null && !node.connections().open()) {
      upstream.health.closed(peer);
      return useOtherKept() || awaitRoom(node);
    }
    dropRoomWait();
    limitForwarding();
    stageStartNanos = now();
    if (opening == null) {
      opening = new Opening(upstream, place, hop, triesLeft(), this, task.check()::tolerates);
      opening.start(connectMillis(peer), shared);
    }
    return true;
  }

  /**
   * Waits for a free connection to the node, if that would fetch the response: another fetch beside
   * its own costs more. One that only may have the response is passed over; false.
   */
  private boolean awaitRoom(ClusterNode node) {
    limitForwarding();
    if (roomWait != null) {
      node.connections().awaitAgain(roomWait);
      return true;
    }
    if (hop.form().cacheControl() != null) {
      lastFailure = noRoom(node);
      return false;
    }
    RoomWait wait = new RoomWait(node);
    roomWait = wait;
    upstream.timer().arm(wait, MAX_ROOM_MILLIS);
    node.connections().await(wait);
    return true;
  }

  private FetchFailure noRoom(ClusterNode node) {
    String text = ": all " + node.connections().most() + " connections are in use";
    return new FetchFailure(Kind.OVERLOADED, hop.host() + text);
  }

  private long connectMillis(@Nullable CachePeer peer) {
    ClusterNode node = hop.node();
    if (node != null) {
      return Math.max(1, TimeUnit.NANOSECONDS.toMillis(node.limitNanos()));
    }
    if (peer == null) {
      return upstream.settings.connectMillis;
    }
    return peer.connectMillis() > 0 ? peer.connectMillis() : upstream.settings.peerConnectMillis;
  }

  int triesLeft() {
    return Math.max(0, upstream.settings.maxTries - timings.attempts);
  }

  /** None of the endpoints could be connected to. */
  void unreachable(FetchFailure failure, int attempts) {
    opening = null;
    timings.attempts += attempts;
    lastFailure = failure;
    if (hop.node() != null) {
      hop.node().failed(/* silent= */ false);
    }
    proceed();
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
        found(first);
      }
    } catch (RuntimeException | Error e) {
      outcome.broken(e);
    }
  }

  private void opened() {
    opening = null;
    timings.connectNanos = Math.max(0, timings.connectNanos) + now() - stageStartNanos;
  }

  /** The connection that it waited for may be in the pool now, or not. */
  void waited() {
    if (searching) {
      opened();
      try {
        if (!useKept() && !dial()) {
          nextHop();
        }
      } catch (RuntimeException | Error e) {
        outcome.broken(e);
      }
    }
  }

  private void found(Lease lease) {
    searching = false;
    dropForwardLimit();
    dropRoomWait();
    outcome.found(lease);
  }

  private void fail(FetchFailure failure) {
    end();
    outcome.notFound(failure);
  }

  private long now() {
    return upstream.loop().ticker().nanoTime();
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

  private void dropTokenWait() {
    if (tokenWait != null) {
      upstream.timer().forget(tokenWait);
      tokenWait = null;
    }
  }

  private void dropRoomWait() {
    RoomWait wait = roomWait;
    if (wait != null) {
      roomWait = null;
      upstream.timer().forget(wait);
      wait.connections.forget(wait);
    }
  }

  /** Waits for a free connection to a node; then the next hop is tried, as after a refusal. */
  private final class RoomWait extends LoopTimer.Timeout implements Runnable {
    private final ClusterNode node;
    private final NodeConnections connections;

    RoomWait(ClusterNode node) {
      this.node = node;
      connections = node.connections();
    }

    /** A connection may be free: within its own event it is not in the pool yet. */
    @Override
    public void run() {
      upstream.loop().execute(this::look);
    }

    private void look() {
      if (roomWait != this) {
        connections.rested(); // the next one may have it
        return;
      }
      try {
        if (node.isOut()) {
          connections.rested(); // the next one waits no longer, either
          give(new FetchFailure(Kind.NOT_ACKNOWLEDGED, hop.host() + ": out of routing"));
        } else if (!reconnect()) {
          nextHop();
        }
      } catch (RuntimeException | Error e) {
        outcome.broken(e);
      }
    }

    @Override
    protected void expired() {
      give(noRoom(node));
    }

    private void give(FetchFailure failure) {
      dropRoomWait();
      lastFailure = failure;
      proceed();
    }
  }

  /** Waits for a token as long as for a connection to the hop; then the next hop is tried. */
  private final class TokenWait extends LoopTimer.Timeout implements Consumer<PeerTokens.Made> {
    private final BooleanSupplier next;

    /** {@code next} uses the hop; false: it has to be skipped. */
    TokenWait(BooleanSupplier next) {
      this.next = next;
    }

    @Override
    public void accept(PeerTokens.Made made) {
      over(made.credentials(), made.why());
    }

    @Override
    protected void expired() {
      over(null, hop.host() + ": no Kerberos token in time");
    }

    private void over(@Nullable String made, String why) {
      if (tokenWait != this) {
        return;
      }
      dropTokenWait();
      credentials = made;
      if (made == null) {
        lastFailure = new FetchFailure(Kind.LOGIN_FAILED, why);
      }
      try {
        if (made == null || !next.getAsBoolean()) {
          nextHop();
        }
      } catch (RuntimeException | Error e) {
        outcome.broken(e);
      }
    }
  }

  /** {@code forward_timeout}: the time to find a hop. */
  private final class ForwardLimit extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      boolean resolving = opening == null;
      if (lastFailure != null) {
        fail(lastFailure);
      } else if (tokenWait != null) {
        fail(new FetchFailure(Kind.LOGIN_FAILED, hop.host() + ": no Kerberos token in time"));
      } else if (roomWait != null) {
        fail(noRoom(roomWait.node));
      } else if (resolving) {
        fail(new FetchFailure(Kind.DNS_FAILED, hop.host() + ": not resolved in time"));
      } else {
        fail(new FetchFailure(Kind.CONNECT_TIMEOUT, hop.host() + ": no connection in time"));
      }
    }
  }
}

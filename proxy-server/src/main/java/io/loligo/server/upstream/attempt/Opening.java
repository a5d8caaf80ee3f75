package io.loligo.server.upstream.attempt;

import io.loligo.server.record.HopTls;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.NodeConnections;
import io.loligo.server.upstream.connect.Dial;
import io.loligo.server.upstream.http2.MultiplexedConnection;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.PooledConnection;
import io.loligo.server.upstream.tls.HandshakeFailure;
import io.loligo.server.upstream.tls.Tolerance;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is being opened: for the request that began it, and for others that wait
 * because the server may choose HTTP/2, whose connections can be shared. Confined to its event
 * loop.
 *
 * <pre>
 * it becomes          the others
 * HTTP/2              share it, as far as it has room; the rest dials at once
 * HTTP/1.1            dial at once; {@link Http1Servers} knows it from then on, so nobody waits again
 * a failed handshake  dial at once: their rules may tolerate other faults
 * unreachable         fail likewise, and try their next hop
 * </pre>
 *
 * <p>It goes on while anybody wants it. Its time-out bounds the wait.
 */
final class Opening implements Dial.Outcome<PooledConnection>, Tolerance {
  /** Most requests that wait for one connection. */
  static final int MAX_WAITING = MultiplexedConnection.MAX_STREAMS - 1;

  /**
   * Equal for requests that may share.
   *
   * @param endpoints in the order in which they are dialled
   * @param peer whose health and {@code max-conn} count; null: an origin
   */
  record Place(List<Endpoint> endpoints, @Nullable CachePeer peer) {}

  private final NettyUpstream upstream;
  private final Place place;
  private final String host;

  /**
   * The connections to the node of the cluster that it leads to, of which it has a place. The
   * certificate of a node need not be for its address. Null: it leads elsewhere.
   */
  private final @Nullable NodeConnections ofNode;

  private final Dial<?> dial;
  private final Tolerance rules;
  private final List<HopSearch> waiting = new ArrayList<>(0);

  /** The request whose rules about certificates hold; null: it is gone. */
  private @Nullable HopSearch first;

  private boolean over;

  /** Requests that {@link NettyUpstream#open} counts as waiting. */
  private int counted;

  /** An opening that has not begun, for {@code first}, which is on its way to {@code hop}. */
  Opening(
      NettyUpstream upstream,
      Place place,
      Hop hop,
      int maxAttempts,
      HopSearch first,
      Tolerance rules) {
    this.upstream = upstream;
    this.place = place;
    this.host = hop.host();
    this.ofNode = hop.node() == null ? null : hop.node().connections();
    this.first = first;
    this.rules = rules;
    this.dial = upstream.dial(place.endpoints(), maxAttempts, this, this);
  }

  /**
   * Dials; gives up after {@code timeoutMillis}.
   *
   * @param shared whether others may join
   */
  void start(long timeoutMillis, boolean shared) {
    if (shared) {
      upstream.openings.put(place, this);
    }
    waits();
    dial.start(timeoutMillis);
  }

  /** Lets {@code search} wait; false: too many do. */
  boolean join(HopSearch search) {
    if (waiting.size() >= MAX_WAITING) {
      return false;
    }
    waits();
    return waiting.add(search);
  }

  private void waits() {
    counted++;
    upstream.open.waits(place.endpoints().get(0), host);
  }

  /** {@code search}, which takes part, does not want it any more. */
  void leave(HopSearch search) {
    if (!over) {
      counted--;
      upstream.open.waited(place.endpoints().get(0), 1);
    }
    if (search == first) {
      first = null;
    } else {
      waiting.remove(search);
    }
    if (!over && first == null && waiting.isEmpty()) {
      end();
      dial.cancel();
      closed();
    }
  }

  /** The connection is closed, or not made. */
  private void closed() {
    if (place.peer() != null) {
      upstream.health.closed(place.peer());
    }
    if (ofNode != null) {
      ofNode.closed();
    }
  }

  private void end() {
    over = true;
    upstream.open.waited(place.endpoints().get(0), counted);
    upstream.openings.remove(place, this);
  }

  @Override
  public boolean tolerates(TlsFault fault) {
    return first != null && rules.tolerates(fault);
  }

  @Override
  public void reached(Endpoint endpoint, long nanos) {
    if (place.peer() == null) {
      upstream.health.reached(host, nanos);
    }
  }

  @Override
  public void insecure(HandshakeFailure failure) {
    upstream.counters.handshakeFailed(failure.fault());
  }

  @Override
  public void connected(
      PooledConnection fresh,
      Channel channel,
      Endpoint endpoint,
      int attempts,
      @Nullable HopTls secured) {
    end();
    count(channel, endpoint);
    PooledConnection connection = upstream.speaking(fresh, channel, endpoint, secured);
    if (secured != null) {
      connection.secured(secured);
      for (TlsFault fault : ofNode != null ? List.<TlsFault>of() : secured.tolerated()) {
        upstream.counters.tolerated(fault);
        upstream.tolerated.tell(host, endpoint, fault);
      }
    }
    HopSearch taker = taker(secured != null && secured.once());
    List<HopSearch> others = taken();
    if (taker == null) {
      channel.close();
    } else {
      taker.connected(connection, endpoint, attempts);
    }
    others.forEach(HopSearch::waited);
  }

  private void count(Channel channel, Endpoint endpoint) {
    CachePeer peer = place.peer();
    upstream.counters.opened();
    upstream.open.opened(endpoint, host);
    if (peer != null) {
      upstream.health.connected(peer);
    }
    channel
        .closeFuture()
        .addListener(
            future -> {
              upstream.counters.closed();
              upstream.open.closed(endpoint);
              closed();
            });
  }

  /** The request that gets the connection; null: {@code itsOwn} was for one that is gone. */
  private @Nullable HopSearch taker(boolean itsOwn) {
    HopSearch taker = first;
    first = null;
    return taker != null || itsOwn ? taker : waiting.remove(0);
  }

  /** The requests that wait, which take no part any more. */
  private List<HopSearch> taken() {
    List<HopSearch> taken = List.copyOf(waiting);
    waiting.clear();
    return taken;
  }

  @Override
  public void unreachable(FetchFailure failure, int attempts) {
    end();
    upstream.counters.connectFailed();
    closed();
    if (place.peer() != null) {
      upstream.health.failed(place.peer());
    }
    HopSearch taker = first;
    first = null;
    List<HopSearch> others = taken();
    if (taker != null) {
      taker.unreachable(failure, attempts);
    }
    for (HopSearch each : others) {
      if (failure.kind() == Kind.SECURE_CONNECT_FAILED) {
        each.waited();
      } else {
        each.unreachable(failure, attempts);
      }
    }
  }
}

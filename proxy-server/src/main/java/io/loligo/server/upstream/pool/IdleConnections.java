package io.loligo.server.upstream.pool;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.upstream.UpstreamCounters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Idle connections, and shared ones that take another request, by endpoint. The connection used
 * last is used next, so that superfluous connections grow old and are closed. Confined to one event
 * loop.
 */
public final class IdleConnections implements PooledConnection.Home {
  private final Map<Endpoint, ArrayDeque<PooledConnection>> byEndpoint = new HashMap<>();
  private final ConnectionSettings settings;
  private final UpstreamCounters counters;
  private @Nullable IdleConnections successor;
  private boolean closed;

  /** No connections yet. */
  public IdleConnections(ConnectionSettings settings, UpstreamCounters counters) {
    this.settings = settings;
    this.counters = counters;
  }

  /** A lease of a kept connection, or null. */
  public @Nullable Lease take(Endpoint endpoint) {
    ArrayDeque<PooledConnection> idle = byEndpoint.get(endpoint);
    if (idle == null) {
      return null;
    }
    Lease lease = null;
    while (lease == null && !idle.isEmpty()) {
      PooledConnection youngest = idle.getLast();
      lease = youngest.lease();
      if (lease == null || !youngest.isShared()) {
        idle.removeLast();
        counters.idle(-1);
      }
      if (lease == null) {
        youngest.close();
      }
    }
    if (idle.isEmpty()) {
      byEndpoint.remove(endpoint);
    }
    return lease;
  }

  /** The number of kept connections to {@code endpoint}. */
  public int count(Endpoint endpoint) {
    ArrayDeque<PooledConnection> idle = byEndpoint.get(endpoint);
    return idle == null ? 0 : idle.size();
  }

  /** The number of kept connections to each of {@code most} endpoints at most. A new map. */
  public Map<Endpoint, Integer> counts(int most) {
    Map<Endpoint, Integer> counts = new HashMap<>();
    for (Map.Entry<Endpoint, ArrayDeque<PooledConnection>> one : byEndpoint.entrySet()) {
      if (counts.size() == most) {
        break;
      }
      counts.put(one.getKey(), one.getValue().size());
    }
    return counts;
  }

  /**
   * A lease for a request that must not be sent twice, of a connection that is known to be alive;
   * or null.
   */
  public @Nullable Lease takeAlive(Endpoint endpoint) {
    ArrayDeque<PooledConnection> idle = byEndpoint.get(endpoint);
    if (idle == null) {
      return null;
    }
    for (Iterator<PooledConnection> all = idle.descendingIterator(); all.hasNext(); ) {
      PooledConnection connection = all.next();
      Lease lease = connection.isKnownAlive() ? connection.lease() : null;
      if (lease != null) {
        if (!connection.isShared()) {
          all.remove();
          counters.idle(-1);
          if (idle.isEmpty()) {
            byEndpoint.remove(endpoint);
          }
        }
        return lease;
      }
    }
    return null;
  }

  @Override
  public void idle(PooledConnection connection) {
    if (successor != null) {
      successor.adopt(connection);
      return;
    }
    int most = settings.maxIdle;
    if (closed || most == 0) {
      connection.close();
      return;
    }
    ArrayDeque<PooledConnection> idle =
        byEndpoint.computeIfAbsent(connection.endpoint(), endpoint -> new ArrayDeque<>(4));
    idle.addLast(connection);
    counters.idle(1);
    if (most > 0 && idle.size() > most) {
      counters.idle(-1);
      idle.removeFirst().close();
    }
  }

  @Override
  public void gone(PooledConnection connection) {
    ArrayDeque<PooledConnection> idle = byEndpoint.get(connection.endpoint());
    if (idle != null && idle.remove(connection)) {
      counters.idle(-1);
      if (idle.isEmpty()) {
        byEndpoint.remove(connection.endpoint());
      }
    }
  }

  @Override
  public void refused(ParseFailure failure) {
    counters.refused(failure);
  }

  /** Gives all connections, and those that become idle here later, to {@code next}. */
  public void handTo(IdleConnections next) {
    successor = next;
    List<ArrayDeque<PooledConnection>> all = new ArrayList<>(byEndpoint.values());
    byEndpoint.clear();
    for (ArrayDeque<PooledConnection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(next::adopt);
    }
  }

  private void adopt(PooledConnection connection) {
    if (connection.adopt(settings, this)) {
      idle(connection);
    } else {
      connection.close();
    }
  }

  /** Closes all of them and keeps no more. */
  public void close() {
    closed = true;
    if (successor != null) {
      successor.close();
    }
    List<ArrayDeque<PooledConnection>> all = new ArrayList<>(byEndpoint.values());
    byEndpoint.clear();
    for (ArrayDeque<PooledConnection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(PooledConnection::close);
    }
  }
}

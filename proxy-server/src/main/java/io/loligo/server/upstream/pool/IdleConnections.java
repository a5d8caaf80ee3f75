package io.loligo.server.upstream.pool;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.upstream.UpstreamCounters;
import io.loligo.server.upstream.http1.OriginConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections kept for another request, by endpoint; the one used last is used next, so that those
 * not needed grow old and are closed. Confined to one event loop.
 */
public final class IdleConnections implements OriginConnection.Home {
  private final Map<Endpoint, ArrayDeque<OriginConnection>> byEndpoint = new HashMap<>();
  private final ConnectionSettings settings;
  private final UpstreamCounters counters;
  private IdleConnections successor;
  private boolean closed;

  /** No connections yet. */
  public IdleConnections(ConnectionSettings settings, UpstreamCounters counters) {
    this.settings = settings;
    this.counters = counters;
  }

  /** A usable connection, not idle any more, or null. */
  public OriginConnection take(Endpoint endpoint) {
    ArrayDeque<OriginConnection> idle = byEndpoint.get(endpoint);
    if (idle == null) {
      return null;
    }
    OriginConnection found = null;
    while (found == null && !idle.isEmpty()) {
      OriginConnection youngest = idle.removeLast();
      counters.idle(-1);
      if (youngest.usable()) {
        found = youngest;
      } else {
        youngest.close();
      }
    }
    if (idle.isEmpty()) {
      byEndpoint.remove(endpoint);
    }
    return found;
  }

  @Override
  public void idle(OriginConnection connection) {
    if (successor != null) {
      successor.adopt(connection);
      return;
    }
    int most = settings.maxIdle;
    if (closed || most == 0) {
      connection.close();
      return;
    }
    ArrayDeque<OriginConnection> idle =
        byEndpoint.computeIfAbsent(connection.endpoint(), endpoint -> new ArrayDeque<>(4));
    idle.addLast(connection);
    counters.idle(1);
    if (most > 0 && idle.size() > most) {
      counters.idle(-1);
      idle.removeFirst().close();
    }
  }

  @Override
  public void gone(OriginConnection connection) {
    ArrayDeque<OriginConnection> idle = byEndpoint.get(connection.endpoint());
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
    List<ArrayDeque<OriginConnection>> all = new ArrayList<>(byEndpoint.values());
    byEndpoint.clear();
    for (ArrayDeque<OriginConnection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(next::adopt);
    }
  }

  private void adopt(OriginConnection connection) {
    if (connection.adopt(settings, this)) {
      idle(connection);
    } else {
      connection.close();
    }
  }

  /** Kept connections. */
  public int size() {
    int size = 0;
    for (ArrayDeque<OriginConnection> idle : byEndpoint.values()) {
      size += idle.size();
    }
    return size;
  }

  /** Closes all of them and keeps no more. */
  public void close() {
    closed = true;
    if (successor != null) {
      successor.close();
    }
    List<ArrayDeque<OriginConnection>> all = new ArrayList<>(byEndpoint.values());
    byEndpoint.clear();
    for (ArrayDeque<OriginConnection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(OriginConnection::close);
    }
  }
}

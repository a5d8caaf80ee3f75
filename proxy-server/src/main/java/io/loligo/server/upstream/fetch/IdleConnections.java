package io.loligo.server.upstream.fetch;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.upstream.ConnectionCounters;
import io.loligo.server.upstream.http1.Http1Connection;
import io.loligo.server.upstream.http1.Http1Loop;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections kept for another request, by address; the one used last is used next, so that those
 * not needed grow old and are closed. Confined to one event loop.
 */
final class IdleConnections implements Http1Connection.Home {
  private final Map<InetSocketAddress, ArrayDeque<Http1Connection>> byAddress = new HashMap<>();
  private final Http1Loop http1;
  private final ConnectionCounters counters;
  private IdleConnections successor;
  private boolean closed;

  /** Connections of {@code http1}. */
  IdleConnections(Http1Loop http1, ConnectionCounters counters) {
    this.http1 = http1;
    this.counters = counters;
  }

  /** A usable connection, not idle any more, or null. */
  Http1Connection take(InetSocketAddress address) {
    ArrayDeque<Http1Connection> idle = byAddress.get(address);
    if (idle == null) {
      return null;
    }
    Http1Connection found = null;
    while (found == null && !idle.isEmpty()) {
      Http1Connection youngest = idle.removeLast();
      counters.idle(-1);
      if (youngest.usable()) {
        found = youngest;
      } else {
        youngest.close();
      }
    }
    if (idle.isEmpty()) {
      byAddress.remove(address);
    }
    return found;
  }

  @Override
  public void idle(Http1Connection connection) {
    if (successor != null) {
      successor.adopt(connection);
      return;
    }
    int most = http1.config().get().connections().maxIdlePerOrigin();
    if (closed || most == 0) {
      connection.close();
      return;
    }
    ArrayDeque<Http1Connection> idle =
        byAddress.computeIfAbsent(connection.address(), address -> new ArrayDeque<>(4));
    idle.addLast(connection);
    counters.idle(1);
    if (most > 0 && idle.size() > most) {
      counters.idle(-1);
      idle.removeFirst().close();
    }
  }

  @Override
  public void gone(Http1Connection connection) {
    ArrayDeque<Http1Connection> idle = byAddress.get(connection.address());
    if (idle != null && idle.remove(connection)) {
      counters.idle(-1);
      if (idle.isEmpty()) {
        byAddress.remove(connection.address());
      }
    }
  }

  @Override
  public void refused(ParseFailure failure) {
    counters.refused(failure);
  }

  /** Gives all connections, and those that become idle here later, to {@code next}. */
  void handTo(IdleConnections next) {
    successor = next;
    List<ArrayDeque<Http1Connection>> all = new ArrayList<>(byAddress.values());
    byAddress.clear();
    for (ArrayDeque<Http1Connection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(next::adopt);
    }
  }

  private void adopt(Http1Connection connection) {
    if (connection.adopt(http1, this)) {
      idle(connection);
    } else {
      connection.close();
    }
  }

  int size() {
    int size = 0;
    for (ArrayDeque<Http1Connection> idle : byAddress.values()) {
      size += idle.size();
    }
    return size;
  }

  /** Closes all of them and keeps no more. */
  void close() {
    closed = true;
    if (successor != null) {
      successor.close();
    }
    List<ArrayDeque<Http1Connection>> all = new ArrayList<>(byAddress.values());
    byAddress.clear();
    for (ArrayDeque<Http1Connection> idle : all) {
      counters.idle(-idle.size());
      idle.forEach(Http1Connection::close);
    }
  }
}

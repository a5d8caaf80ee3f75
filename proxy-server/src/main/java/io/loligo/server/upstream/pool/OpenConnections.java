package io.loligo.server.upstream.pool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Counts the connections to each endpoint, and the requests that wait for one. An endpoint without
 * either is forgotten. Confined to one event loop.
 */
public final class OpenConnections {
  private static final class Row {
    private final String host;
    private int open;
    private int waiting;

    Row(String host) {
      this.host = host;
    }
  }

  private final Map<Endpoint, Row> rows = new HashMap<>();

  /** Without connections. */
  public OpenConnections() {}

  /** A connection to {@code endpoint} was established for {@code host}. */
  public void opened(Endpoint endpoint, String host) {
    row(endpoint, host).open++;
  }

  /** An established connection was closed. */
  public void closed(Endpoint endpoint) {
    Row row = rows.get(endpoint);
    assert row != null : "closed, and never opened: " + endpoint;
    row.open--;
    forgetIfUnused(endpoint, row);
  }

  /** One more request waits for a connection to {@code endpoint}, for {@code host}. */
  public void waits(Endpoint endpoint, String host) {
    row(endpoint, host).waiting++;
  }

  /** {@code requests} do not wait any more. */
  public void waited(Endpoint endpoint, int requests) {
    Row row = rows.get(endpoint);
    if (row != null) {
      row.waiting -= requests;
      forgetIfUnused(endpoint, row);
    }
  }

  private Row row(Endpoint endpoint, String host) {
    return rows.computeIfAbsent(endpoint, ignored -> new Row(host));
  }

  private void forgetIfUnused(Endpoint endpoint, Row row) {
    if (row.open == 0 && row.waiting == 0) {
      rows.remove(endpoint);
    }
  }

  /**
   * The numbers of all endpoints.
   *
   * @param idle the number of kept connections to an endpoint
   */
  public List<EndpointNumbers> numbers(ToIntFunction<Endpoint> idle) {
    List<EndpointNumbers> numbers = new ArrayList<>(rows.size());
    rows.forEach(
        (endpoint, row) ->
            numbers.add(
                new EndpointNumbers(
                    name(endpoint),
                    row.host,
                    row.open,
                    Math.min(row.open, idle.applyAsInt(endpoint)),
                    row.waiting)));
    return numbers;
  }

  private static String name(Endpoint endpoint) {
    String server = endpoint.security().serverName();
    Endpoint.Tunnel tunnel = endpoint.tunnel();
    return endpoint
        + (server == null ? "" : " " + server)
        + (tunnel == null ? "" : " to " + tunnel.host() + ":" + tunnel.port());
  }
}

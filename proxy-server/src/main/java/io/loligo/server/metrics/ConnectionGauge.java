package io.loligo.server.metrics;

/** Current numbers of connections. Immutable. */
public enum ConnectionGauge {
  CLIENT_OPEN("loligo.client.connections", "Open client connections."),
  CLIENT_IDLE(
      "loligo.client.connections.idle", "Idle client connections, which wait for a request."),
  SERVER_OPEN("loligo.server.connections", "Open connections to origins and parents."),
  SERVER_IDLE(
      "loligo.server.connections.idle",
      "Connections to origins and parents in the pool: idle ones, and those of HTTP/2 that take"
          + " another request."),
  TUNNEL_OPEN("loligo.tunnels", "Open tunnels (CONNECT and upgraded connections)."),
  REQUEST_OPEN("loligo.requests.in.progress", "Requests in progress, tunnels included."),
  FORWARDED_OPEN(
      "loligo.requests.forwarded.in.progress",
      "Of these, requests that wait for a next hop or receive from it; no tunnels.");

  private final String meter;
  private final String text;

  ConnectionGauge(String meter, String text) {
    this.meter = meter;
    this.text = text;
  }

  /** Name in Micrometer's spelling. */
  public String meter() {
    return meter;
  }

  /** For the operator. */
  public String text() {
    return text;
  }
}

package io.loligo.server.metrics;

/** What is counted of connections at a moment. Immutable. */
public enum ConnectionGauge {
  CLIENT_OPEN("loligo.client.connections", "Client connections open now."),
  CLIENT_IDLE("loligo.client.connections.idle", "Client connections that wait for a request."),
  SERVER_OPEN("loligo.server.connections", "Connections to origins and parents open now."),
  SERVER_IDLE("loligo.server.connections.idle", "Pooled connections to origins and parents."),
  TUNNEL_OPEN("loligo.tunnels", "Tunnels (CONNECT and upgraded connections) open now.");

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

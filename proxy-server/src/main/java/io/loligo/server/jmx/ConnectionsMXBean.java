package io.loligo.server.jmx;

/** Connections, open now and since the start. */
@Description("Connections, open now and since the start.")
public interface ConnectionsMXBean {
  @Description("Client connections open now.")
  @Units("connections")
  long getClientOpen();

  @Description("Client connections that wait for a request.")
  @Units("connections")
  long getClientIdle();

  @Description("Connections to origins and parents open now.")
  @Units("connections")
  long getServerOpen();

  @Description("Pooled connections to origins and parents.")
  @Units("connections")
  long getServerIdle();

  @Description("Tunnels (CONNECT and upgraded connections) open now.")
  @Units("connections")
  long getTunnels();

  @Description("Connections accepted from clients since the start.")
  @Units("connections")
  long getClientAccepted();

  @Description("Connections opened to origins and parents since the start.")
  @Units("connections")
  long getServerConnected();

  @Description("Fetches that went over a connection already open, since the start.")
  @Units("fetches")
  long getServerReused();

  @Description("Attempts to connect to an origin or parent that failed, since the start.")
  @Units("attempts")
  long getServerConnectFailed();
}

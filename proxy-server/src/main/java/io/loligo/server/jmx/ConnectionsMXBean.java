package io.loligo.server.jmx;

/** Connections: open ones, and totals since the start. */
@Description("Connections: open ones, and totals since the start.")
public interface ConnectionsMXBean {
  @Description("Open client connections.")
  @Units("connections")
  long getClientOpen();

  @Description("Idle client connections, which wait for a request.")
  @Units("connections")
  long getClientIdle();

  @Description("Open connections to origins and parents.")
  @Units("connections")
  long getServerOpen();

  @Description("Idle connections to origins and parents, in the pool.")
  @Units("connections")
  long getServerIdle();

  @Description("Open tunnels (CONNECT and upgraded connections).")
  @Units("connections")
  long getTunnels();

  @Description("Connections accepted from clients since the start.")
  @Units("connections")
  long getClientAccepted();

  @Description("Connections opened to origins and parents since the start.")
  @Units("connections")
  long getServerConnected();

  @Description("Fetches on a reused connection since the start.")
  @Units("fetches")
  long getServerReused();

  @Description("Requests sent to origins and parents over HTTP/2 since the start.")
  @Units("requests")
  long getServerHttp2();

  @Description("Failed attempts to connect to an origin or parent since the start.")
  @Units("attempts")
  long getServerConnectFailed();
}

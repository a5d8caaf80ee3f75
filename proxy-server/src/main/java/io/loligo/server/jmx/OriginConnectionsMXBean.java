package io.loligo.server.jmx;

import java.util.Map;

/** Connections to origins and parents, by endpoint. */
@Description("Connections to origins and parents, by endpoint.")
public interface OriginConnectionsMXBean {
  @Description(
      "The pool of each endpoint (address and port, with the server name of TLS): host is the one"
          + " for which it was opened first; open are established connections, idle those of them"
          + " that are kept for further requests, waiting the requests that wait for a connection."
          + " The 1000 largest pools; all others are one row, others.")
  @Units("connections; of waiting: requests")
  Map<String, OriginPool> getPools();
}

package io.loligo.server.port;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;

/** Directives of the ports that clients connect to. */
public final class PortDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Ports");

  /** {@code http_port}: the ports. */
  public static final Setting<List<HttpPort>> HTTP_PORT =
      FEATURE
          .lines("http_port", "[ADDRESS:]PORT [accel] [OPTION...]", PortLines::new)
          .alias("ascii_port")
          .listen()
          .text(
              "A port to listen on. Several lines open several ports. Options: accel"
                  + " (reverse proxy), defaultsite=HOST (the site for requests that name none),"
                  + " vhost (the Host field chooses the site; this is the default), no-vhost"
                  + " (requests always go to defaultsite), vport (URLs get the port of the"
                  + " connection, whatever Host or defaultsite say; an absolute-form target"
                  + " keeps its own), vport=N (URLs get port N), protocol=http|https (the scheme"
                  + " of all URLs. Use https behind a product that ends TLS: rules, keys and"
                  + " logs then see https and port 443, and requests go to a cache_peer only),"
                  + " name=NAME (the name for myportname; the default is the port as written),"
                  + " allow-direct (an accel port may also ask the origin itself), ignore-cc"
                  + " (clients cannot bypass the cache: only only-if-cached counts among the"
                  + " directives of a request), tcpkeepalive[=IDLE[,INTERVAL,TIMEOUT]] (seconds"
                  + " of silence before the system probes a client, seconds between probes, and"
                  + " seconds without an answer until the connection ends; the default is the"
                  + " system's), tcpkeepalive=off. With port 0 the system chooses a port.");

  private PortDirectives() {}
}

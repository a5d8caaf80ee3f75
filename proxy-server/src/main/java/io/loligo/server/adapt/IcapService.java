package io.loligo.server.adapt;

import io.loligo.server.tls.TlsOptions;
import org.jspecify.annotations.Nullable;

/**
 * One {@code icap_service} line. Immutable, except for its counts.
 *
 * @param name the name in rules
 * @param responses whether it adapts responses; false: requests
 * @param uri as in the request line
 * @param host a name or an address, without brackets
 * @param port 1 to 65535
 * @param tls TLS on its connections; null: clear text
 * @param bypass whether messages continue unchanged if the service fails
 * @param onOverload what happens when it has its most connections
 * @param routing whether it may choose the services that a message passes after it
 * @param maxConnections the most connections, of all event loops; -1: as the service says
 * @param counts its counts, the only part that changes
 */
public record IcapService(
    String name,
    boolean responses,
    String uri,
    String host,
    int port,
    @Nullable Tls tls,
    boolean bypass,
    Overload onOverload,
    boolean routing,
    int maxConnections,
    ServiceCounts counts) {
  /**
   * TLS with a service. Immutable.
   *
   * @param serverName the name or the address that the certificate must be for
   * @param options the words of the line
   */
  public record Tls(String serverName, TlsOptions options) {}

  /** Reactions to too many connections. */
  public enum Overload {
    /** The message fails. */
    BLOCK,
    /** The message continues unchanged. */
    BYPASS,
    /** The message waits for a connection. */
    WAIT,
    /** One more connection is opened. */
    FORCE
  }

  /** The method of its requests. */
  String method() {
    return responses ? "RESPMOD" : "REQMOD";
  }

  /** The value of Host. */
  String authority() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}

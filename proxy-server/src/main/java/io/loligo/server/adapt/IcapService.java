package io.loligo.server.adapt;

/**
 * One {@code icap_service} line. Immutable, except for its counts.
 *
 * @param name the name in rules
 * @param responses whether it adapts responses; false: requests
 * @param uri as in the request line
 * @param host a name or an address, without brackets
 * @param port 1 to 65535
 * @param bypass whether messages continue unchanged if the service fails
 * @param onOverload what happens when it has its most connections
 * @param maxConnections the most connections, of all event loops; -1: as the service says
 * @param counts its counts, the only part that changes
 */
public record IcapService(
    String name,
    boolean responses,
    String uri,
    String host,
    int port,
    boolean bypass,
    Overload onOverload,
    int maxConnections,
    ServiceCounts counts) {
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

package io.loligo.server.manager;

import java.util.List;

/**
 * The facts of an event loop at one moment. Immutable.
 *
 * @param active exchanges in progress, a bounded number
 * @param names names in the cache of DNS, a bounded number of them
 * @param allNames how many there are
 * @param addresses addresses with a looked-up name, a bounded number of them
 * @param allAddresses how many there are
 * @param pools kept connections by the place where they lead to, a bounded number
 */
public record LoopFacts(
    List<ActiveRequest> active,
    List<CachedName> names,
    int allNames,
    List<CachedName> addresses,
    int allAddresses,
    List<Pool> pools) {
  /**
   * An exchange in progress.
   *
   * @param client its address, as logged
   * @param local the proxy's end of the connection
   * @param url as logged
   * @param tag the result, as far as it is known
   * @param bytesIn received of the request
   * @param startMillis when its head was parsed, in milliseconds since the epoch
   * @param user who has logged in; {@code -}: nobody
   */
  public record ActiveRequest(
      String client,
      String local,
      String url,
      String tag,
      long bytesIn,
      long startMillis,
      String user) {}

  /**
   * An answer of DNS.
   *
   * @param name the name or address that was asked for
   * @param answers addresses, or a name; empty: there are none
   * @param seconds how long it is kept
   */
  public record CachedName(String name, List<String> answers, long seconds) {}

  /**
   * Kept connections.
   *
   * @param place where they lead to
   * @param connections idle ones, and those of HTTP/2 that take another request
   */
  public record Pool(String place, int connections) {}
}

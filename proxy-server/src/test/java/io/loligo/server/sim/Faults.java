package io.loligo.server.sim;

import java.util.HashMap;
import java.util.Map;

/**
 * The faults of one world, in percent of all chances, and when they happened: a stale response may
 * be served if the origin is not available.
 */
final class Faults {
  /** How long the proxy remembers that a name could not be resolved, and some more. */
  static final long DNS_MEMORY_MILLIS = 12_000;

  private final World world;
  private final Map<String, Integer> running = new HashMap<>();
  private final Map<String, Long> lastMillis = new HashMap<>();
  private final Map<String, Long> unnamedMillis = new HashMap<>();
  private final int origin;
  private final int connect;
  private final int dns;
  private final int clients;
  private final int disk;

  Faults(World world) {
    this.world = world;
    // a third of all worlds is calm, and each of the others has troubles of its own
    boolean calm = world.chance(35);
    origin = calm ? 0 : world.one(java.util.List.of(0, 3, 15, 40));
    connect = calm ? 0 : world.one(java.util.List.of(0, 0, 5, 25));
    dns = calm ? 0 : world.one(java.util.List.of(0, 0, 5, 30));
    clients = calm ? 0 : world.one(java.util.List.of(0, 5, 20));
    disk = calm ? 0 : world.one(java.util.List.of(0, 5, 30));
  }

  /** Whether there are no faults: then every request gets its response. */
  boolean isCalm() {
    return origin + connect + dns + clients + disk == 0;
  }

  /** Answers that are none. */
  int origin() {
    return origin;
  }

  /** Connections to origins that are refused or hang. */
  int connect() {
    return connect;
  }

  /** Clients that leave, stall, or break off. */
  int clients() {
    return clients;
  }

  /** Reads from disk that fail or take long. */
  int disk() {
    return disk;
  }

  int dnsSilence() {
    return dns;
  }

  int dnsError() {
    return dns;
  }

  int dnsDelay() {
    return dns;
  }

  int dnsLie() {
    return dns;
  }

  /** The target of a parent's trouble: any, because any request may go there. */
  static final String ANY = "*";

  private static String key(String host) {
    return host.endsWith(".parent.test") ? ANY : host;
  }

  /** Trouble with {@code host} begins (1), ends (-1), or came and went (0). */
  void trouble(String host, int change) {
    running.merge(key(host), change, Integer::sum);
    troubleUntil(host, world.millis());
  }

  /** Trouble with {@code host} may be felt until then. */
  void troubleUntil(String host, long millis) {
    lastMillis.merge(key(host), millis, Math::max);
  }

  /** {@code host} may not be known by an address until then. */
  void unnamedUntil(String host, long millis) {
    troubleUntil(host, millis);
    unnamedMillis.merge(host, millis, Math::max);
  }

  /** Whether {@code host} could not be known by an address since {@code millis}. */
  boolean unnamedSince(String host, long millis) {
    return unnamedMillis.getOrDefault(host, Long.MIN_VALUE) >= millis;
  }

  /** Whether there was trouble with {@code host} since {@code millis}. */
  boolean troubledSince(String host, long millis) {
    return isTroubledSince(host, millis) || isTroubledSince(ANY, millis);
  }

  private boolean isTroubledSince(String host, long millis) {
    return running.getOrDefault(host, 0) > 0
        || lastMillis.getOrDefault(host, Long.MIN_VALUE) >= millis;
  }
}

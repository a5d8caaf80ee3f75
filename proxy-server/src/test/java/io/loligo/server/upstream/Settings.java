package io.loligo.server.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.server.config.Configs;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.upstream.route.CachePeers;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.loligo.store.MemoryDirectives;
import java.util.List;

/** Configurations for tests: Squid's defaults with the changes of a test. Mutable builder. */
public final class Settings {
  private static final ProxyConfig BASE = Configs.of("");

  public boolean serverPersistent = true;
  public int forwardMaxTries = 25;
  public int maxIdlePerOrigin = 100;
  public long readMillis = 900_000;
  public long writeMillis = 900_000;
  public long connectMillis = 60_000;
  public long forwardMillis = 240_000;
  public long serverIdleMillis = 60_000;
  public int originRate;
  public long rateWindowMillis = 30_000;
  public int streamBufferBytes = 65_536;
  public int replyHeadBytes = 65_536;
  public AclList alwaysDirect = AclList.denyAll();
  public AclList neverDirect = AclList.denyAll();
  public AclList spoof = AclList.allowAll();
  public List<Peer> peers = List.of();
  public String refreshPatterns = "";
  public boolean preferDirect;
  public boolean nonHierarchicalDirect = true;

  public ProxyConfig build() {
    return (refreshPatterns.isEmpty() ? BASE : Configs.of(refreshPatterns))
        .with(OriginDirectives.SERVER_PERSISTENT_CONNECTIONS, serverPersistent)
        .with(OriginDirectives.FORWARD_MAX_TRIES, forwardMaxTries)
        .with(OriginDirectives.MAX_IDLE_PER_ORIGIN, maxIdlePerOrigin)
        .with(TimeoutDirectives.READ_TIMEOUT, readMillis)
        .with(TimeoutDirectives.WRITE_TIMEOUT, writeMillis)
        .with(OriginDirectives.CONNECT_TIMEOUT, connectMillis)
        .with(OriginDirectives.FORWARD_TIMEOUT, forwardMillis)
        .with(OriginDirectives.SERVER_IDLE_PCONN_TIMEOUT, serverIdleMillis)
        .with(OriginDirectives.MIN_ORIGIN_RATE, originRate)
        .with(TimeoutDirectives.RATE_WINDOW, rateWindowMillis)
        .with(MemoryDirectives.STREAM_BUFFER_SIZE, streamBufferBytes)
        .with(LimitDirectives.REPLY_HEADER_MAX_SIZE, replyHeadBytes)
        .with(RoutingDirectives.ALWAYS_DIRECT, alwaysDirect)
        .with(RoutingDirectives.NEVER_DIRECT, neverDirect)
        .with(RoutingDirectives.SPOOF_CLIENT_IP, spoof)
        .with(RoutingDirectives.PREFER_DIRECT, preferDirect)
        .with(RoutingDirectives.NONHIERARCHICAL_DIRECT, nonHierarchicalDirect)
        .with(PeerDirectives.CACHE_PEER, peers);
  }

  /** A parent with the defaults of cache_peer. */
  /** Checks how many connections to the peer {@code name} are open, by the room it has. */
  public static void assertOpen(PeerHealth health, String name, int connections) {
    assertThat(health.hasRoom(CachePeers.of(peer(name, false, false, 1, null, 0, connections + 1))))
        .as("at most " + connections + " open")
        .isTrue();
    assertThat(
            connections == 0
                || !health.hasRoom(
                    CachePeers.of(peer(name, false, false, 1, null, 0, connections))))
        .as("at least " + connections + " open")
        .isTrue();
  }

  public static Peer parent(String name) {
    return peer(name, false, false, 1, null, 0, 0);
  }

  public static Peer originServer(String name) {
    return peer(name, true, false, 1, null, 0, 0);
  }

  public static Peer roundRobin(String name, int weight) {
    return peer(name, false, true, weight, null, 0, 0);
  }

  public static Peer peer(
      String name,
      boolean originServer,
      boolean roundRobin,
      int weight,
      String login,
      int failLimit,
      int maxConnections) {
    Peer.Builder peer = Peer.parent(name, name + ".example", 3128);
    return (roundRobin ? peer.spread(PeerSpread.ROUND_ROBIN) : peer)
        .originServer(originServer)
        .weight(weight)
        .login(login)
        .connectTimeoutMillis(0)
        .connectFailLimit(failLimit)
        .maxConnections(maxConnections)
        .build();
  }
}

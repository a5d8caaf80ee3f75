package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.manager.ParentFacts;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.peer.PeerDigests;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.icp.IcpTraffic;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.kerberos.KerberosPeers;
import io.netty.util.concurrent.EventExecutor;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** What all event loops know about parents and siblings together. Thread-safe. */
final class Peers implements Part {
  private final Supplier<ProxyConfig> config;
  private final PeerHealth health = new PeerHealth(System::nanoTime);
  private final KerberosPeers tokens;
  private final Asker asker;
  private final PeerDigests digests;
  private final IcpTraffic icpTraffic = new IcpTraffic();

  /**
   * Knows nothing of them yet.
   *
   * @param config gives the configuration in force
   * @param first the event loop from which peers are asked
   */
  Peers(Supplier<ProxyConfig> config, TimeSource time, EventExecutor first) {
    this.config = config;
    tokens = new KerberosPeers(time);
    asker = new Asker(first, time, health, new SecureRandom()::nextInt);
    digests = new PeerDigests(first, time, health);
  }

  /** Which of them are alive. */
  PeerHealth health() {
    return health;
  }

  /** Asks them for responses. */
  Asker asker() {
    return asker;
  }

  /** Their digests. */
  PeerDigests digests() {
    return digests;
  }

  /** Messages by ICP. */
  IcpTraffic icpTraffic() {
    return icpTraffic;
  }

  /** A count of messages by ICP so far. */
  long value(IcpCount count) {
    return count == IcpCount.ROUND_TIMEOUTS ? asker.timeouts() : icpTraffic.value(count);
  }

  /** Credentials of requests to them. */
  PeerTokens tokens() {
    return tokens;
  }

  private List<PeerNumbers> numbers() {
    return health.numbers(config.get().get(PeerDirectives.CACHE_PEER));
  }

  /** The parents, in the order of their lines. */
  List<ParentFacts> facts() {
    List<Peer> peers = config.get().get(PeerDirectives.CACHE_PEER);
    List<PeerNumbers> numbers = health.numbers(peers);
    List<ParentFacts> facts = new ArrayList<>();
    for (int i = 0; i < peers.size(); i++) {
      Peer peer = peers.get(i);
      String word = peer.kind().name();
      String kind = word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT);
      int queryPort = peer.querying().port();
      facts.add(new ParentFacts(kind, peer.host(), peer.port(), queryPort, numbers.get(i)));
    }
    return facts;
  }

  @Override
  public void open() {
    health.distances().use(config.get());
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    health.distances().use(now);
    tokens.use(now.get(PeerDirectives.CACHE_PEER));
    health.changed(before.get(PeerDirectives.CACHE_PEER), now.get(PeerDirectives.CACHE_PEER));
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.peers(this::numbers);
    export.gauge(
        "loligo.peer.digests.size", "bytes", "Bytes of the digests of peers.", digests::bytes);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.peers(this::numbers);
    sources.gauge("peer_digests_size_bytes", digests::bytes);
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.parents(this::numbers);
  }

  @Override
  public void close() {
    tokens.close();
  }
}

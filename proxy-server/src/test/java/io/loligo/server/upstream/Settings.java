package io.loligo.server.upstream;

import io.loligo.core.acl.AclList;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.Peer;
import io.loligo.core.config.SizeLimits;
import io.loligo.core.http1.ParseLimits;
import java.util.List;
import java.util.Map;

/** Configurations for tests: Squid's defaults, with what a test changes. Mutable builder. */
public final class Settings {
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
  public ParseLimits replyLimits = ParseLimits.DEFAULT;
  public AclList alwaysDirect = AclList.denyAll();
  public AclList neverDirect = AclList.denyAll();
  public List<Peer> peers = List.of();
  public boolean preferDirect;
  public boolean nonHierarchicalDirect = true;

  public ProxyConfig build() {
    return new ProxyConfig(
        List.of(),
        new ProxyConfig.Access(
            AclList.allowAll(),
            AclList.allowAll(),
            AclList.allowAll(),
            AclList.allowAll(),
            AclList.allowAll(),
            alwaysDirect,
            neverDirect,
            Map.of(),
            false),
        CacheSettings.DEFAULT,
        new ProxyConfig.Memory(0, 0, 0, streamBufferBytes, 65_536),
        ProxyConfig.Disk.NONE,
        new ProxyConfig.Timeouts(
            300_000,
            300_000,
            120_000,
            serverIdleMillis,
            connectMillis,
            30_000,
            readMillis,
            writeMillis,
            forwardMillis,
            86_400_000,
            new ProxyConfig.Progress(0, 0, originRate, rateWindowMillis),
            ProxyConfig.Shutdown.AT_ONCE),
        new ProxyConfig.Connections(
            true,
            serverPersistent,
            false,
            forwardMaxTries,
            0,
            maxIdlePerOrigin,
            ProxyConfig.Load.ANY),
        new ProxyConfig.Limits(ParseLimits.DEFAULT, replyLimits, -1, SizeLimits.forAll(-1)),
        new ProxyConfig.Forwarding(
            "proxy.example",
            true,
            ProxyConfig.ForwardedFor.ON,
            true,
            30_000,
            SizeLimits.forAll(0),
            SizeLimits.forAll(-1),
            16_384,
            16_384,
            95,
            false,
            null,
            false,
            0,
            false,
            preferDirect,
            nonHierarchicalDirect,
            peers),
        new ProxyConfig.Dns(List.of(), 30_000, 5_000, 21_600, 60, null, null, false),
        null,
        null,
        null,
        List.of());
  }

  /** A parent with the defaults of cache_peer. */
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
    return new Peer(
        name,
        name + ".example",
        3128,
        Peer.Type.PARENT,
        originServer,
        false,
        roundRobin,
        weight,
        login,
        null,
        0,
        failLimit,
        maxConnections,
        true,
        false,
        AclList.allowAll(),
        "test:1");
  }
}

package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.Proxy;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.time.TimeSource;
import io.loligo.store.Store;
import io.loligo.store.disk.DiskStats;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** The assembled proxy in this process, on ports the system chose. Closing it twice is harmless. */
final class ProxyUnderTest implements AutoCloseable {
  private final Proxy proxy;
  private boolean closed;

  private ProxyUnderTest(Proxy proxy) {
    this.proxy = proxy;
  }

  /** Starts it on this configuration, which must be without errors. */
  static ProxyUnderTest start(String squidConf) throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf)));
  }

  /** The same with a store of the test's around its own. */
  static ProxyUnderTest startSeen(String squidConf, UnaryOperator<Store> seen) throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), seen));
  }

  /** The same, with ages and dates reckoned by {@code time}. */
  static ProxyUnderTest start(String squidConf, TimeSource time) throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), UnaryOperator.identity(), time));
  }

  /**
   * The same, without a disk of its own.
   *
   * @param loadTimeoutMillis how long a request waits for the disk; 0: as long as it takes
   */
  static ProxyUnderTest start(String squidConf, long loadTimeoutMillis, UnaryOperator<Store> seen)
      throws IOException {
    ProxyConfig config = read(squidConf);
    ProxyConfig.Disk disk =
        new ProxyConfig.Disk(List.of(), 13 << 10, 4, 32 << 20, loadTimeoutMillis);
    return new ProxyUnderTest(Proxy.start(config.withDisk(disk), seen));
  }

  /** The same, with names asked of a server on any port: {@code address:port}. */
  static ProxyUnderTest startAsking(String nameserver, String squidConf) throws IOException {
    ProxyConfig read = read(squidConf);
    ProxyConfig.Dns dns =
        new ProxyConfig.Dns(
            List.of(nameserver),
            read.dns().timeoutMillis(),
            read.dns().retransmitMillis(),
            read.dns().positiveTtlSeconds(),
            read.dns().negativeTtlSeconds(),
            read.dns().hostsFile(),
            read.dns().appendDomain(),
            read.dns().v4First());
    return new ProxyUnderTest(
        Proxy.start(
            new ProxyConfig(
                read.ports(),
                read.access(),
                read.caching(),
                read.memory(),
                read.disk(),
                read.timeouts(),
                read.connections(),
                read.limits(),
                read.forwarding(),
                dns,
                read.logging(),
                read.admin(),
                read.workers(),
                read.settings())));
  }

  private static ProxyConfig read(String squidConf) {
    ConfigResult result = new ConfigReader(new FileConfigSource()).readText("test.conf", squidConf);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  /** Port of the first http_port line. */
  int port() {
    return port(0);
  }

  int port(int index) {
    return proxy.port(index);
  }

  int adminPort() {
    return proxy.adminPort();
  }

  /** Octets on their way that no tier holds. */
  long transitBytes() {
    return proxy.store().stats().transitBytes();
  }

  /** Requests and responses refused so far, by reason. A new map. */
  Map<ParseFailure, Long> refusals() {
    Map<ParseFailure, Long> all = new EnumMap<>(ParseFailure.class);
    for (ParseFailure reason : ParseFailure.values()) {
      long requests = proxy.metrics().value(CounterFamily.REQUEST_REFUSAL, reason.ordinal());
      long responses = proxy.metrics().value(CounterFamily.RESPONSE_REFUSAL, reason.ordinal());
      all.put(reason, requests + responses);
    }
    return all;
  }

  /** What was counted so far, of all loops. */
  long counted(Counter counter) {
    return proxy.metrics().value(counter);
  }

  /** The same of one of a family. */
  long counted(CounterFamily family, int index) {
    return proxy.metrics().value(family, index);
  }

  /** Connections of a kind that are open. */
  long open(ConnectionGauge gauge) {
    return proxy.metrics().value(gauge);
  }

  /** How often nobody was accepted for want of descriptors. */
  long listeningPauses() {
    return proxy.descriptors().pauses();
  }

  /** Answers made because something failed, of this name. */
  long errors(String code) {
    return proxy
        .metrics()
        .value(CounterFamily.ERROR, CounterFamily.ERROR.labelValues().indexOf(code));
  }

  /** Connections opened to origins, parents and tunnels' ends so far. */
  long forwardedConnections() {
    return proxy.metrics().value(Counter.SERVER_CONNECTIONS);
  }

  /** Completes when every cache_dir is ready, or off. */
  CompletableFuture<Void> diskOpened() {
    return proxy.store().opened();
  }

  /** Fetches under way, or on their way to disk. */
  long fetches() {
    return proxy.store().stats().inFlight();
  }

  /** Numbers of each cache_dir. */
  List<DiskStats> diskStats() {
    return proxy.store().diskStats();
  }

  /** Puts this configuration in force. */
  Reloaded reload(String squidConf) {
    return proxy.reload(new ConfigReader(new FileConfigSource()).readText("test.conf", squidConf));
  }

  /** The same, but with these limits of request heads, which no file can say. */
  Reloaded reloadWithRequestLimits(String squidConf, ParseLimits request) {
    ProxyConfig read = read(squidConf);
    ProxyConfig.Limits limits =
        new ProxyConfig.Limits(
            request,
            read.limits().reply(),
            read.limits().requestBodyMaxBytes(),
            read.limits().replyBodyMax());
    ProxyConfig config =
        new ProxyConfig(
            read.ports(),
            read.access(),
            read.caching(),
            read.memory(),
            read.disk(),
            read.timeouts(),
            read.connections(),
            limits,
            read.forwarding(),
            read.dns(),
            read.logging(),
            read.admin(),
            read.workers(),
            read.settings());
    return proxy.reload(new ConfigResult(config, List.of(), List.of()));
  }

  /** Stops listening and lets exchanges end. */
  CompletableFuture<Void> drain() {
    return proxy.drain();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      proxy.close();
    }
  }
}

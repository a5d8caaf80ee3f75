package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.Proxy;
import io.loligo.server.boot.Sharing;
import io.loligo.server.cluster.Cluster;
import io.loligo.server.downstream.intercept.OriginalDestinations;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.store.Store;
import io.loligo.store.disk.CacheDirs;
import io.loligo.store.disk.DiskDirectives;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.OtherStores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** The assembled proxy in this process, on ports the system chose. Closing it twice is harmless. */
final class ProxyUnderTest implements AutoCloseable {
  private final Proxy proxy;
  private boolean closed;

  private ProxyUnderTest(Proxy proxy) {
    this.proxy = proxy;
  }

  /** Its purges also go to {@code cluster}. */
  void purgesAlsoIn(OtherStores cluster) {
    proxy.store().alsoIn(cluster);
  }

  /** Samples what is in progress. */
  Concurrency sampleConcurrency() {
    return proxy.sampleConcurrency();
  }

  /** Keeps a history, which the caller starts. */
  HistoryRecorder keepHistory(int bytes, Path file) {
    return proxy.keepHistory(bytes, file);
  }

  /** Starts it on this configuration, which must be without errors. */
  static ProxyUnderTest start(String squidConf) throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf)));
  }

  /** The same with a store of the test's around its own. */
  static ProxyUnderTest startSeen(String squidConf, UnaryOperator<Store> seen) throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), seen));
  }

  /** The same, by the clock and the timeouts of {@code time}. */
  static ProxyUnderTest startSeen(String squidConf, UnaryOperator<Store> seen, TimeSource time)
      throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), seen, time));
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
    CacheDirs none = new CacheDirs(List.of(), loadTimeoutMillis, 0);
    return new ProxyUnderTest(Proxy.start(config.with(DiskDirectives.CACHE_DIR, none), seen));
  }

  /** The same, with names asked of a server on any port: {@code address:port}. */
  static ProxyUnderTest startAsking(String nameserver, String squidConf) throws IOException {
    ProxyConfig config = read(squidConf).with(NameDirectives.DNS_NAMESERVERS, List.of(nameserver));
    return new ProxyUnderTest(Proxy.start(config));
  }

  /** The same, with timeouts and ages by {@code time}. */
  static ProxyUnderTest startAsking(String nameserver, String squidConf, TimeSource time)
      throws IOException {
    ProxyConfig config = read(squidConf).with(NameDirectives.DNS_NAMESERVERS, List.of(nameserver));
    return new ProxyUnderTest(Proxy.start(config, UnaryOperator.identity(), time));
  }

  /** The same, with destinations of intercepted clients by {@code destinations}. */
  static ProxyUnderTest startIntercepting(String squidConf, OriginalDestinations destinations)
      throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), destinations));
  }

  /** The same, with names asked of a server on any port: {@code address:port}. */
  static ProxyUnderTest startIntercepting(
      String squidConf, String nameserver, OriginalDestinations destinations) throws IOException {
    ProxyConfig config = read(squidConf).with(NameDirectives.DNS_NAMESERVERS, List.of(nameserver));
    return new ProxyUnderTest(Proxy.start(config, destinations));
  }

  /** The same, with a cache that it shares with other nodes; their port is the last one. */
  static ProxyUnderTest start(String squidConf, Sharing sharing) throws IOException {
    return start(squidConf, sharing, TimeSource.SYSTEM);
  }

  /** The same, with ages and dates reckoned by {@code time}. */
  static ProxyUnderTest start(String squidConf, Sharing sharing, TimeSource time)
      throws IOException {
    return new ProxyUnderTest(Proxy.start(read(squidConf), sharing, time));
  }

  /** This process as a node. */
  Cluster cluster() {
    return proxy.cluster();
  }

  /** Waits until {@code held} is zero before it hears anything more of its cluster. */
  void holdCluster(CountDownLatch held) {
    proxy.cluster().steps().execute(() -> awaitUninterruptibly(held));
  }

  private static void awaitUninterruptibly(CountDownLatch held) {
    try {
      held.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ProxyConfig read(String squidConf) {
    ConfigResult result = Features.reader(new FileConfigSource()).readText("test.conf", squidConf);
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

  /** Bytes on their way that no tier holds. */
  long transitLimitBytes() {
    return proxy.store().stats().transitLimitBytes();
  }

  long transitBytes() {
    return proxy.store().stats().transitBytes();
  }

  /** The memory for stored responses. */
  long memoryLimitBytes() {
    return proxy.store().stats().memoryLimitBytes();
  }

  /** Responses stored in memory. */
  long storedResponses() {
    return proxy.store().stats().entries();
  }

  /** Of these, copies of those of other nodes. */
  long copies() {
    return proxy.store().stats().copies();
  }

  /** The memory of {@link #copies}. */
  long copyBytes() {
    return proxy.store().stats().copyBytes();
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

  /** The count so far, of all loops. */
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

  /** Number of pauses in accepting for lack of descriptors. */
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

  /** Puts this configuration in force, with names asked of a server on any port. */
  Reloaded reloadAsking(String nameserver, String squidConf) {
    ProxyConfig config = read(squidConf).with(NameDirectives.DNS_NAMESERVERS, List.of(nameserver));
    return proxy.reload(new ConfigResult(config, List.of(), List.of()));
  }

  /** Puts this configuration in force. */
  Reloaded reload(String squidConf) {
    return proxy.reload(Features.reader(new FileConfigSource()).readText("test.conf", squidConf));
  }

  /** The same, but with this size of request heads, which no file can give. */
  Reloaded reloadWithRequestHeads(String squidConf, int maxHeadBytes) {
    ProxyConfig config =
        read(squidConf).with(LimitDirectives.REQUEST_HEADER_MAX_SIZE, maxHeadBytes);
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

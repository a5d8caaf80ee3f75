package io.loligo.server.boot;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.cluster.Cluster;
import io.loligo.server.cluster.ClusterBean;
import io.loligo.server.cluster.ClusterCertificates;
import io.loligo.server.cluster.ClusterConfigurations;
import io.loligo.server.cluster.ClusterDirectives;
import io.loligo.server.cluster.ClusterJson;
import io.loligo.server.cluster.ClusterLine;
import io.loligo.server.cluster.ClusterMode;
import io.loligo.server.cluster.ClusterTlsLine;
import io.loligo.server.cluster.PurgeMode;
import io.loligo.server.cluster.RequestLimits;
import io.loligo.server.cluster.ShareCount;
import io.loligo.server.cluster.ShareMode;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.server.upstream.CacheOwners;
import io.loligo.server.upstream.Upstream;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a node of a cluster, if a line says so; else it loads nothing of it. Thread-safe.
 */
final class ClusterPart implements Part {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");

  private final TieredStore store;

  /** Null: there is no line. */
  private final @Nullable Cluster cluster;

  /** Null: the same. */
  private final @Nullable PurgeMode purges;

  /** Null: the line shares no cache. */
  private final @Nullable ShareMode share;

  /** Null: there is no line. */
  private final @Nullable RequestLimits limits;

  /** Null: the same. */
  private final @Nullable ClusterConfigurations configurations;

  /**
   * Binds the group port of the line. The store then doubts its responses until the other nodes are
   * found.
   *
   * @param loops give an event loop; not called before {@link #open}
   * @param onALoop runs a task on an event loop, with its upstream; not called before {@link #open}
   * @param binds false: a predecessor has the port until it hands over
   * @throws IOException if that is not possible; names the line
   */
  ClusterPart(
      ProxyConfig config,
      TimeSource time,
      boolean binds,
      TieredStore store,
      Supplier<EventExecutor> loops,
      Consumer<Consumer<Upstream>> onALoop)
      throws IOException {
    this.store = store;
    ClusterLine line = config.get(ClusterDirectives.CLUSTER);
    Path folder = folder(config);
    cluster =
        line == null
            ? null
            : new Cluster(line, config.get(ClusterDirectives.TLS), folder, time, binds);
    purges = cluster == null ? null : purges(cluster, store, loops, folder);
    share =
        cluster == null || purges == null || line == null || line.mode() != ClusterMode.SHARE
            ? null
            : new ShareMode(
                cluster,
                config.get(ClusterDirectives.TLS),
                purges,
                TransportDirectives.loops(config),
                onALoop);
    limits = cluster == null ? null : new RequestLimits(cluster, time, config);
    configurations = cluster == null ? null : new ClusterConfigurations(cluster, config);
  }

  private static PurgeMode purges(
      Cluster cluster, TieredStore store, Supplier<EventExecutor> loops, @Nullable Path folder)
      throws IOException {
    try {
      return new PurgeMode(cluster, store, loops, folder);
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** The owners of responses for one event loop, if the line shares one cache. */
  CacheOwners owners() {
    assert share != null : "no cache is shared";
    return share.forLoop();
  }

  /** That of the first {@code cache_dir} that is written; null: there is none. */
  private static @Nullable Path folder(ProxyConfig config) {
    List<CacheDir> dirs = DiskSettings.of(config).dirs();
    return dirs.stream()
        .filter(dir -> !dir.readOnly())
        .findFirst()
        .map(dir -> Path.of(dir.path()))
        .orElse(null);
  }

  /** Null: there is no line. */
  @Nullable Cluster cluster() {
    return cluster;
  }

  /** Ports for other nodes: clients must not reach them through the proxy. */
  Set<Integer> ports() {
    return cluster == null
        ? Set.of()
        : Set.of(cluster.self().address().getPort(), cluster.self().bodies().getPort());
  }

  /**
   * Reads the certificates again, for a reload; blocks.
   *
   * @return puts them in force for connections that begin later
   * @throws IOException if a file cannot be used; those of before stay in force
   */
  Runnable renewed() throws IOException {
    return cluster == null ? () -> {} : cluster.renewed();
  }

  /** The certificate of the group port, unless the port for bodies has it too; null: none. */
  @Nullable NodeCertificate certificate() {
    ClusterCertificates read = cluster == null || share != null ? null : cluster.certificates();
    ClusterTlsLine line = cluster == null ? null : cluster.tls();
    return read == null || line == null ? null : new NodeCertificate(line.source(), read.pair());
  }

  /** Is no node any more: a successor takes over, or the process ends. Idempotent. */
  void leave() {
    if (purges != null) {
      purges.close();
    }
    if (limits != null) {
      limits.close();
    }
    if (configurations != null) {
      configurations.close();
    }
    if (cluster != null) {
      cluster.leave();
    }
  }

  @Override
  public void open() {
    if (purges != null) {
      purges.start();
    }
    if (share != null) {
      share.start();
    }
    if (limits != null) {
      limits.start();
    }
    if (configurations != null) {
      configurations.start();
    }
    if (cluster != null) {
      cluster.start();
    }
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    if (limits != null) {
      limits.use(now);
    }
    if (configurations != null) {
      configurations.use(now);
    }
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.addJson("/cluster", () -> ClusterJson.of(cluster, purges, share, store.stats()));
    pages.addNow("/cluster/owner", this::owner);
    pages.addChange("/cluster/drain", (ends, given, client) -> drain(!ends, client));
  }

  private AdminReply owner(Map<String, List<String>> parameters) {
    if (share == null) {
      return AdminReply.text(400, "nothing has an owner: no cluster shares a cache here");
    }
    List<String> urls = parameters.getOrDefault("url", List.of());
    CacheKey key = urls.size() == 1 ? CacheKeys.of(urls.get(0)) : null;
    return key == null
        ? AdminReply.text(400, "url: expected one absolute URL")
        : AdminReply.json(200, ClusterJson.owner(share.ring(), key));
  }

  private AdminReply drain(boolean drains, String client) {
    if (share == null) {
      return AdminReply.text(400, "this node owns nothing: no cluster shares a cache here");
    }
    share.drain(drains);
    AUDIT.info("admin cluster drain from {}: {}", client, drains ? "begun" : "ended");
    return AdminReply.json(200, "{\"draining\":" + drains + "}");
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.gauge(
        "loligo.cluster.members",
        null,
        "Nodes of the cluster that this one sees, itself included; 0: it is in no cluster.",
        this::members);
    export.gauge(
        "loligo.cluster.configured",
        null,
        "Nodes that the cluster should have, this one included; 0: it is in no cluster. More than"
            + " the members: a node is away.",
        this::configured);
    export.gauge(
        "loligo.cluster.configurations",
        null,
        "Different configurations of the members of the cluster; 0: it is in no cluster. More than"
            + " 1: a response depends on the node.",
        this::configurations);
    export.counter(
        "loligo.cluster.view.changes",
        null,
        "Changes of the members of the cluster.",
        this::viewChanges);
    export.counter(
        "loligo.cluster.dropped.messages",
        null,
        "Messages of other nodes that were dropped, because too many waited. Lost ones are sent"
            + " again; many: look at the log.",
        this::droppedMessages);
    export.counter(
        "loligo.cluster.closed.connections",
        null,
        "Connections of the group port that were closed, because their node sent messages that no"
            + " node sends; the log has its address.",
        this::closedConnections);
    export.counter(
        "loligo.cluster.purges.published",
        null,
        "Purges of this node that went to the cluster, those of unsafe requests included.",
        this::published);
    export.counter(
        "loligo.cluster.purges.received",
        null,
        "Purges of other nodes that this one took.",
        this::received);
    export.counter(
        "loligo.cluster.revalidations",
        null,
        "Times that everything stored had to be validated before its next use, because purges were"
            + " no longer known. Rare, unless a node was away for more than ten minutes.",
        this::revalidations);
    export.gauge(
        "loligo.cluster.purge.lag",
        null,
        "Purges of the cluster that this node knows of and has not carried out yet.",
        this::lag);
    export.gauge(
        "loligo.cluster.copies",
        null,
        "Copies in memory of responses that other nodes store.",
        () -> store.stats().copies());
    export.gauge(
        "loligo.cluster.copy",
        "bytes",
        "Direct memory of these copies: at most 15 % of cache_mem.",
        () -> store.stats().copyBytes());
    export.gauge(
        "loligo.cluster.key.share",
        "permille",
        "Share of this node in the keys of a shared cache, of 1,000; 0: it owns none.",
        this::keys);
    export.gauge(
        "loligo.cluster.draining",
        null,
        "Members of a shared cache that own no keys, because they drain or have not caught up with"
            + " purges.",
        this::draining);
    export.gauge(
        "loligo.cluster.unasked",
        null,
        "Members of a shared cache that this node asks no more for a while, because they failed.",
        this::unasked);
    for (ShareCount count : ShareCount.values()) {
      export.counter(count.metric(), null, count.text(), () -> shared(count));
    }
    export.gauge(
        "loligo.cluster.acknowledgement.median",
        "microseconds",
        "Time until a node of a shared cache acknowledged a request, median since the start.",
        () -> acknowledgementMicros(50));
    export.gauge(
        "loligo.cluster.acknowledgement.p99",
        "microseconds",
        "Time until a node of a shared cache acknowledged a request, 99th percentile since the"
            + " start.",
        () -> acknowledgementMicros(99));
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.gauge("cluster_members", this::members);
    sources.gauge("cluster_configured", this::configured);
    sources.gauge("cluster_configurations", this::configurations);
    sources.counter("cluster_view_changes", this::viewChanges);
    sources.counter("cluster_dropped_messages", this::droppedMessages);
    sources.counter("cluster_closed_connections", this::closedConnections);
    sources.counter("cluster_purges_published", this::published);
    sources.counter("cluster_purges_received", this::received);
    sources.counter("cluster_revalidations", this::revalidations);
    sources.gauge("cluster_purge_lag", this::lag);
    sources.gauge("cluster_copies", () -> store.stats().copies());
    sources.gauge("cluster_copy_bytes", () -> store.stats().copyBytes());
    sources.gauge("cluster_key_share_permille", this::keys);
    sources.gauge("cluster_draining", this::draining);
    sources.gauge("cluster_unasked", this::unasked);
    for (ShareCount count : ShareCount.values()) {
      sources.counter(count.series(), () -> shared(count));
    }
    sources.gauge("cluster_acknowledgement_median_microseconds", () -> acknowledgementMicros(50));
    sources.gauge("cluster_acknowledgement_p99_microseconds", () -> acknowledgementMicros(99));
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    if (cluster != null && purges != null) {
      beans.cluster(new ClusterBean(cluster, purges, share, store::stats));
    }
  }

  private long members() {
    return cluster == null ? 0 : cluster.members();
  }

  private long configured() {
    return cluster == null ? 0 : cluster.configured();
  }

  private long configurations() {
    return cluster == null ? 0 : cluster.configurations().different();
  }

  private long droppedMessages() {
    return cluster == null ? 0 : cluster.droppedMessages();
  }

  private long closedConnections() {
    return cluster == null ? 0 : cluster.closedConnections();
  }

  private long published() {
    return purges == null ? 0 : purges.published();
  }

  private long received() {
    return purges == null ? 0 : purges.received();
  }

  private long revalidations() {
    return purges == null ? 0 : purges.revalidations();
  }

  private long lag() {
    return purges == null ? 0 : purges.lag();
  }

  private long keys() {
    return share == null ? 0 : Math.round(1_000 * share.ring().ownShare());
  }

  private long draining() {
    return share == null ? 0 : share.ring().draining();
  }

  private long unasked() {
    return share == null ? 0 : share.ring().unasked();
  }

  private long shared(ShareCount count) {
    return share == null ? 0 : share.ring().value(count);
  }

  private long acknowledgementMicros(int percent) {
    return share == null
        ? 0
        : TimeUnit.NANOSECONDS.toMicros(share.ring().acknowledgements().percentileNanos(percent));
  }

  private long viewChanges() {
    return cluster == null ? 0 : cluster.viewChanges();
  }

  @Override
  public void close() {
    leave();
    if (cluster != null) {
      cluster.close();
    }
  }
}

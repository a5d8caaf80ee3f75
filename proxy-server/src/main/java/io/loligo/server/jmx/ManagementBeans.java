package io.loligo.server.jmx;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.message.IpText;
import io.loligo.server.adapt.ServiceCounts;
import io.loligo.server.admin.ExplainText;
import io.loligo.server.admin.HistoryTable;
import io.loligo.server.admin.Operations;
import io.loligo.server.admin.PurgeForm;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.explain.Question;
import io.loligo.server.helper.HelperNumbers;
import io.loligo.server.history.History;
import io.loligo.server.history.Series;
import io.loligo.server.login.LoginCounts;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.PoolLevels;
import io.loligo.store.StoreStats;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Purged;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy's own MXBeans under {@code io.loligo:type=...}: Tiers, Classes, Stages, Concurrency,
 * DiskTimes, History, Connections, OriginConnections, MemoryLedger, Misses, Icap, Pools, Parents,
 * NeighbourPorts, Helpers, Logins, Logs, Cluster, Control, and a CacheDir for each cache_dir, with
 * units and descriptions. Thread-safe: any thread.
 */
public final class ManagementBeans implements AutoCloseable {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final Logger LOG = LoggerFactory.getLogger(ManagementBeans.class);
  private static final String DOMAIN = "io.loligo";

  /** A disk that takes longer has a problem that the caller should see. */
  private static final int PURGE_SECONDS = 30;

  private static final int RELOAD_SECONDS = 60;

  private static final int EXPLAIN_SECONDS = 30;

  private final MBeanServer server;
  private final List<ObjectName> names = new ArrayList<>();

  /**
   * Registers the beans; those of an earlier proxy in this process are replaced.
   *
   * @throws IllegalStateException if the server refuses one
   */
  public ManagementBeans(
      MBeanServer server,
      ProxyMetrics metrics,
      Supplier<StoreStats> store,
      Supplier<List<DiskStats>> disks,
      Operations operations) {
    this.server = server;
    try {
      register("Tiers", new Tiers(store), TiersMXBean.class);
      register("Classes", new MetricsBeans.Classes(metrics), ClassesMXBean.class);
      register("Stages", new MetricsBeans.Stages(metrics), StagesMXBean.class);
      register("Connections", new MetricsBeans.Connections(metrics), ConnectionsMXBean.class);
      register("MemoryLedger", new MetricsBeans.Ledger(metrics.ledger()), MemoryLedgerMXBean.class);
      register("Misses", new MetricsBeans.Misses(metrics), MissesMXBean.class);
      register("Control", new Control(operations), ControlMXBean.class);
      for (DiskStats disk : disks.get()) {
        register(disk.path(), disks);
      }
    } catch (JMException e) {
      close();
      throw new IllegalStateException("JMX bean cannot be registered: " + e.getMessage(), e);
    }
  }

  private void register(String path, Supplier<List<DiskStats>> disks) throws JMException {
    register(nameOf(path), new CacheDir(disks, path), CacheDirMXBean.class);
  }

  private static ObjectName nameOf(String path) throws JMException {
    return new ObjectName(DOMAIN + ":type=CacheDir,path=" + ObjectName.quote(path));
  }

  /**
   * Registers the beans of directories that were added, and removes those of others.
   *
   * @throws IllegalStateException if the server refuses that
   */
  public synchronized void cacheDirs(Supplier<List<DiskStats>> disks) {
    try {
      Set<ObjectName> wanted = new HashSet<>();
      for (DiskStats disk : disks.get()) {
        wanted.add(nameOf(disk.path()));
        if (!names.contains(nameOf(disk.path()))) {
          register(disk.path(), disks);
        }
      }
      for (ObjectName name : List.copyOf(names)) {
        if ("CacheDir".equals(name.getKeyProperty("type")) && !wanted.contains(name)) {
          names.remove(name);
          server.unregisterMBean(name);
        }
      }
    } catch (JMException e) {
      throw new IllegalStateException("JMX beans of cache_dir: " + e.getMessage(), e);
    }
  }

  /**
   * Registers the bean of ICAP services.
   *
   * @param services those in use, asked for again each time
   * @throws IllegalStateException if the server refuses it
   */
  public void icap(Supplier<List<ServiceCounts>> services) {
    add("Icap", new CountsBeans.Icap(services), IcapMXBean.class);
  }

  /**
   * Registers the bean of pools.
   *
   * @param pools those in use, asked for again each time
   * @param levels the same
   * @throws IllegalStateException if the server refuses it
   */
  public void pools(Supplier<List<PoolCounts>> pools, Supplier<List<PoolLevels>> levels) {
    add("Pools", new CountsBeans.Pools(pools, levels), PoolsMXBean.class);
  }

  /**
   * Registers the bean of parents.
   *
   * @param peers those in use, asked for again each time
   * @throws IllegalStateException if the server refuses it
   */
  public void parents(Supplier<List<PeerNumbers>> peers) {
    add("Parents", new MetricsBeans.Parents(peers), ParentsMXBean.class);
  }

  /**
   * Registers the bean of the ports for neighbours.
   *
   * @param numbers by protocol and name, asked for again each time
   * @param texts their meaning
   * @throws IllegalStateException if the server refuses it
   */
  public void neighbourPorts(
      Supplier<Map<String, Map<String, Long>>> numbers, Map<String, Map<String, String>> texts) {
    add(
        "NeighbourPorts",
        new CountsBeans.NeighbourPorts(numbers, texts),
        NeighbourPortsMXBean.class);
  }

  /**
   * Registers the beans of helper programs and of logins.
   *
   * @param programs those in use, asked for again each time
   * @param schemes those in use, asked for again each time
   * @throws IllegalStateException if the server refuses one
   */
  public void helpers(Supplier<List<HelperNumbers>> programs, Supplier<List<LoginCounts>> schemes) {
    add("Helpers", new CountsBeans.Helpers(programs), HelpersMXBean.class);
    add("Logins", new CountsBeans.Logins(schemes), LoginsMXBean.class);
  }

  /**
   * Registers the bean of samples.
   *
   * @throws IllegalStateException if the server refuses it
   */
  public void concurrency(ProxyMetrics metrics, Concurrency sampled) {
    add("Concurrency", new MetricsBeans.Sampled(metrics, sampled), ConcurrencyMXBean.class);
  }

  /**
   * Registers the bean of the file work.
   *
   * @throws IllegalStateException if the server refuses it
   */
  public void diskTimes(DiskTimes disk) {
    add("DiskTimes", new MetricsBeans.FileWork(disk), DiskTimesMXBean.class);
  }

  /**
   * Registers the bean of the history.
   *
   * @param history null while there is none
   * @throws IllegalStateException if the server refuses it
   */
  public void history(Supplier<@Nullable History> history) {
    add("History", new HistoryBean(history), HistoryMXBean.class);
  }

  /**
   * Registers the bean of connections to origins.
   *
   * @throws IllegalStateException if the server refuses it
   */
  public void origins(OriginConnectionsMXBean origins) {
    add("OriginConnections", origins, OriginConnectionsMXBean.class);
  }

  /**
   * Registers the bean of the cluster.
   *
   * @throws IllegalStateException if the server refuses it
   */
  public void cluster(ClusterMXBean cluster) {
    add("Cluster", cluster, ClusterMXBean.class);
  }

  /**
   * Registers the bean of the application log.
   *
   * @throws IllegalStateException if the server refuses it
   */
  public void logs(LogLevels levels) {
    add("Logs", new Logs(levels), LogsMXBean.class);
  }

  private <T> void add(String type, T bean, Class<T> as) {
    try {
      register(type, bean, as);
    } catch (JMException e) {
      throw new IllegalStateException("JMX bean cannot be registered: " + e.getMessage(), e);
    }
  }

  private <T> void register(String type, T bean, Class<T> as) throws JMException {
    register(new ObjectName(DOMAIN, "type", type), bean, as);
  }

  private <T> void register(ObjectName name, T bean, Class<T> as) throws JMException {
    if (server.isRegistered(name)) {
      server.unregisterMBean(name);
    }
    server.registerMBean(new DescribedBean(bean, as), name);
    names.add(name);
  }

  @Override
  public void close() {
    for (ObjectName name : names) {
      try {
        if (server.isRegistered(name)) {
          server.unregisterMBean(name);
        }
      } catch (JMException e) {
        throw new IllegalStateException("JMX bean cannot be unregistered: " + name, e);
      }
    }
    names.clear();
  }

  private static void audit(String what, String result) {
    AUDIT.info("jmx {} from {}: {}", what, client(), result);
  }

  private static String client() {
    try {
      return IpText.normal(RemoteServer.getClientHost());
    } catch (ServerNotActiveException e) {
      return "this process";
    }
  }

  /** Without characters that could begin another log line. */
  private static String visible(String text) {
    return text.replaceAll("[^\\x20-\\x7e]", "_");
  }

  private record HistoryBean(Supplier<@Nullable History> history) implements HistoryMXBean {
    @Override
    public String[] getSeries() {
      History kept = history.get();
      return kept == null
          ? new String[0]
          : kept.series().stream().map(Series::name).toArray(String[]::new);
    }

    @Override
    public long getMemoryBytes() {
      History kept = history.get();
      return kept == null ? 0 : kept.memoryBytes();
    }

    @Override
    public HistoryColumns read(String range, String series, int stepSeconds) {
      return HistoryColumns.of(
          HistoryTable.of(
              history.get(),
              range,
              stepSeconds == 0 ? "" : Integer.toString(stepSeconds),
              series.isBlank() ? List.of() : List.of(series.strip())));
    }
  }

  private record Logs(LogLevels all) implements LogsMXBean {
    @Override
    public Map<String, String> getLevels() {
      return all.levels();
    }

    @Override
    public String level(String logger) {
      return all.level(logger);
    }

    @Override
    public String setLevel(String logger, String level) {
      String before = all.level(logger);
      // first: the level of the audit log may be the one that changes
      String what = "level of " + visible(logger) + " to " + visible(level);
      audit(what, "was " + before);
      try {
        all.setLevel(logger, level);
      } catch (IllegalArgumentException | IllegalStateException refused) {
        audit(what, "refused");
        throw refused;
      }
      return all.level(logger);
    }
  }

  private record Tiers(Supplier<StoreStats> store) implements TiersMXBean {
    @Override
    public long getMemoryEntries() {
      return store.get().entries();
    }

    @Override
    public long getMemoryUsedBytes() {
      return store.get().memoryBytes();
    }

    @Override
    public long getMemoryLimitBytes() {
      return store.get().memoryLimitBytes();
    }

    @Override
    public long getMemoryPinnedBytes() {
      return store.get().pinnedBytes();
    }

    @Override
    public long getInsertions() {
      return store.get().insertions();
    }

    @Override
    public long getEvictions() {
      return store.get().evictions();
    }

    @Override
    public long getRejections() {
      return store.get().rejections();
    }

    @Override
    public long getInFlight() {
      return store.get().inFlight();
    }

    @Override
    public long getTransitUsedBytes() {
      return store.get().transitBytes();
    }

    @Override
    public long getTransitLimitBytes() {
      return store.get().transitLimitBytes();
    }
  }

  private record CacheDir(Supplier<List<DiskStats>> disks, String path) implements CacheDirMXBean {
    private DiskStats stats() {
      for (DiskStats disk : disks.get()) {
        if (disk.path().equals(path)) {
          return disk;
        }
      }
      throw new IllegalStateException(path + " is not in use any more");
    }

    @Override
    public String getPath() {
      return stats().path();
    }

    @Override
    public String getSource() {
      return stats().source();
    }

    @Override
    public String getState() {
      return stats().state().name();
    }

    @Override
    public String getReason() {
      return stats().reason();
    }

    @Override
    public double getSingleReadShare() {
      DiskStats now = stats();
      return now.hits() == 0 ? 0 : now.singleReadHits() / (double) now.hits();
    }

    @Override
    public Map<String, Long> getNumbers() {
      DiskStats now = stats();
      Map<String, Long> numbers = new TreeMap<>();
      for (DiskNumber number : DiskNumber.values()) {
        numbers.put(number.key(), number.of(now));
      }
      return numbers;
    }

    @Override
    public Map<String, String> getTexts() {
      Map<String, String> texts = new TreeMap<>();
      for (DiskNumber number : DiskNumber.values()) {
        texts.put(number.key(), number.text());
      }
      return texts;
    }
  }

  private record Control(Operations operations) implements ControlMXBean {
    @Override
    public boolean isReady() {
      return operations.ready();
    }

    @Override
    public String getNotReadyReason() {
      return operations.notReadyReason();
    }

    @Override
    public int purge(String url) {
      return purged(PurgeForm.url(url, false)).count();
    }

    @Override
    public String softPurge(String url) {
      return purged(PurgeForm.url(url, true)).text();
    }

    @Override
    public String purgeKeys(String keys, boolean soft) {
      return purged(PurgeForm.keys(List.of(keys), soft)).text();
    }

    @Override
    public String purgeGroups(String origin, String groups, boolean soft) {
      return purged(PurgeForm.groups(origin, CacheGroups.names(groups), soft)).text();
    }

    @Override
    public String purgePattern(String host, String regex) {
      return purged(PurgeForm.pattern(host, regex, false)).text();
    }

    @Override
    public String softPurgePattern(String host, String regex) {
      return purged(PurgeForm.pattern(host, regex, true)).text();
    }

    private Purged purged(PurgeForm form) {
      Purged purged = asked(form);
      audit(
          "purge " + loggable(form.text()),
          purged == null ? "not confirmed in time" : purged.outcome() + ", " + purged.text());
      return checked(purged);
    }

    /** Without a query and characters that could begin another log line. */
    private static String loggable(String text) {
      return visible(text.replaceAll("[?].*", "?"));
    }

    private @Nullable Purged asked(PurgeForm form) {
      Purged purged = null;
      try {
        purged = operations.purge(form.what()).get(PURGE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException e) {
        LOG.warn(
            "purge of {} by JMX failed; next: report this defect, with the trace", form.text(), e);
      }
      return purged;
    }

    private static Purged checked(@Nullable Purged purged) {
      if (purged != null && purged.outcome() == Purged.Outcome.REFUSED) {
        throw new IllegalStateException("nothing was purged: too many purges are pending");
      }
      if (purged != null && purged.outcome() == Purged.Outcome.LEFT) {
        throw new IllegalStateException(
            "this process is ending, and other nodes may not know of the purge: purge again");
      }
      if (purged == null || purged.outcome() != Purged.Outcome.DONE) {
        throw new IllegalStateException(
            "no longer served, but a disk did not confirm the purge: the responses may return after"
                + " a restart; purge again");
      }
      return purged;
    }

    @Override
    public String explain(String url, @Nullable String fieldLines) {
      return explain(url, null, fieldLines, null, null, null);
    }

    @Override
    public String explain(
        String url,
        @Nullable String method,
        @Nullable String fieldLines,
        @Nullable String client,
        @Nullable String port,
        @Nullable String content) {
      List<String> lines =
          fieldLines == null ? List.of() : fieldLines.lines().filter(l -> !l.isBlank()).toList();
      String verb = given(method);
      Question question =
          new Question(
              url,
              verb == null ? "GET" : verb,
              lines,
              content == null ? "" : content,
              given(client),
              given(port));
      try {
        return ExplainText.of(operations.explain(question).get(EXPLAIN_SECONDS, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException("too busy to explain; try again", e);
      }
    }

    /** Consoles send the empty string for a field that is left empty. */
    private static @Nullable String given(@Nullable String text) {
      return text == null || text.isBlank() ? null : text.strip();
    }

    @Override
    public String resizeCacheMemory(long bytes) {
      String what = "cache_mem " + bytes + " bytes";
      try {
        String done = operations.resizeCacheMemory(bytes);
        audit(what, done);
        return done;
      } catch (IllegalArgumentException refused) {
        audit(what, "refused");
        throw refused;
      }
    }

    @Override
    public String reload() {
      Reloaded reloaded = null;
      try {
        reloaded = operations.reload().get(RELOAD_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException e) {
        LOG.warn("reload by JMX failed; next: report this defect, with the trace", e);
      }
      audit("reload", reloaded == null ? "not known" : reloaded.done() ? "done" : "failed");
      if (reloaded == null || !reloaded.done()) {
        throw new IllegalStateException(
            reloaded == null ? "the result is unknown; see the log" : reloaded.text());
      }
      return reloaded.text();
    }

    @Override
    public void rotateLogs() {
      operations.rotateLogs();
      audit("rotate", "done");
    }

    @Override
    public void drain() {
      operations.drain();
      audit("drain", "begun");
    }
  }
}

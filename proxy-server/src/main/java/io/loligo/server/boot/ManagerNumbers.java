package io.loligo.server.boot;

import io.loligo.core.config.ValueInForce;
import io.loligo.server.history.History;
import io.loligo.server.manager.LoopFacts;
import io.loligo.server.manager.ManagerDirectives;
import io.loligo.server.manager.ManagerFacts;
import io.loligo.server.manager.ManagerPasswords;
import io.loligo.server.manager.ParentFacts;
import io.loligo.server.manager.ProcessFacts;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.time.TimeSource;
import io.loligo.server.traffic.Traffic;
import io.loligo.server.traffic.TrafficTables;
import io.loligo.store.StoreStats;
import io.loligo.store.StoredObject;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskStats;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gathers the numbers of manager pages. Thread-safe: any thread but event loops. */
final class ManagerNumbers implements ManagerFacts {
  private static final int MOST_OBJECTS = 1_000;

  /** A loop that takes longer is stuck. */
  private static final long LOOP_SECONDS = 5;

  private final TimeSource time;
  private final ManagedProcess process;
  private final ProxyMetrics metrics;
  private final TieredStore store;
  private final HistoryKeeping history;
  private final Peers peers;
  private final InForce inForce;
  private final Supplier<Loops> loops;
  private final TrafficTables tables;

  /**
   * Numbers of these parts.
   *
   * @param loops made later
   */
  ManagerNumbers(
      TimeSource time,
      ManagedProcess process,
      ProxyMetrics metrics,
      TieredStore store,
      HistoryKeeping history,
      Peers peers,
      InForce inForce,
      TrafficTables tables,
      Supplier<Loops> loops) {
    this.time = time;
    this.process = process;
    this.metrics = metrics;
    this.store = store;
    this.history = history;
    this.peers = peers;
    this.inForce = inForce;
    this.loops = loops;
    this.tables = tables;
  }

  @Override
  public long nowMillis() {
    return time.millis();
  }

  @Override
  public ProxyMetrics metrics() {
    return metrics;
  }

  @Override
  public @Nullable History history() {
    return history.history();
  }

  @Override
  public StoreStats store() {
    return store.stats();
  }

  @Override
  public List<DiskStats> disks() {
    return store.diskStats();
  }

  @Override
  public List<StoredObject> objects() {
    return store.objects(MOST_OBJECTS);
  }

  @Override
  public List<LoopFacts> loops() {
    List<LoopFacts> facts = new ArrayList<>();
    for (CompletableFuture<LoopFacts> one : loops.get().facts(Watching.view(inForce.config()))) {
      facts.add(answer(one));
    }
    return facts;
  }

  @Override
  public Traffic traffic() {
    return answer(tables.snapshot());
  }

  private static <T> T answer(CompletableFuture<T> asked) {
    return asked.orTimeout(LOOP_SECONDS, TimeUnit.SECONDS).join();
  }

  @Override
  public String shownUrl(String url) {
    return Watching.view(inForce.config()).url(url);
  }

  @Override
  public List<ParentFacts> parents() {
    return peers.facts();
  }

  @Override
  public long icp(IcpCount count) {
    return peers.value(count);
  }

  @Override
  public long digestBytes() {
    return peers.digests().bytes();
  }

  @Override
  public List<ValueInForce> config() {
    return inForce.config().inForce();
  }

  @Override
  public ManagerPasswords passwords() {
    return inForce.config().get(ManagerDirectives.CACHEMGR_PASSWD);
  }

  @Override
  public ProcessFacts process() {
    return process.facts(disks().stream().map(disk -> Path.of(disk.path())).toList());
  }
}

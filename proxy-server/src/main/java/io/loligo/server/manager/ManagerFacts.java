package io.loligo.server.manager;

import io.loligo.core.config.ValueInForce;
import io.loligo.server.history.History;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.traffic.Traffic;
import io.loligo.store.StoreStats;
import io.loligo.store.StoredObject;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The facts that pages show, as they are when a page is made. Thread-safe: any thread. */
public interface ManagerFacts {
  /** Wall clock, in milliseconds since the epoch. */
  long nowMillis();

  /** The counters of all loops. */
  ProxyMetrics metrics();

  /** The history; null: the process keeps none. */
  @Nullable History history();

  /** The numbers of the memory tier. */
  StoreStats store();

  /** The numbers of each {@code cache_dir}. */
  List<DiskStats> disks();

  /** Responses in memory, a bounded number. */
  List<StoredObject> objects();

  /** The facts of each event loop. Blocks until all have answered. */
  List<LoopFacts> loops();

  /** The traffic of the last minutes. Blocks until all loops have answered. */
  Traffic traffic();

  /** {@code url} as logs show it. */
  String shownUrl(String url);

  /** The parents, in the order of their lines. */
  List<ParentFacts> parents();

  /** A count of messages by ICP since the start. */
  long icp(IcpCount count);

  /** Bytes of the digests of peers. */
  long digestBytes();

  /** Each value of the configuration, secrets replaced. */
  List<ValueInForce> config();

  /** Who gets which page. */
  ManagerPasswords passwords();

  /** The process. */
  ProcessFacts process();
}

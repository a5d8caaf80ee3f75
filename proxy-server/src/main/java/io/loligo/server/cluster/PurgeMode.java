package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.purges.FileJournal;
import io.loligo.cluster.purges.Invalidations;
import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.purges.PurgeJournal;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationLimits;
import io.loligo.cluster.purges.ReplicationState;
import io.loligo.cluster.purges.StoreTrust;
import io.loligo.cluster.share.AppliedPurges;
import io.loligo.core.caching.CacheKey;
import io.loligo.server.time.TimeSource;
import io.loligo.store.TieredStore;
import io.loligo.store.purge.OtherStores;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Reach;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges of this node go to the stores of all others, and theirs to the store of this node.
 * Thread-safe: any thread; nothing blocks. Its state is confined to the steps of the node.
 *
 * <p>The store {@linkplain TieredStore#doubt doubts} what it has while purges may be missing, as
 * {@link StoreTrust} decides.
 */
public final class PurgeMode implements OtherStores, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PurgeMode.class);

  /**
   * The client of an unsafe request waits so long for other nodes: longer than a round trip within
   * a site with a forced write, and short for a person. Nodes that take longer do it later.
   */
  private static final long UNSAFE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Name of the folder with purges, in that of the first {@code cache_dir}. */
  private static final String JOURNAL = "loligo.purges";

  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Steps steps;
  private final Group group;
  private final PurgedStore store;
  private final Replication replication;
  private final StoreTrust trust;
  private final AppliedPurges applied;

  private boolean warned;
  private long warnedNanos;
  private long notUnderstood;
  private volatile boolean closed;

  /** Null until the first second is over. */
  private volatile @Nullable ReplicationState state;

  /** The calls of this class to the store of this node; see {@link TieredStore}. */
  interface PurgedStore extends StoreTrust.Store {
    void alsoIn(OtherStores cluster);

    void take(Purge what, Consumer<Boolean> then);
  }

  private record WholeStore(TieredStore store, Supplier<EventExecutor> loops)
      implements PurgedStore {
    @Override
    public void alsoIn(OtherStores cluster) {
      store.alsoIn(cluster);
    }

    @Override
    public void take(Purge what, Consumer<Boolean> then) {
      store.take(what, loops.get(), then);
    }

    @Override
    public void doubt() {
      store.doubt();
    }

    @Override
    public void trust() {
      store.trust();
    }
  }

  /**
   * Reads what the journal kept, which may wait for a disk. From now on the store doubts.
   *
   * @param loops give an event loop for work that has to wait
   * @param folder where purges are kept for a restart, beside stored responses; null: nowhere
   * @throws IOException if it cannot be used; names the line
   */
  public PurgeMode(
      Cluster cluster, TieredStore store, Supplier<EventExecutor> loops, @Nullable Path folder)
      throws IOException {
    this(
        cluster.steps(),
        cluster.purges(),
        cluster.self(),
        new WholeStore(store, loops),
        journal(cluster, folder),
        cluster.time());
  }

  private static PurgeJournal journal(Cluster cluster, @Nullable Path folder) throws IOException {
    if (folder == null) {
      return Replication.memoryJournal();
    }
    Path place = folder.resolve(JOURNAL);
    try {
      Files.createDirectories(place);
    } catch (IOException e) {
      throw new IOException(cluster.line().source() + ": loligo_cluster: " + place + ": " + e, e);
    }
    return new FileJournal(place);
  }

  PurgeMode(
      Steps steps,
      Group group,
      Member self,
      PurgedStore store,
      PurgeJournal journal,
      TimeSource time) {
    this.steps = steps;
    this.group = group;
    this.store = store;
    trust = new StoreTrust(steps, time::nanos, time::millis, store);
    replication =
        new Replication(
            steps, group, self, trust.watch(new Here()), journal, ReplicationLimits.USUAL);
    applied = new AppliedPurges(replication::isCaughtUp);
    replication.report(applied);
  }

  /** From now on {@code told} is told each change of {@link #isTrusted}, on the steps. */
  void tellTrust(Consumer<Boolean> told) {
    trust.tell(told);
  }

  /** Removes the responses of {@code key} on this node. Then calls {@code then}, on any thread. */
  void removeHere(CacheKey key, Runnable then) {
    store.take(new Purge.Url(key, false), done -> then.run());
  }

  /** Begins. Before the group does. */
  public void start() {
    steps.execute(
        () -> {
          trust.start(replication);
          group.start(trust);
          tick();
        });
    store.alsoIn(this);
  }

  /** The purges that have taken effect here. Any thread. */
  public AppliedPurges applied() {
    return applied;
  }

  /** Whether the store serves what it has without doubt. Any thread. */
  public boolean isTrusted() {
    return trust.isTrusted();
  }

  /** Purges of this node. This and the following numbers are a second old at most. Any thread. */
  public long published() {
    ReplicationState known = state;
    return known == null ? 0 : known.published();
  }

  /** Purges of other nodes. */
  public long received() {
    ReplicationState known = state;
    return known == null ? 0 : known.received();
  }

  /** Times that everything had to be validated. */
  public long revalidations() {
    ReplicationState known = state;
    return known == null ? 0 : known.revalidations();
  }

  /** Known purges that this node has not carried out yet. */
  public long lag() {
    ReplicationState known = state;
    return known == null ? 0 : known.lag();
  }

  private void tick() {
    state = replication.state();
    if (!closed) {
      steps.schedule(this::tick, TICK_NANOS);
    }
  }

  // ---- a process that stood still

  @Override
  public void requestBegins(long nanos, long millis) {
    trust.requestBegins(nanos, millis);
  }

  // ---- to others

  @Override
  public void begins() {
    applied.publishing();
  }

  @Override
  public void refused() {
    applied.published();
  }

  @Override
  public void purge(Purge what, boolean confirmed, Consumer<@Nullable Reach> then) {
    publish(PurgeEntry.of(what), confirmed, then);
  }

  @Override
  public void invalidate(List<CacheKey> keys, long[] groups, boolean confirmed, Runnable then) {
    List<byte[]> entries = new ArrayList<>();
    keys.forEach(key -> entries.add(PurgeEntry.ofUrl(key, false)));
    entries.addAll(PurgeEntry.ofGroups(groups, false));
    Runnable once = new Once(then);
    if (!closed) {
      steps.execute(() -> steps.schedule(once, UNSAFE_NANOS));
    }
    publish(entries, confirmed, nodes -> once.run());
  }

  /** Runs once, on the steps. */
  private static final class Once implements Runnable {
    private @Nullable Runnable task;

    Once(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      Runnable left = task;
      task = null;
      if (left != null) {
        left.run();
      }
    }
  }

  private void publish(List<byte[]> entries, boolean confirmed, Consumer<@Nullable Reach> then) {
    if (closed) {
      applied.published();
      then.accept(null);
      return;
    }
    steps.execute(
        () -> {
          int last = entries.size() - 1;
          for (int i = 0; i < last; i++) {
            replication.publish(entries.get(i), confirmed, nodes -> {});
          }
          // acknowledgements are cumulative
          replication.publish(entries.get(last), confirmed, nodes -> then.accept(reach(nodes)));
          applied.published();
        });
  }

  /** Null: this node leaves, and has not heard that all carried it out. */
  private @Nullable Reach reach(Nodes nodes) {
    Reach reach = new Reach(nodes.acknowledged(), nodes.configured());
    if (closed && !reach.isWhole()) {
      return null;
    }
    if (!reach.isWhole() && (!warned || steps.nanos() - warnedNanos >= QUIET_NANOS)) {
      warned = true;
      warnedNanos = steps.nanos();
      LOG.warn(
          "a purge reached {}/{} nodes of the cluster: the others carry it out when they are back;"
              + " next: look at loligo cluster status",
          reach.acknowledged(),
          reach.configured());
    }
    return reach;
  }

  // ---- from others

  /** The store of this node. */
  private final class Here implements Invalidations {
    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      Purge what = PurgeEntry.read(entry);
      if (what == null) {
        notUnderstood();
        what = new Purge.Everything();
      }
      store.take(what, then);
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      store.take(new Purge.Everything(), then);
    }
  }

  private void notUnderstood() {
    if (notUnderstood++ == 0) {
      LOG.warn(
          "another node sends purges that this version does not know: for each of them everything"
              + " stored is validated before its next use; next: give all nodes the same version");
    }
  }

  /** Answers purges that wait for other nodes, and ends. Before the group does. */
  @Override
  public void close() {
    closed = true;
    trust.close();
    steps.execute(replication::close);
  }
}

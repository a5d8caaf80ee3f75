package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.FileJournal;
import io.loligo.cluster.purges.Invalidations;
import io.loligo.cluster.purges.Nodes;
import io.loligo.cluster.purges.PurgeJournal;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationLimits;
import io.loligo.cluster.purges.ReplicationState;
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
import java.util.TreeSet;
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
 * <p>The store {@linkplain TieredStore#doubt doubts} what it has while purges may be missing: from
 * the start until this node has caught up with the members that it found, or has found none for
 * {@value #ALONE_SECONDS} s, and again from the moment at which it sees a member that it has to
 * catch up with. So it does from the moment at which this node notices that it stood still, until
 * the members have said how far they are: they may have answered purges without it.
 */
public final class PurgeMode implements OtherStores, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PurgeMode.class);

  /**
   * Time without any other member after which a node that began serves what it has: longer than
   * nodes need to find each other on a machine that is busy. Two that begin together are two
   * clusters at first, and join within some 10 s. Doubt costs validations only.
   */
  private static final long ALONE_SECONDS = 30;

  private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(ALONE_SECONDS);

  /**
   * The client of an unsafe request waits so long for other nodes: longer than a round trip within
   * a site with a forced write, and short for a person. Nodes that take longer do it later.
   */
  private static final long UNSAFE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Name of the folder with purges, in that of the first {@code cache_dir}. */
  private static final String JOURNAL = "loligo.purges";

  private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Steps steps;
  private final Group group;
  private final PurgedStore store;
  private final Standstill standstill;
  private final Replication replication;
  private final AppliedPurges applied;

  /** Whether the store doubts; changed on the steps only. */
  private volatile boolean doubting;

  private Consumer<Boolean> toldTrust = trusted -> {};

  /** Whether this node began and has found no other one yet. */
  private boolean seeking = true;

  /** Whether it stood still among others, and no members have told it since what they have. */
  private boolean returning;

  /** Takes the end of {@link #returning} back. */
  private Runnable returned = () -> {};

  /** Whether an event loop has noticed that this node stood still, and {@link #stood} follows. */
  private volatile boolean noticed;

  private int others;

  private boolean looking;

  /** Purges of others given to the store, by their number, that have not ended there. */
  private final TreeSet<Long> pending = new TreeSet<>();

  private long begun;

  /** Number of the last purge that has to end before the store is trusted; -1: not known yet. */
  private long awaited = -1;

  private boolean warned;
  private long warnedNanos;
  private long notUnderstood;
  private volatile boolean closed;

  /** Null until the first second is over. */
  private volatile @Nullable ReplicationState state;

  /** What this class needs of the store of this node; see {@link TieredStore}. */
  interface PurgedStore {
    void alsoIn(OtherStores cluster);

    void take(Purge what, Consumer<Boolean> then);

    void doubt();

    void trust();
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
   * @param loops give an event loop for what has to wait
   * @param folder where purges are kept for a restart, beside what is stored; null: nowhere
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
    standstill = new Standstill(time);
    replication = new Replication(steps, group, self, new Here(), journal, ReplicationLimits.USUAL);
    applied = new AppliedPurges(replication::isCaughtUp);
    replication.report(applied);
    store.doubt();
    doubting = true;
  }

  /** From now on {@code told} is told each change of {@link #isTrusted}, on the steps. */
  void tellTrust(Consumer<Boolean> told) {
    toldTrust = told;
  }

  /** Begins. Before the group does. */
  public void start() {
    steps.execute(
        () -> {
          replication.start();
          group.start(new FromGroup());
          steps.schedule(this::alone, ALONE_NANOS);
          tick();
          beat();
        });
    store.alsoIn(this);
  }

  /** The purges that have taken effect here. Any thread. */
  public AppliedPurges applied() {
    return applied;
  }

  /** Whether the store serves what it has without doubt. Any thread. */
  public boolean isTrusted() {
    return !doubting;
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
    if (standstill.isNoticed(nanos, millis) && !noticed && !closed) {
      store.doubt();
      noticed = true;
      steps.execute(this::stood);
    }
  }

  private void beat() {
    look();
    standstill.beat();
    if (!closed) {
      steps.schedule(this::beat, Standstill.BEAT_NANOS);
    }
  }

  /** An event loop made the store doubt; perhaps after the steps had noticed it, too. */
  private void stood() {
    setDoubting(true);
    look();
    noticed = false;
  }

  /**
   * Asks all members what they have, if this node stood still. A node without others has missed no
   * more than it misses anyway.
   */
  private void noticeStandstill() {
    if (!standstill.isNoticed()) {
      return;
    }
    if (others > 0) {
      LOG.info("this node stood still: it validates what it has until the others have told theirs");
      store.doubt();
      setDoubting(true);
      returning = true;
      returned.run();
      returned = steps.schedule(this::back, ALONE_NANOS);
      replication.stoodStill();
    }
    standstill.beat();
  }

  private void back() {
    returning = false;
    look();
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
      if (closed) {
        return; // the event loops end
      }
      Purge what = PurgeEntry.read(entry);
      if (what == null) {
        notUnderstood();
        what = new Purge.Everything();
      }
      long number = ++begun;
      pending.add(number);
      store.take(
          what,
          confirmed -> {
            then.accept(confirmed);
            steps.execute(
                () -> {
                  pending.remove(number);
                  look();
                });
          });
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

  /** On the steps. */
  private final class FromGroup implements Group.Listener {
    @Override
    public void view(View view) {
      noticeStandstill();
      replication.view(view);
      others = view.members().size() - 1;
      if (others > 0) {
        seeking = false;
      }
      if (!replication.isCaughtUp()) {
        store.doubt(); // also what was stored since it doubted last
        setDoubting(true);
      }
      look();
    }

    @Override
    public void merged() {
      replication.merged();
    }

    @Override
    public void message(NodeRun from, byte[] message) {
      noticeStandstill();
      replication.message(from, message);
      look();
    }
  }

  private void alone() {
    seeking = false;
    look();
  }

  /** Doubts, or trusts again. */
  private void look() {
    noticeStandstill();
    returning &= others == 0 || !replication.isCaughtUp();
    boolean missing = seeking || returning || !replication.isCaughtUp();
    if (missing) {
      awaited = -1;
    } else if (awaited < 0) {
      awaited = begun;
    }
    // what came may still be on its way through the store
    missing |= doubting && !pending.isEmpty() && pending.first() <= awaited;
    if (missing && !doubting) {
      store.doubt();
    } else if (!missing && doubting) {
      store.trust();
    }
    setDoubting(missing);
    if (missing && !looking && !closed) { // work of the store ends it, too
      looking = true;
      steps.schedule(
          () -> {
            looking = false;
            look();
          },
          LOOK_NANOS);
    }
  }

  private void setDoubting(boolean now) {
    if (doubting != now) {
      doubting = now;
      toldTrust.accept(!now);
    }
  }

  /** Answers purges that wait for other nodes, and ends. Before the group does. */
  @Override
  public void close() {
    closed = true;
    steps.execute(replication::close);
  }
}

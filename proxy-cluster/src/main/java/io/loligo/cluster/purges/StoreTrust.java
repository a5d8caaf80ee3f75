package io.loligo.cluster.purges;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the store of this node serves its responses without a validation. Confined to the steps,
 * except for {@link #isTrusted} and {@link #requestBegins}.
 *
 * <p>The store doubts its responses while purges may be missing: from the start until this node has
 * caught up with the members that it found, or has found none for {@value #ALONE_SECONDS} s, and
 * again from the moment at which it sees a member that it has to catch up with. So it does from the
 * moment at which this node notices that it stood still, until the members have said how far they
 * are: they may have answered purges without it.
 */
public final class StoreTrust implements Group.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(StoreTrust.class);

  /**
   * Time without any other member after which a node that began serves what it has: longer than
   * nodes need to find each other on a machine that is busy. Two that begin together are two
   * clusters at first, and join within some 10 s. Doubt costs validations only.
   */
  private static final long ALONE_SECONDS = 30;

  private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(ALONE_SECONDS);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** What this class tells the store. Any thread may call it. */
  public interface Store {
    /** From now on each response that is stored by now is validated before its next use. */
    void doubt();

    /** No longer. */
    void trust();
  }

  private final Steps steps;
  private final Store store;
  private final Standstill standstill;
  private @Nullable Replication replication;

  /** Whether the store doubts; changed on the steps only. */
  private volatile boolean doubting = true;

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

  private volatile boolean closed;

  /**
   * From now on the store doubts.
   *
   * @param nanos monotonic clock; any thread
   * @param millis since the epoch; any thread
   */
  public StoreTrust(Steps steps, LongSupplier nanos, LongSupplier millis, Store store) {
    this.steps = steps;
    this.store = store;
    standstill = new Standstill(nanos, millis);
    store.doubt();
  }

  /** {@code store}, with its work seen by this. For the {@link Replication} of {@link #start}. */
  public Invalidations watch(Invalidations store) {
    return new Watched(store);
  }

  /** From now on {@code told} is told each change of {@link #isTrusted}, on the steps. */
  public void tell(Consumer<Boolean> told) {
    toldTrust = told;
  }

  /**
   * Begins, and the replication too. {@link #view}, {@link #message} and {@link #merged} follow,
   * which pass them on.
   */
  public void start(Replication with) {
    replication = with;
    with.start();
    steps.schedule(this::alone, ALONE_NANOS);
    beat();
  }

  /** Whether the store serves what it has without doubt. Any thread. */
  public boolean isTrusted() {
    return !doubting;
  }

  /** No more. The replication is closed elsewhere. */
  public void close() {
    closed = true;
  }

  /**
   * A request begins: it may be the first to run after a standstill. Any thread.
   *
   * @param nanos monotonic clock
   * @param millis since the epoch
   */
  public void requestBegins(long nanos, long millis) {
    if (standstill.isNoticed(nanos, millis) && !noticed && !closed) {
      store.doubt();
      noticed = true;
      steps.execute(this::stood);
    }
  }

  private Replication replication() {
    Replication started = replication;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
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
      replication().stoodStill();
    }
    standstill.beat();
  }

  private void back() {
    returning = false;
    look();
  }

  @Override
  public void view(View view) {
    noticeStandstill();
    replication().view(view);
    others = view.members().size() - 1;
    if (others > 0) {
      seeking = false;
    }
    if (!replication().isCaughtUp()) {
      store.doubt(); // of responses stored since the last doubt, too
      setDoubting(true);
    }
    look();
  }

  @Override
  public void merged() {
    replication().merged();
  }

  @Override
  public void message(NodeRun from, byte[] message) {
    noticeStandstill();
    replication().message(from, message);
    look();
  }

  private void alone() {
    seeking = false;
    look();
  }

  /** Doubts, or trusts again. */
  private void look() {
    noticeStandstill();
    returning &= others == 0 || !replication().isCaughtUp();
    boolean missing = seeking || returning || !replication().isCaughtUp();
    if (missing) {
      awaited = -1;
    } else if (awaited < 0) {
      awaited = begun;
    }
    // purges may still be on their way through the store, which may refuse them for a while
    missing |= doubting && !pending.isEmpty() && pending.first() <= awaited;
    missing |= doubting && replication().isRefused();
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

  /** Counts the purges that are on their way through the store. */
  private final class Watched implements Invalidations {
    private final Invalidations inner;

    Watched(Invalidations inner) {
      this.inner = inner;
    }

    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      if (closed) {
        return; // the event loops end
      }
      long number = ++begun;
      pending.add(number);
      inner.apply(
          entry,
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
      inner.revalidateAll(then);
    }
  }
}

package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Member;
import io.loligo.core.caching.CacheKey;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Upstream;
import java.util.Iterator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link AskingItself} of a node before it owns keys, and the removal of what that has stored,
 * both within a time. Confined to the steps.
 */
final class OwnRequests {
  /** The longest that a node waits for them: it has just begun, perhaps on a busy machine. */
  static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(OwnRequests.class);

  private final Steps steps;
  private final SharedRing shared;
  private final Member self;
  private final Consumer<Consumer<Upstream>> onALoop;
  private final BiConsumer<CacheKey, Runnable> removal;
  private final Runnable then;

  /** Written on the event loop. */
  private volatile @Nullable AskingItself asking;

  private Runnable noLimit = () -> {};

  /** Whether the requests have ended, or are waited for no longer. */
  private boolean asked;

  private boolean over;

  /**
   * Begins nothing yet.
   *
   * @param onALoop runs a task on an event loop, with its way to other nodes
   * @param removal removes what this node has under a key, then runs a task on any thread
   * @param then runs once, however they end
   */
  OwnRequests(
      Steps steps,
      SharedRing shared,
      Member self,
      Consumer<Consumer<Upstream>> onALoop,
      BiConsumer<CacheKey, Runnable> removal,
      Runnable then) {
    this.steps = steps;
    this.shared = shared;
    this.self = self;
    this.onALoop = onALoop;
    this.removal = removal;
    this.then = then;
  }

  /** Begins. */
  void begin() {
    noLimit = steps.schedule(this::late, LIMIT_NANOS);
    CachePeer port = LoopOwners.target(self, shared.tls());
    onALoop(
        upstream -> {
          AskingItself begun = new AskingItself(shared, port, upstream, this::ended);
          asking = begun;
          begun.begin();
        });
  }

  private void onALoop(Consumer<Upstream> task) {
    try {
      onALoop.accept(task);
    } catch (RejectedExecutionException stops) {
      over(); // the process ends
    }
  }

  private void late() {
    AskingItself running = asking;
    if (running != null) {
      onALoop(upstream -> running.cancel());
    }
    asked("not over in " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s");
    over();
  }

  /** On the event loop. */
  private void ended(@Nullable String why) {
    steps.execute(() -> asked(why));
  }

  /** {@code why} they failed; null: they did not. */
  private void asked(@Nullable String why) {
    if (asked) {
      return;
    }
    asked = true;
    shared.askedItself();
    if (why == null) {
      LOG.info("this node has asked itself at its port for nodes, and owns keys from now on");
    } else {
      LOG.warn(
          "this node could not ask itself at its port for nodes: {}; it owns keys all the same, and"
              + " the first requests of other nodes may be slow; next: ask that port from another"
              + " machine, and look at the CPU of this one",
          why);
    }
    removeNext(AskingItself.keys().iterator());
  }

  /** What they have stored goes before another node may ask. */
  private void removeNext(Iterator<CacheKey> stored) {
    if (stored.hasNext()) {
      removal.accept(stored.next(), () -> steps.execute(() -> removeNext(stored)));
    } else {
      over();
    }
  }

  private void over() {
    if (!over) {
      over = true;
      noLimit.run();
      then.run();
    }
  }
}

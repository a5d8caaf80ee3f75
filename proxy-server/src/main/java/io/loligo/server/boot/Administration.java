package io.loligo.server.boot;

import io.loligo.server.admin.Operations;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.store.Store;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.channel.EventLoopGroup;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The operations of an administrator. Thread-safe. */
final class Administration implements Operations {
  /** Concurrent explanations: each may read from disk. */
  private static final int MAX_EXPLAINING = 4;

  private static final long EXPLAIN_SECONDS = 10;

  private final Proxy proxy;
  private final Loops loops;
  private final EventLoopGroup group;
  private final Store store;
  private final LifeCycle life;
  private final CacheMemory memory;
  private final AtomicInteger explaining = new AtomicInteger();

  /** {@code group} are the threads of {@code loops}. */
  Administration(
      Proxy proxy,
      Loops loops,
      EventLoopGroup group,
      Store store,
      LifeCycle life,
      CacheMemory memory) {
    this.proxy = proxy;
    this.loops = loops;
    this.group = group;
    this.store = store;
    this.life = life;
    this.memory = memory;
  }

  @Override
  public CompletableFuture<Explanation> explain(Question question) {
    if (explaining.incrementAndGet() > MAX_EXPLAINING) {
      explaining.decrementAndGet();
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many explanations are pending"));
    }
    return loops
        .explain(question)
        .orTimeout(EXPLAIN_SECONDS, TimeUnit.SECONDS)
        .whenComplete((explanation, failure) -> explaining.decrementAndGet());
  }

  @Override
  public CompletableFuture<Purged> purge(Purge what) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    store.purge(what, group.next(), purged::complete);
    return purged;
  }

  @Override
  public List<Ban> bans() {
    return store.bans();
  }

  @Override
  public String resizeCacheMemory(long bytes) {
    return memory.resize(bytes);
  }

  @Override
  public void rotateLogs() {
    proxy.rotateLogs();
  }

  @Override
  public CompletableFuture<Reloaded> reload() {
    return proxy.reload();
  }

  @Override
  public void drain() {
    proxy.drain();
  }

  @Override
  public boolean ready() {
    return life.ready();
  }

  @Override
  public String notReadyReason() {
    return life.notReadyReason();
  }
}

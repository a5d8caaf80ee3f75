package io.loligo.server.wire;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.purge.OtherStores;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Reach;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Other nodes that all purges reach at once, or so far; null: this one has left. Thread-safe. */
final class FixedReach implements OtherStores {
  private final @Nullable Reach reach;

  /** What an unsafe request made invalid; it is answered when the test says so. */
  final LinkedBlockingQueue<Runnable> invalidations = new LinkedBlockingQueue<>();

  FixedReach(@Nullable Reach reach) {
    this.reach = reach;
  }

  @Override
  public void requestBegins(long nanos, long millis) {}

  @Override
  public void begins() {}

  @Override
  public void refused() {}

  @Override
  public void purge(Purge what, boolean confirmed, Consumer<@Nullable Reach> then) {
    then.accept(reach);
  }

  @Override
  public void invalidate(List<CacheKey> keys, long[] groups, boolean confirmed, Runnable then) {
    invalidations.add(then);
  }
}

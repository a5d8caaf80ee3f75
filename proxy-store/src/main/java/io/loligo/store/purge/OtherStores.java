package io.loligo.store.purge;

import io.loligo.core.caching.CacheKey;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The stores of the other nodes of a cluster. Thread-safe: any thread; nothing blocks. */
public interface OtherStores {
  /**
   * A request begins, which may look for a stored response. If purges of the others may have passed
   * this node by, because it stood still, the store {@linkplain io.loligo.store.TieredStore#doubt
   * doubts} when this returns. On the path of every hit.
   *
   * @param nanos of the monotonic clock, read when the request had come
   * @param millis since the epoch, likewise
   */
  void requestBegins(long nanos, long millis);

  /**
   * A purge or an invalidation is about to have an effect here. A call of {@link #purge}, {@link
   * #invalidate} or {@link #refused} ends that.
   */
  void begins();

  /** It was refused here, and goes nowhere. */
  void refused();

  /**
   * Carries out a purge there that was carried out here.
   *
   * @param confirmed whether no crash undoes it here
   * @param then told once, on any thread, how far it came; null: this process is no node any more,
   *     and not all others may know of the purge
   */
  void purge(Purge what, boolean confirmed, Consumer<@Nullable Reach> then);

  /**
   * The same for responses that an unsafe request made invalid, whose client waits.
   *
   * @param keys whose variants are invalid; not to be changed
   * @param groups see {@link io.loligo.core.caching.CacheGroups}; not to be changed
   * @param then told once, on any thread: when all did it, or soon after
   */
  void invalidate(List<CacheKey> keys, long[] groups, boolean confirmed, Runnable then);
}

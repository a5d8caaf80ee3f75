package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.VarySelection;
import org.jspecify.annotations.Nullable;

/**
 * A pending write, from before memory shows its content: a removal cancels it. Its announcer closes
 * it. Any thread may cancel it; the rest is confined to one thread at a time.
 */
public final class PendingWrite implements AutoCloseable {
  private final PendingChanges changes;
  private final CacheKey key;
  private final @Nullable VarySelection vary;
  private final boolean part;
  private final boolean announced;

  /** Whether the response that is stored may be found meanwhile. */
  private final boolean quiet;

  private volatile boolean cancelled;
  private boolean begun;

  /**
   * A write of a response with the selection {@code vary}.
   *
   * @param part whether it is a part of one
   * @param quiet whether the response that is stored may be found meanwhile
   * @param announced whether {@code changes} will know it; false: it is not to be done
   */
  PendingWrite(
      PendingChanges changes,
      CacheKey key,
      @Nullable VarySelection vary,
      boolean part,
      boolean quiet,
      boolean announced) {
    this.announced = announced;
    this.changes = changes;
    this.key = key;
    this.vary = vary;
    this.part = part;
    this.quiet = quiet;
  }

  CacheKey key() {
    return key;
  }

  boolean isAnnounced() {
    return announced;
  }

  boolean isPart() {
    return part;
  }

  /** Whether nothing is found under the key until its end. */
  boolean hides() {
    return !part && !quiet;
  }

  boolean isCancelled() {
    return cancelled;
  }

  void cancel() {
    cancelled = true;
  }

  void begin() {
    begun = true;
  }

  /** Whether the response of {@code newer} replaces that of this write. */
  boolean isReplacedBy(PendingWrite newer) {
    return this != newer && !newer.part && isReplaced(vary, newer.vary);
  }

  /**
   * Whether a response with the selection {@code newer} replaces one with {@code older}: on disk a
   * response that does not vary is for all requests.
   */
  static boolean isReplaced(@Nullable VarySelection older, @Nullable VarySelection newer) {
    return newer == null || newer.equals(older);
  }

  /** The write will not be done, unless it has begun. */
  @Override
  public void close() {
    if (!begun) {
      end();
    }
  }

  void end() {
    changes.ended(this);
  }
}

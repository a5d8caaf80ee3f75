package io.loligo;

import io.loligo.store.purge.Purged;
import io.loligo.store.purge.Purged.Outcome;

/** The outcome of a purge. Immutable. */
public final class PurgeResult {
  private final Purged purged;

  PurgeResult(Purged purged) {
    this.purged = purged;
  }

  /**
   * Whether the purge was done. False: too many purges were pending, and nothing has changed; or a
   * {@code cache_dir} could not record it, and a removed response may return after a crash.
   */
  public boolean isDone() {
    return purged.outcome() == Outcome.DONE;
  }

  /**
   * The approximate number of removed responses. Responses in a {@code cache_dir} that a pattern
   * removes are not counted.
   */
  public int count() {
    return purged.count();
  }

  /** The numbers of both tiers as text, for logs. */
  @Override
  public String toString() {
    return purged.outcome() + ", " + purged.text();
  }
}

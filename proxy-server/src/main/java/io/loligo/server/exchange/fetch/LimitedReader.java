package io.loligo.server.exchange.fetch;

import io.loligo.server.shaping.Allowance;
import org.jspecify.annotations.Nullable;

/** A reader of a fetch with a delay pool. Any thread. */
public interface LimitedReader {
  /** Whether its pool is chosen: it has the head. */
  boolean hasChosen();

  /** The buckets of its pool; null: it has no limit. */
  @Nullable Allowance limit();
}

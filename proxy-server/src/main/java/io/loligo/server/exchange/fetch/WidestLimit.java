package io.loligo.server.exchange.fetch;

import io.loligo.server.shaping.Allowance;
import io.loligo.server.time.LoopClock;
import io.loligo.store.inflight.InFlight;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a fetch: that of the reader who may have the most at present, so that nobody waits
 * for the pool of another client. Only that pool pays for the bytes. Confined to the fetch's event
 * loop.
 */
final class WidestLimit implements Consumer<InFlight.Reader> {
  private final LoopClock clock;
  private long nowNanos;
  private @Nullable Allowance before;
  private @Nullable Allowance widest;
  private long level;
  private boolean unlimited;

  WidestLimit(LoopClock clock) {
    this.clock = clock;
  }

  /** The limit at present; null: none, also if no reader has chosen a pool. */
  @Nullable Allowance of(InFlight inFlight) {
    nowNanos = clock.nanos();
    before = widest;
    widest = null;
    unlimited = false;
    inFlight.forEachReader(this);
    if (unlimited) {
      widest = null;
    }
    before = null;
    return widest;
  }

  @Override
  public void accept(InFlight.Reader reader) {
    if (!(reader instanceof LimitedReader limited) || !limited.hasChosen()) {
      return;
    }
    Allowance limit = limited.limit();
    if (limit == null) {
      unlimited = true;
      return;
    }
    long its = limit.level(nowNanos);
    if (widest == null || its > level || (its == level && limit == before)) {
      widest = limit;
      level = its;
    }
  }
}

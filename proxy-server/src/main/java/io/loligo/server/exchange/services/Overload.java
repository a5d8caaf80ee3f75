package io.loligo.server.exchange.services;

import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import org.jspecify.annotations.Nullable;

/** Decides whether an event loop is overloaded. Confined to that loop. */
public final class Overload {
  private final ConnectionCounters counters;
  private final LoopTimer timer;
  private final ExchangeSettings settings;

  Overload(ConnectionCounters counters, LoopTimer timer, ExchangeSettings settings) {
    this.counters = counters;
    this.timer = timer;
    this.settings = settings;
  }

  /**
   * The limit that the loop exceeds now; null if none. A loop over a limit accepts only requests
   * that memory can answer, so that accepted requests do not suffer.
   */
  public @Nullable Shed now() {
    if (counters.requestsInProgress() > settings.requestsPerLoop()) {
      return Shed.REQUESTS;
    }
    long lagMillis = settings.loopLagMillis;
    return lagMillis > 0 && timer.lagMillis() >= lagMillis ? Shed.LOOP_LAG : null;
  }
}

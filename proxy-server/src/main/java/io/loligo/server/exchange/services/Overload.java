package io.loligo.server.exchange.services;

import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.metrics.ConnectionCounters;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;

/** Tells whether an event loop has too much to do. Confined to it. */
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
   * The limit because of which the loop takes on no request that memory cannot answer, so that the
   * accepted ones do not suffer; null: it takes on all.
   */
  public Shed now() {
    if (counters.requestsInProgress() > settings.requestsPerLoop()) {
      return Shed.REQUESTS;
    }
    long lagMillis = settings.loopLagMillis;
    return lagMillis > 0 && timer.lagMillis() >= lagMillis ? Shed.LOOP_LAG : null;
  }
}

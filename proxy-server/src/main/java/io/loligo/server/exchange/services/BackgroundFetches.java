package io.loligo.server.exchange.services;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.trace.CausedTrace;
import org.jspecify.annotations.Nullable;

/**
 * Tells of fetches that no exchange accounts for at their end: those in the background, and those
 * that their client has left. Confined to the event loop.
 */
public final class BackgroundFetches {
  /** Takes fetches that have ended, on the event loop. */
  @FunctionalInterface
  public interface Sink {
    /**
     * A fetch has ended.
     *
     * @param record its facts, times and bytes; borrowed
     * @param trace its own; null: none
     */
    void ended(ExchangeRecord record, @Nullable CausedTrace trace);
  }

  private Sink sink = (record, trace) -> {};

  /** None is told yet. */
  BackgroundFetches() {}

  /** Tells {@code to} from now on. */
  public void use(Sink to) {
    sink = to;
  }

  /** Passes on a fetch that has ended. Borrows {@code record}. */
  public void ended(ExchangeRecord record, @Nullable CausedTrace trace) {
    sink.ended(record, trace);
  }
}

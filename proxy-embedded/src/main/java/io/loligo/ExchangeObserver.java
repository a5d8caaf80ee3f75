package io.loligo;

/**
 * Sees each finished exchange, after {@link Loligo#stats} has counted it. Called on the event loop
 * of the exchange, on several loops at the same time; it must not block. An exception is logged,
 * and has no other effect.
 */
@FunctionalInterface
public interface ExchangeObserver {
  /** An exchange has finished. */
  void finished(Exchange exchange);
}

package io.loligo.server.helper;

/** Ticks for time-outs. Thread-safe: any thread. */
@FunctionalInterface
public interface HelperTimer {
  /** Runs {@code task}, which does not block, once in {@code millis}, on any thread. */
  void after(long millis, Runnable task);
}

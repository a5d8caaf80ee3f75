package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The most important numbers of a running proxy, from a state as its admin port gives it.
 * Immutable.
 *
 * @param state the object of {@code /state}
 */
record Figures(JsonValue state) {
  /** One of the numbers that only grow. */
  @FunctionalInterface
  interface Counted {
    long of(Figures figures);
  }

  private static final String EXCHANGES = "exchanges.";
  private static final double MILLIS_IN_SECOND = 1_000;

  /** A counter since the start of the process. */
  long counter(String name) {
    return state.get("counters").get(name).whole();
  }

  long gauge(String name) {
    return state.get("gauges").get(name).whole();
  }

  /** Finished requests since the start. */
  long requests() {
    return state.get("classes").members().keySet().stream()
        .mapToLong(name -> counter(EXCHANGES + name))
        .sum();
  }

  /** Requests of each class since the start; only classes that had some. */
  Map<String, Long> requestsByClass() {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String name : state.get("classes").members().keySet()) {
      long count = counter(EXCHANGES + name);
      if (count > 0) {
        counts.put(name, count);
      }
    }
    return counts;
  }

  long hits() {
    return counter("hits");
  }

  /** Of all requests since the start; 0 without any. */
  double hitRatio() {
    return ratio((double) hits(), (double) requests());
  }

  /** Of all bytes sent to clients since the start. */
  double byteHitRatio() {
    return ratio((double) counter("client_hit_sent_bytes"), (double) counter("client_sent_bytes"));
  }

  /** The growth of a number since {@code before}, a second. */
  double rate(Figures before, Counted number) {
    double seconds =
        (state.get("time").number() - before.state.get("time").number()) / MILLIS_IN_SECOND;
    return seconds <= 0 ? 0 : (number.of(this) - number.of(before)) / seconds;
  }

  /** A part of the whole; 0 without a whole. */
  static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
  }
}

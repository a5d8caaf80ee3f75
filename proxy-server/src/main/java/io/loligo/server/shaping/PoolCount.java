package io.loligo.server.shaping;

import static io.loligo.server.counts.CountText.counter;
import static io.loligo.server.counts.CountText.gauge;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of one pool, each declared once. Immutable. */
public enum PoolCount implements Count {
  PASSED(counter("passed", "Bytes, or requests, that a pool let pass.")),
  WAITS(counter("waits", "Times that bytes had to wait for a pool, or requests that it refused.")),
  WAITING(gauge("waiting", "Streams whose bytes wait for a pool now."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  PoolCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}

package io.loligo.server.shaping;

import static io.loligo.server.counts.CountText.gauge;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** What the buckets of one pool hold, each number declared once. Immutable. */
public enum PoolLevel implements Count {
  LEVEL(
      gauge(
          "level",
          "Bytes in the bucket for all of a pool; below 0: bytes that passed before their time.")),
  MAXIMUM(gauge("maximum", "The most bytes that the bucket for all of a pool holds.")),
  BUCKETS(gauge("buckets", "Buckets of addresses, networks, users, tags or fields in use.")),
  LOWEST(gauge("lowest_level", "Bytes, or requests, in the emptiest of the buckets in use."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  PoolLevel(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}

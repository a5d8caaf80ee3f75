package io.loligo.server.adapt;

import io.loligo.server.counts.Counts;
import io.loligo.server.counts.Tally;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one service, of all event loops. Thread-safe: any thread.
 *
 * <p>Those of one name are equal: counts are no part of the configuration.
 */
public final class ServiceCounts implements Counts<ServiceCount> {
  private final String name;
  private final Tally<ServiceCount> counts = new Tally<>(ServiceCount.class);

  /** Counts nothing yet; {@code name}: of the service. */
  public ServiceCounts(String name) {
    this.name = name;
  }

  /** The name of the service. */
  @Override
  public String name() {
    return name;
  }

  @Override
  public long value(ServiceCount count) {
    return counts.value(count);
  }

  void add(ServiceCount count, long more) {
    counts.add(count, more);
  }

  void increment(ServiceCount count) {
    add(count, 1);
  }

  void decrement(ServiceCount count) {
    add(count, -1);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ServiceCounts that && name.equals(that.name);
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }
}

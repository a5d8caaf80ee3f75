package io.loligo.server.adapt;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one service, of all event loops. Thread-safe: any thread.
 *
 * <p>Those of one name are equal: counts are no part of the configuration.
 */
public final class ServiceCounts {
  private final String name;
  private final LongAdder[] counts = new LongAdder[ServiceCount.values().length];

  /** Counts nothing yet; {@code name}: of the service. */
  public ServiceCounts(String name) {
    this.name = name;
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** The name of the service. */
  public String name() {
    return name;
  }

  /** The value of {@code count}. */
  public long value(ServiceCount count) {
    return counts[count.ordinal()].sum();
  }

  void add(ServiceCount count, long more) {
    counts[count.ordinal()].add(more);
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

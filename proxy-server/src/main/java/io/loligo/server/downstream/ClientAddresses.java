package io.loligo.server.downstream;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Open connections by client address, of all ports and loops. Thread-safe: any thread.
 *
 * <p>A connection asks the map when it opens and when it closes; in between it reads its {@link
 * Count}.
 */
public final class ClientAddresses {
  private final ConcurrentHashMap<InetAddress, Count> counts = new ConcurrentHashMap<>();

  /** Open connections of one address. Thread-safe. */
  public static final class Count {
    private final InetAddress address;
    private final AtomicInteger open = new AtomicInteger();

    private Count(InetAddress address) {
      this.address = address;
    }

    /** Connections open now. */
    public int open() {
      return open.get();
    }
  }

  /** Counts a connection of {@code address}; give the result to {@link #closed} once. */
  public Count opened(InetAddress address) {
    return counts.compute(
        address,
        (key, known) -> {
          Count count = known == null ? new Count(key) : known;
          count.open.incrementAndGet();
          return count;
        });
  }

  /** A connection counted by {@link #opened} is closed. */
  public void closed(Count count) {
    counts.computeIfPresent(
        count.address, (key, known) -> known.open.decrementAndGet() == 0 ? null : known);
  }

  /** Addresses with an open connection. */
  public int size() {
    return counts.size();
  }
}

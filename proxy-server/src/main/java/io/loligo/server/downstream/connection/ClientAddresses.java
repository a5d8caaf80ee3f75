package io.loligo.server.downstream.connection;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Open connections and requests in progress by client address, of all ports and loops. As many
 * addresses as have connections are kept. Thread-safe: any thread.
 *
 * <p>A connection asks the map when it opens and when it closes; in between it reads its {@link
 * Count}.
 */
public final class ClientAddresses {
  private final ConcurrentHashMap<InetAddress, Count> counts = new ConcurrentHashMap<>();

  /** What one address has open. Thread-safe. */
  public static final class Count {
    private static final AtomicIntegerFieldUpdater<Count> OPEN =
        AtomicIntegerFieldUpdater.newUpdater(Count.class, "open");
    private static final AtomicIntegerFieldUpdater<Count> REQUESTS =
        AtomicIntegerFieldUpdater.newUpdater(Count.class, "requests");

    private final InetAddress address;
    private volatile int open;
    private volatile int requests;

    private Count(InetAddress address) {
      this.address = address;
    }

    /** Connections open now. */
    public int open() {
      return open;
    }

    /** Requests in progress now, as far as they are counted. */
    public int requests() {
      return requests;
    }

    /** Counts a request in progress, until {@link #end}; how many there are with it. */
    public int begin() {
      return REQUESTS.incrementAndGet(this);
    }

    /** A request counted by {@link #begin} is over. */
    public void end() {
      REQUESTS.decrementAndGet(this);
    }
  }

  /** Counts a connection of {@code address}; give the result to {@link #closed} once. */
  public Count opened(InetAddress address) {
    return counts.compute(
        address,
        (key, known) -> {
          Count count = known == null ? new Count(key) : known;
          Count.OPEN.incrementAndGet(count);
          return count;
        });
  }

  /** A connection counted by {@link #opened} is closed. */
  public void closed(Count count) {
    counts.computeIfPresent(
        count.address, (key, known) -> Count.OPEN.decrementAndGet(known) == 0 ? null : known);
  }

  /** Addresses with an open connection. */
  public int size() {
    return counts.size();
  }
}

package io.loligo.server.downstream.connection;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * Counts open connections and requests in progress by client address, for all ports and loops. It
 * keeps the addresses that have an open connection. Thread-safe: any thread.
 *
 * <p>A connection asks the map when it opens and when it closes. In between it reads its {@link
 * Count}.
 */
public final class ClientAddresses {
  private final ConcurrentHashMap<InetAddress, Count> counts = new ConcurrentHashMap<>();

  /** The connections and requests of one address. Thread-safe. */
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

    /** Requests in progress now. Requests are counted only if a limit is set. */
    public int requests() {
      return requests;
    }

    /** Counts a request until {@link #end}; returns the number with it. */
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

  /** Connections open now from {@code address}, 4 or 16 bytes. */
  public int open(byte[] address) {
    try {
      Count count = counts.get(InetAddress.getByAddress(address));
      return count == null ? 0 : count.open();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(address.length + " bytes (expected: 4 or 16)", e);
    }
  }

  /** Addresses with an open connection. */
  public int size() {
    return counts.size();
  }
}

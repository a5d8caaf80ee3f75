package io.loligo.store.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Direct memory of one owner, with a hard limit: octets are entered before they are allocated and
 * struck out when they are really free, not when somebody stopped wanting them. Called per block,
 * never per octet. Thread-safe: any thread.
 */
public final class MemoryLedger {
  private final AtomicLong used = new AtomicLong();
  private volatile long limit;

  /** An empty ledger that holds at most {@code limitBytes}. */
  public MemoryLedger(long limitBytes) {
    this.limit = limitBytes;
  }

  /** Enters {@code bytes} if they stay within the limit; whether they did. */
  public boolean tryReserve(long bytes) {
    return tryReserve(bytes, limit);
  }

  /** Enters {@code bytes} if all together stay within {@code ceiling}; whether they did. */
  boolean tryReserve(long bytes, long ceiling) {
    long before;
    do {
      before = used.get();
      if (before + bytes > ceiling) {
        return false;
      }
    } while (!used.compareAndSet(before, before + bytes));
    return true;
  }

  /** Enters {@code bytes} that exist already, whatever the limit. */
  public void force(long bytes) {
    used.addAndGet(bytes);
  }

  /** Strikes out {@code bytes} entered before. */
  public void release(long bytes) {
    long left = used.addAndGet(-bytes);
    assert left >= 0 : "ledger below zero: " + left;
  }

  /** Octets entered now. */
  public long used() {
    return used.get();
  }

  public long limit() {
    return limit;
  }

  /** Changes the limit; what is entered already stays. */
  public void limit(long limitBytes) {
    limit = limitBytes;
  }
}

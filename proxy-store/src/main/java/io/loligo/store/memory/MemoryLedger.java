package io.loligo.store.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Direct memory of one owner, with a hard limit: octets are entered before they are allocated and
 * struck out when they are really free, not when somebody stopped wanting them. Called per block,
 * never per octet. Thread-safe: any thread.
 */
public final class MemoryLedger {
  /** One part in so many cannot be grown into: it is for what begins. */
  private static final int BEGIN_SHARE = 8;

  /** Memory is scarce from where one part in so many is left. */
  private static final int SCARCE_SHARE = 4;

  private static final int SCARCE_READ_BYTES = 4_096;
  private static final int LEAST_READ_BYTES = 512;

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

  /** The same for who has begun and can do with less: the last part is kept from it. */
  boolean tryGrow(long bytes) {
    return tryReserve(bytes, limit - limit / BEGIN_SHARE);
  }

  /** Whether who can do with less should take less. */
  public boolean isScarce() {
    return used.get() > limit - limit / SCARCE_SHARE;
  }

  /**
   * How much may be read at once by who would read {@code wanted} octets, and enters them only then
   * ({@link #force}): little where memory is scarce, next to nothing where there is none.
   */
  public int readable(int wanted) {
    long held = used.get();
    if (held <= limit - limit / SCARCE_SHARE) {
      return wanted;
    }
    return Math.min(wanted, held < limit ? SCARCE_READ_BYTES : LEAST_READ_BYTES);
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

  /**
   * Enters {@code bytes} of {@code holder} here that are in another ledger, if there is room;
   * whether they are here now. Where several threads move them at once, one does; each of the
   * others gives back the room that it took here.
   *
   * @param owner the field that names the ledger in which they are
   */
  <T> boolean takeOver(T holder, AtomicReferenceFieldUpdater<T, MemoryLedger> owner, long bytes) {
    MemoryLedger from = owner.get(holder);
    while (from != this) {
      if (!tryReserve(bytes)) {
        return owner.get(holder) == this;
      }
      if (owner.compareAndSet(holder, from, this)) {
        from.release(bytes);
        return true;
      }
      release(bytes);
      from = owner.get(holder);
    }
    return true;
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

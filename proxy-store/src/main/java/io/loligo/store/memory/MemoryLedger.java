package io.loligo.store.memory;

import io.loligo.store.stripes.Stripes;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * Direct memory of one owner, with a hard limit: bytes are entered before they are allocated and
 * struck out when they are freed, not when a user stops needing them. Called per block, never per
 * byte. Thread-safe: any thread.
 *
 * <p>Threads have <b>leases</b>: bytes that are taken from the limit and not entered yet. A thread
 * enters bytes from its own lease and strikes them out into it, and so writes a cache line that no
 * other thread writes; a thread without a lease takes the next one from the shared rest. The limit
 * holds exactly, because leases count as taken. No caller is refused while there is room: a thread
 * that finds no rest calls all leases in and tries again. {@link #used} leaves leases out.
 *
 * <p>Frequent questions about scarcity are answered by the taken bytes, leases included: at most
 * one part in {@value #LEASES_SHARE} of the limit early.
 */
public final class MemoryLedger {
  /** All leases together are at most this fraction of the limit, as a divisor. */
  static final int LEASES_SHARE = 64;

  private static final int MAX_LEASE_BYTES = 64 << 10;
  private static final int MIN_LEASE_BYTES = 4 << 10;

  /** Leases of struck-out bytes that a thread keeps. */
  private static final int KEPT_LEASES = 2;

  /** Growth must leave this fraction free for new users, as a divisor. */
  private static final int BEGIN_SHARE = 8;

  /** Memory is scarce if less than this fraction is left, as a divisor. */
  private static final int SCARCE_SHARE = 4;

  /** This fraction is kept for users that have begun, as a divisor. */
  private static final int RESERVED_SHARE = 16;

  /** Number of attempts before a refusal while others put leases back. */
  private static final int MAX_LOOKS = 8;

  private static final int SCARCE_READ_BYTES = 4_096;
  private static final int LEAST_READ_BYTES = 512;

  // the shares of the limit that are taken: more than half of it, more than what is not scarce, ...
  private static final int HALF = 1;
  private static final int SCARCE = 2;
  private static final int ENDING = 3;
  private static final int CROWDED = 4;
  private static final int NOTHING_LEFT = 5;

  /** Numbers in two cache lines, as processors fetch lines in pairs. */
  private static final int LINES = 16;

  private static final int TAKEN = LINES;

  private final Stripes stripes;
  private final MemoryShortage shortage;

  /** The taken bytes at {@link #TAKEN}, then the leases, each in cache lines of its own. */
  private final AtomicLongArray cells;

  private volatile long limit;
  private volatile long lease;
  private volatile int strain;

  /** A ledger that stands alone, with one number for all threads. */
  public MemoryLedger(long limitBytes) {
    this(limitBytes, Stripes.ONE);
  }

  /** The same, with a lease for each stripe. */
  public MemoryLedger(long limitBytes, Stripes stripes) {
    this(limitBytes, stripes, new MemoryShortage(System::nanoTime));
  }

  /**
   * An empty ledger that holds at most {@code limitBytes}, with a lease for each stripe.
   *
   * @param shortage of the process: counts and logs failed allocations of all its ledgers
   */
  public MemoryLedger(long limitBytes, Stripes stripes, MemoryShortage shortage) {
    this.stripes = stripes;
    this.shortage = shortage;
    this.cells = new AtomicLongArray((stripes.count() + 3) * LINES);
    limit(limitBytes);
  }

  /** Counts and logs allocations that failed although a ledger had room. */
  public MemoryShortage shortage() {
    return shortage;
  }

  /** Whose threads have leases here. */
  Stripes stripes() {
    return stripes;
  }

  private static int leaseOf(int stripe) {
    return TAKEN + (stripe + 1) * LINES;
  }

  /** Enters {@code bytes} if they stay within the limit; returns whether they did. */
  public boolean tryReserve(long bytes) {
    return tryReserve(stripes.own(), bytes);
  }

  boolean tryReserve(int stripe, long bytes) {
    return fromLease(stripe, bytes) || take(stripe, bytes, limit);
  }

  /** The same for a user that has begun and can do with less: the last part is kept from it. */
  boolean tryGrow(long bytes) {
    int stripe = stripes.own();
    return (strain < ENDING && fromLease(stripe, bytes))
        || take(stripe, bytes, limit - limit / BEGIN_SHARE);
  }

  /** Enters {@code bytes} if the total stays within {@code ceiling}; returns whether it did. */
  boolean tryReserveWithin(long bytes, long ceiling) {
    return take(stripes.own(), bytes, ceiling);
  }

  private boolean fromLease(int stripe, long bytes) {
    int at = leaseOf(stripe);
    long before = cells.get(at);
    while (before >= bytes) {
      if (cells.compareAndSet(at, before, before - bytes)) {
        return true;
      }
      before = cells.get(at);
    }
    return false;
  }

  /** Takes {@code bytes} from the shared rest, and a lease with them if there is room for it. */
  private boolean take(int stripe, long bytes, long ceiling) {
    int looks = 0;
    while (true) {
      long before = cells.get(TAKEN);
      if (before + bytes > ceiling) {
        boolean called = used() + bytes <= ceiling && callIn();
        // a lease that was put back meanwhile was in neither number
        if (!called && (cells.get(TAKEN) == before || ++looks == MAX_LOOKS)) {
          return false;
        }
        continue;
      }
      long more = bytes < lease && before + bytes + lease <= ceiling ? lease : 0;
      if (cells.compareAndSet(TAKEN, before, before + bytes + more)) {
        if (more > 0) {
          cells.addAndGet(leaseOf(stripe), more);
        }
        taken(before + bytes + more);
        return true;
      }
    }
  }

  /** Puts all leases back; returns whether there were any. */
  private boolean callIn() {
    boolean any = false;
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      int at = leaseOf(stripe);
      long bytes = cells.get(at) == 0 ? 0 : cells.getAndSet(at, 0);
      if (bytes != 0) {
        any = true;
        taken(cells.addAndGet(TAKEN, -bytes));
      }
    }
    return any;
  }

  /** Enters {@code bytes} that exist already, regardless of the limit. */
  public void force(long bytes) {
    int stripe = stripes.own();
    if (!fromLease(stripe, bytes) && !take(stripe, bytes, limit)) {
      taken(cells.addAndGet(TAKEN, bytes));
    }
  }

  /** Strikes out {@code bytes} entered before. */
  public void release(long bytes) {
    release(stripes.own(), bytes);
  }

  void release(int stripe, long bytes) {
    long most = KEPT_LEASES * lease;
    if (bytes > most || strain == NOTHING_LEFT) {
      putBack(bytes);
      return;
    }
    int at = leaseOf(stripe);
    long held = cells.addAndGet(at, bytes);
    if (held > most) {
      long surplus = held - most / 2;
      if (cells.compareAndSet(at, held, held - surplus)) {
        putBack(surplus);
      }
    }
  }

  private void putBack(long bytes) {
    long left = cells.addAndGet(TAKEN, -bytes);
    assert left >= 0 : "ledger below zero: " + left;
    taken(left);
  }

  /** The taken bytes have changed to {@code bytes}. The last caller checks once more. */
  private void taken(long bytes) {
    int level = level(bytes);
    while (level != strain) {
      strain = level;
      level = level(cells.get(TAKEN));
    }
  }

  private int level(long bytes) {
    long most = limit;
    if (bytes <= most / 2) {
      return 0;
    } else if (bytes <= most - most / SCARCE_SHARE) {
      return HALF;
    } else if (bytes <= most - most / BEGIN_SHARE) {
      return SCARCE;
    } else if (bytes <= most - most / RESERVED_SHARE) {
      return ENDING;
    }
    return bytes < most ? CROWDED : NOTHING_LEFT;
  }

  /** Whether more than half is taken. */
  boolean isHalfFull() {
    return strain >= HALF;
  }

  /** Whether a user that can do with less should take less. */
  public boolean isScarce() {
    return strain >= SCARCE;
  }

  /** Whether only the part that is kept for users that have begun is left. */
  public boolean isCrowded() {
    return strain >= CROWDED;
  }

  /** Whether more than {@code bytes} are taken. */
  boolean exceeds(long bytes) {
    return cells.get(TAKEN) > bytes;
  }

  /**
   * How much of {@code wanted} bytes may be read at once, by a reader that enters them only then
   * ({@link #force}): little if memory is scarce, next to nothing if there is none.
   */
  public int readable(int wanted) {
    int now = strain;
    if (now < SCARCE) {
      return wanted;
    }
    return Math.min(wanted, now < NOTHING_LEFT ? SCARCE_READ_BYTES : LEAST_READ_BYTES);
  }

  /**
   * Enters {@code bytes} of {@code holder} here that are in another ledger, if there is room;
   * returns whether they are here now. If several threads move them at once, one does; each of the
   * others gives back the room that it took here.
   *
   * @param owner the field that names their present ledger
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

  /** Bytes entered now. */
  public long used() {
    long bytes = cells.get(TAKEN);
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      bytes -= cells.get(leaseOf(stripe));
    }
    return bytes;
  }

  /** The same with leases: each change of it is a write to a line that all threads share. */
  long taken() {
    return cells.get(TAKEN);
  }

  public long limit() {
    return limit;
  }

  /** Changes the limit; entered bytes stay. */
  public void limit(long limitBytes) {
    limit = limitBytes;
    long each = limitBytes / LEASES_SHARE / KEPT_LEASES / stripes.count();
    lease = stripes.count() == 1 || each < MIN_LEASE_BYTES ? 0 : Math.min(each, MAX_LEASE_BYTES);
    taken(cells.get(TAKEN));
  }
}

package io.loligo.store.memory;

import io.loligo.store.map.WeighedMap;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the memory tier within its limit. A ledger counts the bytes of entries until they are
 * freed: an evicted entry counts while a client reads it. The map evicts after the fact, so its
 * limit is {@linkplain #headroom a little less}. An entry that does not fit at once stays in the
 * ledger of transit, where its blocks were filled, until maintenance has made room. If that ledger
 * is more than half full, the entry is refused. So direct memory stays within the sum of both
 * limits, whatever clients do.
 *
 * <p>The memory of evicted entries is subtracted from the limit of the map; otherwise slow readers
 * could stop all insertions.
 *
 * <p>A lower limit is reached in steps, one in each run of the maintenance, so that other tasks of
 * the maintenance come in between.
 *
 * <p>Thread-safe: any thread; the relief itself runs on the maintenance thread.
 */
final class HardLimit {
  private static final int HEADROOM_DIVISOR = 16;
  private static final long MAX_HEADROOM_BYTES = 4 << 20;

  /** A lower limit is reached in steps of this size, each some thousand entries at most. */
  static final long STEP_BYTES = 4 << 20;

  /** With many threads, leases of the ledger take at most half of the headroom. */
  private static final long HEADROOM_PER_STRIPE_BYTES = 256 << 10;

  private final MemoryLedger ledger;
  private final MemoryLedger transit;
  private final WeighedMap<Stored> map;
  private final LongSupplier pinnedBytes;
  private final Executor maintenance;
  private final Queue<Entry> overdrawn = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean relieving = new AtomicBoolean();
  private volatile long target;
  private volatile boolean shrunk;
  private volatile boolean closed;

  /**
   * @param ledger of the tier
   * @param transit ledger of content before it gets to the tier
   * @param pinnedBytes of entries that left the cache while somebody still reads them
   * @param maintenance runs one task at a time
   */
  HardLimit(
      MemoryLedger ledger,
      MemoryLedger transit,
      WeighedMap<Stored> map,
      LongSupplier pinnedBytes,
      Executor maintenance) {
    this.ledger = ledger;
    this.transit = transit;
    this.map = map;
    this.pinnedBytes = pinnedBytes;
    this.maintenance = maintenance;
    this.target = ledger.limit();
  }

  /** The limit of the map if {@code ledger} has a limit of {@code limitBytes}; in units. */
  static long weight(long limitBytes, MemoryLedger ledger) {
    return Math.max(0, limitBytes - headroom(limitBytes, ledger)) / MemoryTier.UNIT_BYTES;
  }

  /**
   * The part of {@code limitBytes} that the map must not use, so that it may evict a little late.
   */
  private static long headroom(long limitBytes, MemoryLedger ledger) {
    long most = Math.max(MAX_HEADROOM_BYTES, ledger.stripes().count() * HEADROOM_PER_STRIPE_BYTES);
    return Math.min(limitBytes / HEADROOM_DIVISOR, most);
  }

  /** The limit of the map if nothing is pinned; in units. */
  long weight() {
    return weight(ledger.limit(), ledger);
  }

  /** Whether a response of {@code bytes} could be kept at all. */
  boolean accepts(long bytes) {
    return (bytes + MemoryTier.HEAP_BYTES) / MemoryTier.UNIT_BYTES <= weight() && !closed;
  }

  /** The ledger in which {@code bytes} are entered now; null if neither has room. */
  @Nullable MemoryLedger owner(long bytes) {
    if (!accepts(bytes)) {
      return null;
    }
    if (ledger.tryReserve(bytes)) {
      return ledger;
    }
    return transit.tryReserveWithin(bytes, transit.limit() / 2) ? transit : null;
  }

  /** {@code entry}, borrowed, moves to the ledger of the tier once that has room. */
  void waitForRoom(Entry entry, MemoryLedger owner) {
    if (owner == transit && entry.tryRetain()) {
      overdrawn.add(entry);
    }
  }

  /** Requests maintenance, which changes the limit to {@code limitBytes}. */
  void change(long limitBytes) {
    target = limitBytes;
    shrunk = true;
    relieveIfNeeded();
  }

  /** The limit in bytes once all steps to it are taken. */
  long target() {
    return target;
  }

  boolean isClosed() {
    return closed;
  }

  /** Nothing is accepted any more; {@link #releaseOverdrawn} follows. */
  void close() {
    closed = true;
  }

  void releaseOverdrawn() {
    for (Entry entry = overdrawn.poll(); entry != null; entry = overdrawn.poll()) {
      entry.release();
    }
  }

  /**
   * Requests maintenance if entries still wait for room, or readers took some memory that they may
   * have given back: no other call does while nothing is stored.
   */
  void tick() {
    if (shrunk || !overdrawn.isEmpty()) {
      relieveIfNeeded();
    }
  }

  /** If readers pin some of the limit, they may have released it meanwhile. */
  void relieveIfShrunk() {
    if (shrunk) {
      relieveIfNeeded();
    }
  }

  void relieveIfNeeded() {
    boolean needed =
        shrunk
            || !overdrawn.isEmpty()
            || ledger.exceeds(ledger.limit() - headroom(ledger.limit(), ledger));
    if (needed
        && !relieving.get()
        && relieving.compareAndSet(false, true)
        && !execute(this::relieve)) {
      relieving.set(false);
    }
  }

  /** Maintenance thread: evicts, taking into account the memory that readers pin. */
  private void relieve() {
    relieving.set(false);
    if (closed) {
      releaseOverdrawn();
      return;
    }
    boolean arrived = step();
    long pinned = pinnedBytes.getAsLong();
    long limit = weight();
    long allowed = Math.max(0, limit - pinned / MemoryTier.UNIT_BYTES);
    shrunk = allowed < limit || !arrived;
    if (map.maximum() != allowed) {
      map.maximum(allowed);
    }
    map.evictAll();
    // after the removals that the clean-up queued on the same executor
    execute(this::balance);
    if (!arrived) {
      relieveIfNeeded();
    }
  }

  /** Maintenance thread: a step to the target. Returns whether it is reached. */
  private boolean step() {
    long wanted = target;
    long next = Math.max(wanted, ledger.limit() - STEP_BYTES);
    if (next != ledger.limit()) {
      ledger.limit(next);
    }
    return next == wanted;
  }

  /** Maintenance thread: enters waiting entries in the tier's ledger. */
  private void balance() {
    for (int left = overdrawn.size(); left > 0; left--) {
      Entry entry = overdrawn.poll();
      if (entry == null) {
        return;
      }
      if (entry.moveTo(ledger) || entry.isLastReference()) {
        entry.release();
      } else {
        overdrawn.add(entry);
      }
    }
  }

  private boolean execute(Runnable task) {
    try {
      maintenance.execute(task);
      return true;
    } catch (RejectedExecutionException closing) {
      return false;
    }
  }
}

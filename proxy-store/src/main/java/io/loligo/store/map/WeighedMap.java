package io.loligo.store.map;

import io.loligo.core.caching.HashedKey;
import io.loligo.store.lfu.FrequencyCounts;
import io.loligo.store.lfu.TinyLfu;
import io.loligo.store.stripes.Stripes;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A map with a limit of weight, which evicts by W-TinyLFU ({@link TinyLfu}). Its own data are
 * arrays of numbers, so a garbage collector finds nothing in it but one reference for each value,
 * and values that come and go in order have references beside each other. Thread-safe: any thread.
 *
 * <p>A look-up takes no lock. A change takes the monitor of one of {@value #STRIPES} stripes, and
 * then leaves a note for the policy. One lock guards the policy. A thread that gets this lock tells
 * the policy of the notes of all threads; one that does not get it goes on, so only {@link
 * #evictAll} and {@link #maximum(long)} wait for it. Its holder may take the monitor of a stripe,
 * never the other way round. One change evicts {@value #STEPS} values and takes {@value #NOTES}
 * notes at most, so that an event loop is not kept; {@code maintenance} does the rest.
 *
 * <p>Keys with equal hashes are equal for it.
 *
 * @param <V> values, each with the hash of its key
 */
public final class WeighedMap<V extends HashedKey> implements Iterable<V> {
  private static final int LOG2_STRIPES = 8;
  private static final int STRIPES = 1 << LOG2_STRIPES;

  /** Evictions, and moves between queues, with one change. */
  private static final int STEPS = 16;

  /** The same in one piece of maintenance. */
  private static final int MAINTENANCE_STEPS = 256;

  /** Notes that one holder of the lock works off. */
  private static final int NOTES = 128;

  /** How often a thread becomes that holder because of the notes of others. */
  private static final int MOST_TRIES = 4;

  /** Told of values that are in the map no more. Called by any thread; it must not use the map. */
  public interface Departures<V> {
    /**
     * A value was replaced, removed or evicted.
     *
     * @param evicted whether it was evicted for lack of room
     */
    void left(V value, boolean evicted);
  }

  private final ToIntFunction<V> weigher;
  private final Departures<V> departures;
  private final Executor maintenance;
  private final Slots<V> slots = new Slots<>();
  private final MapStripe[] stripes = new MapStripe[STRIPES];
  private final RecentRequests requests;
  private final ReentrantLock lock = new ReentrantLock();
  private final SlotQueues queues; // guarded by lock
  private final Queue<Integer> notes = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean requested = new AtomicBoolean();
  private volatile long maximum;

  /**
   * An empty map.
   *
   * @param threads whose requests are noted apart
   * @param maximum weight, from 0
   * @param weigher weight of a value, from 0; must stay the same
   * @param maintenance evicts what a change leaves
   */
  public WeighedMap(
      Stripes threads,
      long maximum,
      ToIntFunction<V> weigher,
      Departures<V> departures,
      Executor maintenance) {
    this.weigher = weigher;
    this.departures = departures;
    this.maintenance = maintenance;
    this.requests = new RecentRequests(threads);
    this.maximum = maximum;
    this.queues = new SlotQueues(maximum);
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new MapStripe(slots);
    }
  }

  private MapStripe stripe(long high) {
    return stripes[(int) (high >>> (Long.SIZE - LOG2_STRIPES))];
  }

  /** The value of {@code key}, or null. It counts as a request. No allocation. */
  public @Nullable V get(HashedKey key) {
    int slot = slot(key);
    if (slot == Slots.NONE) {
      return null;
    }
    V value = slots.value(slot);
    if (value == null || !isUnder(value, key)) {
      return peek(key); // it has just changed
    }
    if (RecentRequests.add(requests.own(), slot)) {
      workIfFree();
      workIfNoted();
    }
    return value;
  }

  /** The value of {@code key}, or null. It does not count as a request. */
  public @Nullable V peek(HashedKey key) {
    while (true) {
      int slot = slot(key);
      if (slot == Slots.NONE) {
        return null;
      }
      V value = slots.value(slot);
      if (value != null && isUnder(value, key)) {
        return value;
      }
    }
  }

  /**
   * Whether a value found without a lock is one of {@code key}. The hash of the slot does not tell:
   * the slot may have had another key only while the value was read.
   */
  private static boolean isUnder(HashedKey value, HashedKey key) {
    return value.high() == key.high() && value.low() == key.low();
  }

  private int slot(HashedKey key) {
    return stripe(key.high()).look(key.high(), key.low());
  }

  /**
   * Replaces the value of {@code key} by the result of {@code change}, in one step.
   *
   * @param change gets the value or null, and returns the new one, or null to remove it. It must
   *     not use the map.
   * @return the value now, or null
   */
  public @Nullable V compute(HashedKey key, UnaryOperator<@Nullable V> change) {
    MapStripe stripe = stripe(key.high());
    int slot;
    V before;
    V now;
    synchronized (stripe) {
      slot = stripe.find(key.high(), key.low());
      before = slot == Slots.NONE ? null : slots.value(slot);
      now = change.apply(before);
      if (now == before) {
        return now;
      }
      if (now != null && !isUnder(now, key)) {
        throw new IllegalArgumentException("a value under another key: " + now);
      }
      if (now == null) {
        stripe.remove(slot);
        slots.bury(slot);
      } else if (before == null) {
        slot = add(stripe, key, now);
      } else {
        slots.value(slot, now, weigher.applyAsInt(now));
      }
    }
    try {
      if (before != null) {
        departures.left(before, false);
      }
    } finally {
      changed(slot);
    }
    return now;
  }

  /** A slot for the first value of a key. A failure has changed nothing, and the value has left. */
  private int add(MapStripe stripe, HashedKey key, V value) {
    int slot = Slots.NONE;
    try {
      stripe.makeRoom();
      slot = slots.take(key.high(), key.low(), value, weigher.applyAsInt(value));
      stripe.add(slot);
      return slot;
    } finally {
      if (slot == Slots.NONE) {
        departures.left(value, false); // out of memory
      }
    }
  }

  /** The same if there is a value. */
  public @Nullable V computeIfPresent(HashedKey key, UnaryOperator<@Nullable V> change) {
    return compute(key, value -> value == null ? null : change.apply(value));
  }

  /** Removes the value of {@code key}, and returns it; null: there was none. */
  public @Nullable V remove(HashedKey key) {
    Object[] removed = new Object[1];
    compute(
        key,
        value -> {
          removed[0] = value;
          return null;
        });
    @SuppressWarnings("unchecked") // it is a value
    V value = (V) removed[0];
    return value;
  }

  /** All values; those that come or go meanwhile may be left out. */
  @Override
  public Iterator<V> iterator() {
    return new Iterator<>() {
      private int slot;
      private @Nullable V next = seek();

      private @Nullable V seek() {
        int end = slots.end();
        V found = null;
        while (found == null && slot < end) {
          found = slots.value(slot++);
        }
        return found;
      }

      @Override
      public boolean hasNext() {
        return next != null;
      }

      @Override
      public V next() {
        V now = next;
        if (now == null) {
          throw new NoSuchElementException();
        }
        next = seek();
        return now;
      }
    };
  }

  /** Slots that have a value, or had one a moment ago. */
  int usedSlots() {
    return slots.used();
  }

  /** Weight from which a value is evicted for a new one. */
  public long maximum() {
    return maximum;
  }

  /** Changes the limit. {@link #evictAll} evicts the excess. May wait for an eviction. */
  public void maximum(long weight) {
    lock.lock();
    try {
      maximum = weight;
      queues.maximum(weight);
    } finally {
      lock.unlock();
    }
    workIfNoted();
  }

  /** Evicts the excess. Not on an event loop: it takes some time if the limit has become lower. */
  public void evictAll() {
    boolean more = true;
    while (more) {
      lock.lock();
      try {
        queues.takesLong = true;
        boolean noted = workOff(MAINTENANCE_STEPS);
        queues.growIfDue();
        more = queues.evict(MAINTENANCE_STEPS) || noted;
        queues.climb(MAINTENANCE_STEPS);
      } finally {
        queues.takesLong = false;
        lock.unlock();
      }
    }
    workIfNoted();
  }

  /** A slot has another value, none, or its first. */
  private void changed(int slot) {
    notes.add(slot);
    workIfNoted();
  }

  /** If there is a note, the last holder of the lock may have missed it. */
  private void workIfNoted() {
    for (int tries = 0; !notes.isEmpty(); tries++) {
      if (tries == MOST_TRIES) {
        requestMaintenance();
        return;
      }
      if (!workIfFree()) {
        return; // its holder looks afterwards
      }
    }
  }

  /**
   * Tells the policy of requests and notes, and evicts, unless another thread has the lock. Returns
   * whether it did. {@link #workIfNoted} has to follow: a thread may have left a note meanwhile.
   */
  private boolean workIfFree() {
    if (!lock.tryLock()) {
      return false;
    }
    boolean more;
    try {
      requestOwn();
      workOff(NOTES);
      more = queues.evict(STEPS) || queues.isGrowthDue();
      queues.climb(STEPS);
    } finally {
      lock.unlock();
    }
    if (more) {
      requestMaintenance();
    }
    return true;
  }

  private void requestOwn() {
    int[] own = requests.own();
    int count = Math.min(own[0], RecentRequests.MOST);
    for (int i = 1; i <= count; i++) {
      queues.requested(own[i]);
    }
    own[0] = 0;
  }

  /** Returns whether there may be more notes. */
  private boolean workOff(int most) {
    for (int left = most; left > 0; left--) {
      Integer slot = notes.poll();
      if (slot == null) {
        return false;
      }
      queues.changed(slot);
    }
    return true;
  }

  private void requestMaintenance() {
    if (!requested.get() && requested.compareAndSet(false, true)) {
      try {
        maintenance.execute(
            () -> {
              requested.set(false);
              evictAll();
            });
      } catch (RejectedExecutionException closing) {
        requested.set(false);
      }
    }
  }

  /** The queues of the slots. What they do happens under the lock. */
  private final class SlotQueues extends TinyLfu {
    private boolean takesLong;

    SlotQueues(long maximum) {
      super(maximum, FrequencyCounts.growing());
    }

    /** Brings the queues in line with the state of a slot. */
    void changed(int slot) {
      byte state = slots.state(slot);
      if (state == Slots.FREE) {
        return; // another note came first
      }
      boolean queued = slots.queue(slot) != OUT;
      if (state == Slots.LIVE) {
        int before = slots.known(slot);
        slots.known(slot, slots.weight(slot));
        if (queued) {
          reweigh(slot, before);
        } else {
          add(slot);
        }
        return;
      }
      if (queued) {
        remove(slot);
      }
      slots.free(slot);
    }

    void requested(int slot) {
      if (slots.queue(slot) != OUT) {
        request(slot);
      }
    }

    @Override
    protected boolean mayTakeLong() {
      return takesLong;
    }

    @Override
    protected void evicted(int slot) {
      MapStripe stripe = stripe(slots.high(slot));
      V value;
      synchronized (stripe) {
        value = slots.value(slot);
        if (value != null) {
          stripe.remove(slot);
          slots.bury(slot);
        }
      }
      slots.free(slot);
      if (value != null) {
        departures.left(value, true);
      }
    }

    @Override
    protected int id(int slot) {
      long high = slots.high(slot);
      return (int) (high ^ (high >>> Integer.SIZE));
    }

    @Override
    protected int weight(int slot) {
      return slots.known(slot);
    }

    @Override
    protected int older(int slot) {
      return slots.older(slot);
    }

    @Override
    protected void older(int slot, int other) {
      slots.older(slot, other);
    }

    @Override
    protected int younger(int slot) {
      return slots.younger(slot);
    }

    @Override
    protected void younger(int slot, int other) {
      slots.younger(slot, other);
    }

    @Override
    protected int queue(int slot) {
      return slots.queue(slot);
    }

    @Override
    protected void queue(int slot, int queue) {
      slots.queue(slot, queue);
    }
  }
}

package io.loligo.server.sim;

import io.netty.util.concurrent.Ticker;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Time, chance and order of one simulation: everything happens in one thread, one task at a time,
 * and the next of all possible steps is drawn from the seed. Same seed, same run.
 */
final class World implements Ticker {
  /** How often one task may be overtaken inside of another. */
  private static final int MAX_DEPTH = 3;

  /** Wall clock at the start, milliseconds. */
  static final long EPOCH_MILLIS = 1_900_000_000_000L;

  /** More is a circle. */
  private static final int MAX_STEPS = 300_000;

  private final long seed;
  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<SimLoop> loops = new ArrayList<>();
  private final List<String> trace;

  /** The lead of the proxy's wall clock, milliseconds, from which nanosecond on. */
  private final TreeMap<Long, Long> clock = new TreeMap<>(Map.of(0L, 0L));

  private SimLoop running;
  private int depth;
  private Throwable failure;
  private long nanos;
  private long sequence;
  private long steps;
  private long digest = 1125899906842597L;

  /** Something that happens outside of the proxy. */
  private record Event(long nanos, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /**
   * A world at its beginning.
   *
   * @param tracing whether events are recorded
   */
  World(long seed, boolean tracing) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    determine(seed);
    this.trace = tracing ? new ArrayList<>() : null;
  }

  /** The only random choice of Caffeine: the victim among entries that are in much demand. */
  private static void determine(long seed) {
    try {
      Field field = Thread.class.getDeclaredField("threadLocalRandomSeed");
      field.setAccessible(true);
      ThreadLocalRandom.current();
      field.setLong(Thread.currentThread(), seed);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("of Thread", e);
    }
  }

  long seed() {
    return seed;
  }

  /** One more event loop of the proxy. */
  SimLoop addLoop(String name) {
    SimLoop loop = new SimLoop(this, name);
    loops.add(loop);
    return loop;
  }

  /** The end of a loop. */
  void remove(SimLoop loop) {
    loops.remove(loop);
  }

  /** The loop whose task runs now; null: none. */
  SimLoop running() {
    return running;
  }

  // ---- chance

  /** A number in [0, bound). */
  int draw(int bound) {
    return random.nextInt(bound);
  }

  /** Whether something happens that happens {@code percent} times of a hundred. */
  boolean chance(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  /** One of {@code all}. */
  <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  // ---- time

  @Override
  public long initialNanoTime() {
    return 0;
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public void sleep(long delay, TimeUnit unit) {
    throw new UnsupportedOperationException("nobody sleeps here");
  }

  /** Milliseconds since the start. */
  long millis() {
    return nanos / 1_000_000;
  }

  /** The proxy's wall clock, milliseconds since the epoch. */
  long wallMillis() {
    return originMillis() + clock.lastEntry().getValue();
  }

  /** The wall clock of all others, which is never set. */
  long originMillis() {
    return EPOCH_MILLIS + millis();
  }

  /** Sets the proxy's wall clock; code that waits for a time to pass does not notice. */
  void stepClock(long byMillis) {
    clock.merge(nanos, clock.lastEntry().getValue() + byMillis, (before, now) -> now);
    note("the clock is set by %d ms", byMillis);
  }

  /**
   * How much less than the true one an age, of {@code then} until now, can be by the proxy's clock,
   * milliseconds, where it is reckoned from up to {@code late} nanoseconds after {@code then} to
   * some moment after {@code since}; negative: how much more it is at least.
   */
  long clockGain(long then, long late, long since) {
    long first = Collections.max(offsets(then, Math.min(then + late, nanos)));
    return first - Collections.min(offsets(since, nanos));
  }

  private Collection<Long> offsets(long from, long to) {
    return clock.subMap(clock.floorKey(from), true, to, true).values();
  }

  /** Whether the proxy's wall clock was ever set back. */
  boolean wasSetBack() {
    long before = Long.MIN_VALUE;
    for (long offset : clock.values()) {
      if (offset < before) {
        return true;
      }
      before = offset;
    }
    return false;
  }

  /** Lets {@code action} happen in {@code micros}. */
  void after(long micros, Runnable action) {
    at(nanos + micros * 1000, action);
  }

  /** Lets {@code action} happen at {@code when} nanoseconds after the start. */
  void at(long when, Runnable action) {
    events.add(new Event(Math.max(when, nanos), sequence++, action));
  }

  /** Steps made so far. */
  long steps() {
    return steps;
  }

  /** Does one thing; false where nothing is left to do before {@code untilNanos}. */
  boolean step(long untilNanos) {
    while (true) {
      int ready = isDue() ? 1 : 0;
      for (SimLoop loop : loops) {
        ready += loop.isReady() ? 1 : 0;
      }
      if (ready > 0) {
        if (++steps > MAX_STEPS) {
          throw new AssertionError(MAX_STEPS + " steps, and no end");
        }
        run(ready == 1 ? 0 : random.nextInt(ready));
        if (failure != null && depth == 0) {
          throw new AssertionError(failure.getMessage(), failure);
        }
        return true;
      }
      if (!advance(untilNanos)) {
        return false;
      }
    }
  }

  private boolean isDue() {
    return !events.isEmpty() && events.peek().nanos <= nanos;
  }

  private void run(int choice) {
    int left = choice;
    if (isDue() && left-- == 0) {
      events.poll().action.run();
      return;
    }
    for (SimLoop loop : loops) {
      if (loop.isReady() && left-- == 0) {
        running = loop;
        try {
          loop.runOne();
        } finally {
          running = null;
        }
        return;
      }
    }
  }

  private boolean advance(long untilNanos) {
    long next = events.isEmpty() ? Long.MAX_VALUE : events.peek().nanos;
    for (SimLoop loop : loops) {
      next = Math.min(next, loop.nextDeadline());
    }
    if (next > untilNanos) {
      nanos = Math.max(nanos, untilNanos == Long.MAX_VALUE ? nanos : untilNanos);
      return false;
    }
    nanos = Math.max(nanos, next);
    return true;
  }

  /** Goes on for {@code millis}. */
  void pass(long millis) {
    long until = nanos + millis * 1_000_000;
    while (step(until)) {
      // one after the other
    }
  }

  /**
   * Continues for {@code micros} inside of the present task, on no loop, unless that is too deep
   * already. Failures are reported at the end, even if they are lost on their way there.
   */
  void overtake(int micros) {
    if (depth == MAX_DEPTH || failure != null) {
      return;
    }
    depth++;
    long until = nanos + micros * 1000L;
    try {
      while (step(until)) {
        // one after the other
      }
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
      throw e;
    } finally {
      depth--;
    }
  }

  /** A failure, recorded even if it is lost where it was noticed. */
  void fail(String what) {
    failure = failure == null ? new AssertionError(what) : failure;
  }

  /** Does all that is to be done at this very time. */
  void settle() {
    while (step(nanos)) {
      // one after the other
    }
  }

  // ---- events

  /** Whether {@link #note} keeps its notes. */
  boolean tracing() {
    return trace != null;
  }

  /** Adds to the fingerprint of a run. */
  void mark(long value) {
    digest = (digest ^ value ^ nanos) * 1099511628211L;
  }

  /** Writes {@code format} down where that is asked for. */
  void note(String format, Object... arguments) {
    if (trace != null) {
      trace.add(
          String.format(Locale.ROOT, "%9.3f ms ", nanos / 1e6)
              + String.format(Locale.ROOT, format, arguments));
    }
  }

  /** Different for runs that went differently. */
  long digest() {
    return digest;
  }

  /** The notes. */
  List<String> trace() {
    return trace == null ? List.of() : trace;
  }
}

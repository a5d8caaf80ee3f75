package io.loligo.store.lfu;

/**
 * The policy W-TinyLFU with weights (Einziger, Friedman, Manes: "TinyLFU", ACM TOS 2017; "Adaptive
 * Software Cache Management", Middleware 2018), as Caffeine has it. Not thread-safe: the owner has
 * a lock or one thread.
 *
 * <p>A new entry enters the window, an LRU queue. An entry that falls out of it competes with the
 * oldest one on probation: the one with the lower frequency leaves. An entry on probation that is
 * requested becomes protected, until others push it back. The share of the window follows the hits
 * ({@link WindowShare}).
 *
 * <p>Entries are numbers from 0. Each queue is linked from the oldest entry to the youngest, and
 * back. The subclass stores the links, weight and queue of each entry, and never changes them by
 * itself while the entry is in a queue; only the weight, if it calls {@link #reweigh}. Nothing is
 * evicted before {@link #evict} is called, except an entry heavier than the maximum. No operation
 * allocates, apart from the end of a period and the growth of the frequencies.
 */
public abstract class TinyLfu {
  /** No entry. */
  public static final int NONE = -1;

  /** The queues, as in {@link #oldest}. */
  public static final int WINDOW = 0;

  public static final int PROBATION = 1;
  public static final int PROTECTED = 2;

  /** The queue of an entry that is in none. */
  public static final int OUT = 3;

  private static final int QUEUES = 3;
  private static final double MAIN_SHARE = 0.99;
  private static final double PROTECTED_SHARE = 0.8;

  /** A lower maximum has no room for shares. */
  private static final int LEAST_SHARED = 1024;

  /** Requests in a period of the frequencies, for each entry. */
  private static final int PERIOD = 10;

  /** Number of entries that Caffeine's frequencies have room for at least. */
  private static final int LEAST_COUNTED = 256;

  /** A new entry that is at least so frequent may win by chance against an equal or better one. */
  private static final int WARM = 6;

  private static final int CHANCES = 128;

  /** More words of the frequencies are not cleared by a caller in a hurry: 128 KiB. */
  private static final int CLEARED_AT_ONCE = 1 << 14;

  private final FrequencyCounts frequencies;
  private final WindowShare window = new WindowShare();

  private final int[] oldest = {NONE, NONE, NONE};
  private final int[] youngest = {NONE, NONE, NONE};
  private final long[] used = new long[QUEUES];
  private int entries;

  private long maximum;
  private long windowMaximum;
  private long protectedMaximum;
  private double share = 1;
  private boolean counting;
  private boolean growthDue;

  /** Words of Caffeine's counters, in the cache of all keys. */
  private long wholeWords;

  private long chance;

  /** The next entry that competes, while an excess is left. Younger ones in its queue follow. */
  private int candidate = NONE;

  /** Whether the entries of the window compete, because no candidate was left. */
  private boolean fromWindow;

  /** Weight by which the window still has to grow, or to shrink below 0. */
  private long adjustment;

  private int misses;
  private int hits;
  private int windowHits;
  private int probationHits;

  /**
   * No entry.
   *
   * @param maximum weight of all entries; at least 1 is taken
   * @param frequencies owned from now on
   */
  protected TinyLfu(long maximum, FrequencyCounts frequencies) {
    this.frequencies = frequencies;
    this.maximum = Math.max(1, maximum);
    beginShares();
  }

  private void beginShares() {
    windowMaximum = maximum - (long) (MAIN_SHARE * maximum);
    protectedMaximum = (long) (PROTECTED_SHARE * (maximum - windowMaximum));
    adjustment = 0;
  }

  /** The next older entry of its queue, as last stored. */
  protected abstract int older(int entry);

  /** Stores the next older entry; {@link #NONE}: there is none. */
  protected abstract void older(int entry, int other);

  /** The next younger entry of its queue, as last stored. */
  protected abstract int younger(int entry);

  /** Stores the next younger entry; {@link #NONE}: there is none. */
  protected abstract void younger(int entry, int other);

  /** At least 0. */
  protected abstract int weight(int entry);

  /** The queue, as last stored. */
  protected abstract int queue(int entry);

  /** Stores the queue: {@link #WINDOW}, {@link #PROBATION}, {@link #PROTECTED}, {@link #OUT}. */
  protected abstract void queue(int entry, int queue);

  /** Bits of the hash of its key, under which its requests are counted. */
  protected abstract int id(int entry);

  /**
   * An entry was evicted. It is in no queue any more, and its number is free. Calls no operation of
   * this.
   */
  protected abstract void evicted(int entry);

  /** Number of entries in the queues. */
  public int entries() {
    return entries;
  }

  /** Weight of all entries in the queues. */
  public long used() {
    return used[WINDOW] + used[PROBATION] + used[PROTECTED];
  }

  /** Weight that {@link #evict} leaves. */
  public long maximum() {
    return maximum;
  }

  /**
   * Sets the maximum, at least 1, and keeps the shares of the queues. Evicts nothing: {@link
   * #evict} does.
   */
  public void maximum(long newMaximum) {
    long before = maximum;
    double ratio = (double) Math.max(1, newMaximum) / before;
    scale(ratio);
    maximum = Math.max(1, newMaximum);
    if (before < LEAST_SHARED) {
      beginShares();
    }
  }

  /** This has from now on only such a part of the keys it had, and of the maximum. */
  protected void sample(double ratio) {
    share *= ratio;
    scale(ratio);
    maximum = Math.max(1, (long) (maximum * ratio));
  }

  /** Rounds: cut-off parts would add up while the maximum changes again and again. */
  private void scale(double ratio) {
    windowMaximum = Math.round(windowMaximum * ratio);
    protectedMaximum = Math.round(protectedMaximum * ratio);
    adjustment = Math.round(adjustment * ratio);
  }

  /** The oldest entry of a queue; {@link #NONE}: it has none. */
  public int oldest(int queue) {
    return oldest[queue];
  }

  long used(int queue) {
    return used[queue];
  }

  long windowMaximum() {
    return windowMaximum;
  }

  long protectedMaximum() {
    return protectedMaximum;
  }

  /** Weight by which the window still has to grow, or to shrink below 0. */
  long adjustment() {
    return adjustment;
  }

  /**
   * A new entry after a miss, in no queue so far. One heavier than the maximum is evicted at once.
   */
  public void add(int entry) {
    int weight = weight(entry);
    if (weight > windowMaximum) {
      linkOldest(entry);
    } else {
      link(WINDOW, entry);
    }
    entries++;
    misses++;
    countsFromHalf();
    frequency(entry);
    evictIfTooHeavy(entry, weight);
  }

  /**
   * A request that has changed the weight of an entry, which {@link #weight} gives already. An
   * entry now heavier than the maximum is evicted at once.
   *
   * @param before the former weight
   */
  public void reweigh(int entry, int before) {
    int weight = weight(entry);
    used[queue(entry)] += (long) weight - before;
    touch(entry);
    evictIfTooHeavy(entry, weight);
  }

  private void evictIfTooHeavy(int entry, int weight) {
    if (weight > maximum) {
      leave(entry);
      evicted(entry);
    }
  }

  /** A hit. */
  public void request(int entry) {
    touch(entry);
  }

  private void touch(int entry) {
    int queue = queue(entry);
    hits++;
    windowHits += queue == WINDOW ? 1 : 0;
    probationHits += queue == PROBATION ? 1 : 0;
    frequency(entry);
    boolean promoted = queue == PROBATION && weight(entry) <= protectedMaximum;
    moveTo(promoted ? PROTECTED : queue, entry);
  }

  /** Takes an entry out of its queue; {@link #evicted} is not called. */
  public void remove(int entry) {
    leave(entry);
  }

  private void leave(int entry) {
    unlink(entry);
    queue(entry, OUT);
    entries--;
  }

  /**
   * Whether the present operation may take longer than usual; otherwise the frequencies may wait
   * for {@link #growIfDue} with their growth.
   */
  protected boolean mayTakeLong() {
    return true;
  }

  /** Whether the frequencies should grow, which takes some time if they are large. */
  public boolean isGrowthDue() {
    return growthDue;
  }

  /** Lets the frequencies grow. */
  public void growIfDue() {
    if (growthDue) {
      countsFromHalf();
    }
  }

  /** The frequencies begin when the cache is half full. */
  private void countsFromHalf() {
    growthDue = false;
    if (used() >= maximum / 2) {
      double whole = Math.max(LEAST_COUNTED, entries / share);
      long words = Math.max(wholeWords, powerOfTwo(whole));
      if (frequencies.cleared(words * share) > CLEARED_AT_ONCE && !mayTakeLong()) {
        growthDue = true;
        return;
      }
      counting = true;
      wholeWords = words;
      frequencies.words(wholeWords * share);
      frequencies.period((int) Math.max(1, PERIOD * whole * share));
    }
  }

  private static long powerOfTwo(double atLeast) {
    return Long.highestOneBit((long) Math.ceil(atLeast) - 1) << 1;
  }

  private void frequency(int entry) {
    if (counting) {
      frequencies.add(id(entry));
    }
  }

  /**
   * Fills the main queues from the window, and evicts entries until the rest weighs the maximum.
   *
   * @param most entries that are moved or evicted; a later call goes on
   * @return whether an excess is left
   */
  public boolean evict(int most) {
    int left = most;
    while (hasWindowExcess() && left > 0) {
      int entry = oldest[WINDOW];
      moveTo(PROBATION, entry);
      candidate = candidate == NONE ? entry : candidate;
      left--;
    }
    while (used() > maximum) {
      if (left <= 0) {
        return true;
      }
      left--;
      evictOne();
    }
    candidate = NONE;
    fromWindow = false;
    return hasWindowExcess();
  }

  private boolean hasWindowExcess() {
    return used[WINDOW] > windowMaximum && oldest[WINDOW] != NONE;
  }

  private void evictOne() {
    if (candidate == NONE && !fromWindow) {
      candidate = oldest[WINDOW];
      fromWindow = true;
    }
    int victim = oldest[PROBATION];
    if (candidate == NONE) {
      evict(victim != NONE ? victim : oldest[oldest[PROTECTED] != NONE ? PROTECTED : WINDOW], NONE);
    } else if (victim == candidate) {
      evict(victim, NONE);
    } else if (victim != NONE && isAdmitted(candidate, victim)) {
      evict(victim, younger(candidate));
    } else {
      evict(candidate, younger(candidate));
    }
  }

  private void evict(int entry, int nextCandidate) {
    leave(entry);
    candidate = nextCandidate;
    evicted(entry);
  }

  private boolean isAdmitted(int newer, int victim) {
    int frequency = counting ? frequencies.of(id(newer)) : 0;
    int other = counting ? frequencies.of(id(victim)) : 0;
    return frequency > other || (frequency >= WARM && ++chance % CHANCES == 0);
  }

  /**
   * Adjusts the window after each period of the frequencies. To be called after each request.
   *
   * @param most entries that are moved; later calls do the rest of the adjustment
   */
  public void climb(int most) {
    if (!counting || used() < maximum / 2) {
      forgetHits();
    } else if (hits + misses >= frequencies.periodRequests()) {
      adjustment = step();
      forgetHits();
    }
    int left = demote(most);
    if (adjustment > 0) {
      growWindow(left);
    } else if (adjustment < 0) {
      shrinkWindow(left);
    }
  }

  private void forgetHits() {
    hits = 0;
    windowHits = 0;
    probationHits = 0;
    misses = 0;
  }

  private long step() {
    WindowShare.Period period =
        new WindowShare.Period(
            hits,
            windowHits,
            probationHits,
            misses,
            (double) windowMaximum / maximum,
            (double) protectedMaximum / maximum);
    return (long) (window.change(period) * maximum);
  }

  /** Returns how many of the moves are left. */
  private int demote(int most) {
    int left = most;
    while (used[PROTECTED] > protectedMaximum && oldest[PROTECTED] != NONE && left > 0) {
      moveTo(PROBATION, oldest[PROTECTED]);
      left--;
    }
    return left;
  }

  /**
   * Gives room from the protected entries to the window, and fills it. Half of the moves demote, so
   * that no more leave the protected queue than the window takes.
   */
  private void growWindow(int most) {
    long quota = Math.min(adjustment, protectedMaximum);
    protectedMaximum -= quota;
    windowMaximum += quota;
    int left = most - most / 2 + demote(most / 2);
    while (left > 0) {
      int entry = oldest[PROBATION];
      if (entry == NONE || weight(entry) > quota) {
        entry = oldest[PROTECTED];
      }
      if (entry == NONE || weight(entry) > quota) {
        break;
      }
      quota -= weight(entry);
      moveTo(WINDOW, entry);
      left--;
    }
    protectedMaximum += quota;
    windowMaximum -= quota;
    adjustment = quota;
  }

  private void shrinkWindow(int most) {
    long quota = Math.min(-adjustment, Math.max(0, windowMaximum - 1));
    protectedMaximum += quota;
    windowMaximum -= quota;
    int left = most;
    while (oldest[WINDOW] != NONE && weight(oldest[WINDOW]) <= quota && left > 0) {
      quota -= weight(oldest[WINDOW]);
      moveTo(PROBATION, oldest[WINDOW]);
      left--;
    }
    protectedMaximum -= quota;
    windowMaximum += quota;
    adjustment = -quota;
  }

  /** To the young end of a queue. */
  private void moveTo(int queue, int entry) {
    if (youngest[queue] == entry && queue(entry) == queue) {
      return;
    }
    unlink(entry);
    link(queue, entry);
  }

  private void link(int queue, int entry) {
    int before = youngest[queue];
    queue(entry, queue);
    older(entry, before);
    younger(entry, NONE);
    if (before == NONE) {
      oldest[queue] = entry;
    } else {
      younger(before, entry);
    }
    youngest[queue] = entry;
    used[queue] += weight(entry);
  }

  /** To the old end of the window: it is too large for it. */
  private void linkOldest(int entry) {
    int after = oldest[WINDOW];
    queue(entry, WINDOW);
    older(entry, NONE);
    younger(entry, after);
    if (after == NONE) {
      youngest[WINDOW] = entry;
    } else {
      older(after, entry);
    }
    oldest[WINDOW] = entry;
    used[WINDOW] += weight(entry);
  }

  private void unlink(int entry) {
    int queue = queue(entry);
    int before = older(entry);
    int after = younger(entry);
    if (before == NONE) {
      oldest[queue] = after;
    } else {
      younger(before, after);
    }
    if (after == NONE) {
      youngest[queue] = before;
    } else {
      older(after, before);
    }
    used[queue] -= weight(entry);
    candidate = candidate == entry ? after : candidate;
  }
}

package io.loligo.server.whatif;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The keys that Caffeine would have in a cache with weights, by its policy W-TinyLFU (Einziger,
 * Friedman, Manes: "TinyLFU", ACM TOS 2017; "Adaptive Software Cache Management", Middleware 2018).
 * Not thread-safe.
 *
 * <p>A new key enters the window, an LRU queue. A key that falls out of it competes with the oldest
 * one on probation: the one with the lower frequency leaves. A key on probation that is requested
 * becomes protected, until others push it back. The share of the window follows the hits ({@link
 * WindowShare}).
 *
 * <p>Entries are in arrays of fixed length, whose places are numbers and 1. Each queue is linked
 * from the oldest entry to the youngest, and back. The free entries are linked by {@code younger}.
 * Those whose ids end alike are linked by {@code chained}.
 */
final class WindowTinyLfu {
  static final int NONE = -1;

  /** Number of entries must be below this. */
  static final int MOST_ENTRIES = Character.MAX_VALUE;

  private static final int WINDOW = 0;
  private static final int PROBATION = 1;
  private static final int PROTECTED = 2;
  private static final int QUEUES = 3;
  private static final int QUEUE = 3;
  private static final int MARK = 4;

  private static final double MAIN_SHARE = 0.99;
  private static final double PROTECTED_SHARE = 0.8;

  /** Requests in a period of the frequencies, for each entry. */
  private static final int PERIOD = 10;

  /** Number of entries that Caffeine's frequencies have room for at least. */
  private static final int LEAST_COUNTED = 256;

  /** A new key that is at least so frequent may win by chance against an equal or better one. */
  private static final int WARM = 6;

  private static final int CHANCES = 128;

  /** Bytes of an entry in the arrays below. */
  private static final int ENTRY_BYTES = 2 * Integer.BYTES + 2 + 3 * Character.BYTES;

  private final int[] ids;
  private final int[] weights;
  private final byte[] ranks;

  /** The queue, and whether the caller has marked the entry. */
  private final byte[] marks;

  private final char[] older;
  private final char[] younger;
  private final char[] chained;
  private final char[] heads;
  private final FrequencyCounts frequencies;
  private final WindowShare window = new WindowShare();

  private final int[] oldest = {NONE, NONE, NONE};
  private final int[] youngest = {NONE, NONE, NONE};
  private final long[] used = new long[QUEUES];
  private int free = NONE;
  private int entries;

  private long maximum;
  private long windowMaximum;
  private long protectedMaximum;
  private double share = 1;
  private boolean counting;

  /** Words of Caffeine's counters, in the cache of all keys. */
  private long wholeWords;

  private long chance;

  /** Bytes by which the window still has to grow, or to shrink below 0. */
  private long adjustment;

  private int misses;
  private int hits;
  private int windowHits;
  private int probationHits;

  /**
   * No key.
   *
   * @param maximum weight of all keys
   * @param most entries; it never has more
   */
  WindowTinyLfu(long maximum, int most) {
    ids = new int[most];
    weights = new int[most];
    ranks = new byte[most];
    marks = new byte[most];
    older = new char[most];
    younger = new char[most];
    chained = new char[most];
    heads = new char[heads(most)];
    frequencies = new FrequencyCounts(words(most));
    for (int entry = most - 1; entry >= 0; entry--) {
      younger[entry] = (char) (free + 1);
      free = entry;
    }
    this.maximum = Math.max(1, maximum);
    windowMaximum = this.maximum - (long) (MAIN_SHARE * this.maximum);
    protectedMaximum = (long) (PROTECTED_SHARE * (this.maximum - windowMaximum));
  }

  private static int heads(int most) {
    return Integer.highestOneBit(most);
  }

  /** Words of counters for so many entries: Caffeine has one to two for each. */
  private static int words(int most) {
    return most * 3 / 2;
  }

  /** Bytes of the arrays. */
  static int bytes(int most) {
    return most * ENTRY_BYTES + heads(most) * Character.BYTES + FrequencyCounts.bytes(words(most));
  }

  int entries() {
    return entries;
  }

  long usedWeight() {
    return used[WINDOW] + used[PROBATION] + used[PROTECTED];
  }

  long maximumWeight() {
    return maximum;
  }

  /** The entry of a key; {@link #NONE}: there is none. This is not a request. */
  int find(int id) {
    int entry = heads[head(id)] - 1;
    while (entry != NONE && ids[entry] != id) {
      entry = chained[entry] - 1;
    }
    return entry;
  }

  /** A request for the key of an entry. */
  void request(int entry) {
    touch(entry);
    climb();
  }

  private void touch(int entry) {
    hits++;
    windowHits += queue(entry) == WINDOW ? 1 : 0;
    probationHits += queue(entry) == PROBATION ? 1 : 0;
    frequency(ids[entry]);
    boolean promoted = queue(entry) == PROBATION && weights[entry] <= protectedMaximum;
    moveTo(promoted ? PROTECTED : queue(entry), entry);
  }

  /**
   * Adds a key, or gives it another weight. It has no mark.
   *
   * @return its entry; {@link #NONE}: it is gone already
   */
  int put(int id, int rank, int weight) {
    int entry = find(id);
    if (entry == NONE) {
      entry = begin(id, rank, weight);
      misses++;
      countsFromHalf();
      frequency(id);
    } else {
      used[queue(entry)] += weight - weights[entry];
      weights[entry] = weight;
      marks[entry] &= QUEUE;
      touch(entry);
    }
    if (weight > maximum) {
      remove(entry);
    }
    evict();
    climb();
    return find(id);
  }

  /** The frequencies begin when the cache is half full. */
  private void countsFromHalf() {
    if (usedWeight() >= maximum / 2) {
      counting = true;
      double whole = Math.max(LEAST_COUNTED, entries / share);
      wholeWords = Math.max(wholeWords, powerOfTwo(whole));
      frequencies.words(wholeWords * share);
      frequencies.period((int) Math.max(1, PERIOD * whole * share));
    }
  }

  private static long powerOfTwo(double atLeast) {
    return Long.highestOneBit((long) Math.ceil(atLeast) - 1) << 1;
  }

  private void frequency(int id) {
    if (counting) {
      frequencies.add(id);
    }
  }

  /** Whether {@link #mark} was called since the key was put. */
  boolean isMarked(int entry) {
    return (marks[entry] & MARK) != 0;
  }

  void mark(int entry) {
    marks[entry] |= MARK;
  }

  /** Keeps only keys with a lower rank, and {@code ratio} of the maximum. */
  void keep(int rankLimit, double ratio) {
    entriesWhere(entry -> (ranks[entry] & 0xff) >= rankLimit).forEach(this::remove);
    share *= ratio;
    maximum = Math.max(1, (long) (maximum * ratio));
    windowMaximum = (long) (windowMaximum * ratio);
    protectedMaximum = (long) (protectedMaximum * ratio);
    adjustment = (long) (adjustment * ratio);
    evict();
  }

  /** The entries of which {@code condition} holds. */
  IntStream entriesWhere(IntPredicate condition) {
    IntStream.Builder found = IntStream.builder();
    for (int first : oldest) {
      for (int entry = first; entry != NONE; entry = younger[entry] - 1) {
        if (condition.test(entry)) {
          found.add(entry);
        }
      }
    }
    return found.build();
  }

  private void evict() {
    int candidate = NONE;
    while (used[WINDOW] > windowMaximum && oldest[WINDOW] != NONE) {
      int entry = oldest[WINDOW];
      moveTo(PROBATION, entry);
      candidate = candidate == NONE ? entry : candidate;
    }
    int victim = oldest[PROBATION];
    int victims = PROBATION;
    boolean fromWindow = false;
    while (usedWeight() > maximum) {
      if (candidate == NONE && !fromWindow) {
        candidate = oldest[WINDOW];
        fromWindow = true;
      }
      if (candidate == NONE && victim == NONE) {
        if (victims == WINDOW) {
          return;
        }
        victims = victims == PROBATION ? PROTECTED : WINDOW;
        victim = oldest[victims];
      } else if (victim == candidate) {
        victim = removeForNext(candidate);
        candidate = NONE;
      } else if (candidate == NONE) {
        victim = removeForNext(victim);
      } else if (victim != NONE && isAdmitted(candidate, victim)) {
        victim = removeForNext(victim);
        candidate = younger[candidate] - 1;
      } else {
        candidate = removeForNext(candidate);
      }
    }
  }

  /** Removes an entry, and returns the next younger one. */
  private int removeForNext(int entry) {
    int next = younger[entry] - 1;
    remove(entry);
    return next;
  }

  private boolean isAdmitted(int candidate, int victim) {
    int frequency = counting ? frequencies.of(ids[candidate]) : 0;
    int other = counting ? frequencies.of(ids[victim]) : 0;
    return frequency > other || (frequency >= WARM && ++chance % CHANCES == 0);
  }

  /** Adjusts the window after each period of the frequencies. */
  private void climb() {
    if (!counting || usedWeight() < maximum / 2) {
      forgetHits();
    } else if (hits + misses >= frequencies.periodRequests()) {
      adjustment = step();
      forgetHits();
    }
    demote();
    if (adjustment > 0) {
      growWindow();
    } else if (adjustment < 0) {
      shrinkWindow();
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

  private void demote() {
    while (used[PROTECTED] > protectedMaximum && oldest[PROTECTED] != NONE) {
      moveTo(PROBATION, oldest[PROTECTED]);
    }
  }

  /** Gives room from the protected keys to the window, and fills it. */
  private void growWindow() {
    long quota = Math.min(adjustment, protectedMaximum);
    protectedMaximum -= quota;
    windowMaximum += quota;
    demote();
    while (true) {
      int entry = oldest[PROBATION];
      if (entry == NONE || weights[entry] > quota) {
        entry = oldest[PROTECTED];
      }
      if (entry == NONE || weights[entry] > quota) {
        break;
      }
      quota -= weights[entry];
      moveTo(WINDOW, entry);
    }
    protectedMaximum += quota;
    windowMaximum -= quota;
    adjustment = quota;
  }

  private void shrinkWindow() {
    long quota = Math.min(-adjustment, Math.max(0, windowMaximum - 1));
    protectedMaximum += quota;
    windowMaximum -= quota;
    while (oldest[WINDOW] != NONE && weights[oldest[WINDOW]] <= quota) {
      quota -= weights[oldest[WINDOW]];
      moveTo(PROBATION, oldest[WINDOW]);
    }
    protectedMaximum -= quota;
    windowMaximum += quota;
    adjustment = -quota;
  }

  private int queue(int entry) {
    return marks[entry] & QUEUE;
  }

  /** To the young end of a queue. */
  private void moveTo(int queue, int entry) {
    unlink(entry);
    marks[entry] = (byte) ((marks[entry] & ~QUEUE) | queue);
    link(queue, entry);
  }

  private void link(int queue, int entry) {
    int before = youngest[queue];
    older[entry] = (char) (before + 1);
    younger[entry] = 0;
    if (before == NONE) {
      oldest[queue] = entry;
    } else {
      younger[before] = (char) (entry + 1);
    }
    youngest[queue] = entry;
    used[queue] += weights[entry];
  }

  /** To the old end of the window: it is too large for it. */
  private void linkOldest(int entry) {
    int after = oldest[WINDOW];
    older[entry] = 0;
    younger[entry] = (char) (after + 1);
    if (after == NONE) {
      youngest[WINDOW] = entry;
    } else {
      older[after] = (char) (entry + 1);
    }
    oldest[WINDOW] = entry;
    used[WINDOW] += weights[entry];
  }

  private void unlink(int entry) {
    int queue = queue(entry);
    int before = older[entry] - 1;
    int after = younger[entry] - 1;
    if (before == NONE) {
      oldest[queue] = after;
    } else {
      younger[before] = (char) (after + 1);
    }
    if (after == NONE) {
      youngest[queue] = before;
    } else {
      older[after] = (char) (before + 1);
    }
    used[queue] -= weights[entry];
  }

  private int begin(int id, int rank, int weight) {
    int entry = free;
    free = younger[entry] - 1;
    ids[entry] = id;
    ranks[entry] = (byte) rank;
    weights[entry] = weight;
    marks[entry] = WINDOW;
    int head = head(id);
    chained[entry] = heads[head];
    heads[head] = (char) (entry + 1);
    if (weight > windowMaximum) {
      linkOldest(entry);
    } else {
      link(WINDOW, entry);
    }
    entries++;
    return entry;
  }

  /** The key of an entry leaves. */
  void remove(int entry) {
    unlink(entry);
    int head = head(ids[entry]);
    if (heads[head] - 1 == entry) {
      heads[head] = chained[entry];
    } else {
      int before = heads[head] - 1;
      while (chained[before] - 1 != entry) {
        before = chained[before] - 1;
      }
      chained[before] = chained[entry];
    }
    younger[entry] = (char) (free + 1);
    free = entry;
    entries--;
  }

  private int head(int id) {
    return id & (heads.length - 1);
  }
}

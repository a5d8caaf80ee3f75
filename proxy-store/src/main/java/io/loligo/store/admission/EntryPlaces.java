package io.loligo.store.admission;

import java.util.Arrays;

/**
 * An array of places in another one: numbers from 0 to a limit, or {@link #NONE}. A place takes two
 * bytes if the limit allows it, and four otherwise. Not thread-safe.
 */
final class EntryPlaces {
  static final int NONE = -1;

  // one of both has no element; each element is the number and 1
  private final char[] small;
  private final int[] large;

  private EntryPlaces(char[] small, int[] large) {
    this.small = small;
    this.large = large;
  }

  /**
   * As many as {@code length}, all {@link #NONE}.
   *
   * @param most above all numbers
   */
  static EntryPlaces of(int length, int most) {
    boolean isSmall = most <= Character.MAX_VALUE;
    return new EntryPlaces(new char[isSmall ? length : 0], new int[isSmall ? 0 : length]);
  }

  /** The same numbers, and {@link #NONE} behind them up to {@code length}. */
  EntryPlaces grown(int length) {
    return small.length > 0
        ? new EntryPlaces(Arrays.copyOf(small, length), large)
        : new EntryPlaces(small, Arrays.copyOf(large, length));
  }

  int get(int at) {
    return (small.length > 0 ? small[at] : large[at]) - 1;
  }

  void set(int at, int place) {
    if (small.length > 0) {
      small[at] = (char) (place + 1);
    } else {
      large[at] = place + 1;
    }
  }

  int length() {
    return small.length + large.length;
  }
}

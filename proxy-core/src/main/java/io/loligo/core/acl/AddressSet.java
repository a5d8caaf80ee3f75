package io.loligo.core.acl;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of IP addresses as sorted, disjoint ranges, with binary search. Immutable; looking up
 * allocates nothing. IPv4-mapped IPv6 is the IPv4 address.
 */
final class AddressSet {
  private final Ranges v4;
  private final Ranges v6;

  private AddressSet(Ranges v4, Ranges v6) {
    this.v4 = v4;
    this.v6 = v6;
  }

  /** Whether the address {@code bytes}, of 4 or 16, is in the set; false for null. */
  boolean contains(byte @Nullable [] bytes) {
    if (bytes == null) {
      return false;
    }
    if (bytes.length == 4) {
      return v4.contains(0, word(bytes, 0, 4));
    }
    if (bytes.length != 16) {
      return false;
    }
    long high = word(bytes, 0, 8);
    long low = word(bytes, 8, 8);
    if (high == 0 && low >>> 32 == 0xffff) {
      return v4.contains(0, low & 0xffff_ffffL);
    }
    return v6.contains(high, low);
  }

  /** Whether every address of {@code other} is in the set. */
  boolean containsAll(AddressSet other) {
    return v4.containsAll(other.v4) && v6.containsAll(other.v6);
  }

  /** Whether every address is in the set. */
  boolean isAll() {
    Builder all = new Builder();
    all.addAllV4();
    all.addAllV6();
    return containsAll(all.build());
  }

  /** Whether no bit beyond {@code prefixBits} is set. */
  static boolean isNetwork(byte[] bytes, int prefixBits) {
    for (int bit = prefixBits; bit < bytes.length * 8; bit++) {
      if ((bytes[bit >> 3] >> (7 - (bit & 7)) & 1) != 0) {
        return false;
      }
    }
    return true;
  }

  private static long word(byte[] bytes, int from, int count) {
    long word = 0;
    for (int i = from; i < from + count; i++) {
      word = (word << 8) | (bytes[i] & 0xff);
    }
    return word;
  }

  /** First and last address of a range, as 128-bit unsigned numbers. */
  private record Range(long startHigh, long startLow, long endHigh, long endLow) {
    boolean touches(Range next) {
      if (compare(next.startHigh, next.startLow, endHigh, endLow) <= 0) {
        return true;
      }
      long afterLow = endLow + 1;
      long afterHigh = afterLow == 0 ? endHigh + 1 : endHigh;
      return afterHigh == next.startHigh && afterLow == next.startLow;
    }

    Range with(Range next) {
      boolean further = compare(next.endHigh, next.endLow, endHigh, endLow) > 0;
      return further ? new Range(startHigh, startLow, next.endHigh, next.endLow) : this;
    }
  }

  private static int compare(long aHigh, long aLow, long bHigh, long bLow) {
    int byHigh = Long.compareUnsigned(aHigh, bHigh);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(aLow, bLow);
  }

  private static final class Ranges {
    // per range: start high, start low, end high, end low
    private final long[] words;

    Ranges(List<Range> given) {
      List<Range> sorted = new ArrayList<>(given);
      // no Comparator.comparing: an archive of classes cannot have its lambdas
      sorted.sort((a, b) -> compare(a.startHigh, a.startLow, b.startHigh, b.startLow));
      List<Range> merged = new ArrayList<>();
      for (Range next : sorted) {
        int last = merged.size() - 1;
        if (last >= 0 && merged.get(last).touches(next)) {
          merged.set(last, merged.get(last).with(next));
        } else {
          merged.add(next);
        }
      }
      words = new long[merged.size() * 4];
      int at = 0;
      for (Range range : merged) {
        words[at++] = range.startHigh;
        words[at++] = range.startLow;
        words[at++] = range.endHigh;
        words[at++] = range.endLow;
      }
    }

    /** Ranges are disjoint and never adjacent: each of {@code other} is in one of these, or not. */
    boolean containsAll(Ranges other) {
      for (int at = 0; at < other.words.length; at += 4) {
        int own = rangeOf(other.words[at], other.words[at + 1]);
        if (own < 0
            || compare(other.words[at + 2], other.words[at + 3], words[own + 2], words[own + 3])
                > 0) {
          return false;
        }
      }
      return true;
    }

    boolean contains(long high, long low) {
      return rangeOf(high, low) >= 0;
    }

    /** Where the range with this address begins in {@link #words}; -1: in none. */
    private int rangeOf(long high, long low) {
      int from = 0;
      int to = words.length / 4 - 1;
      while (from <= to) {
        int middle = (from + to) >>> 1;
        int at = middle * 4;
        if (compare(high, low, words[at], words[at + 1]) < 0) {
          to = middle - 1;
        } else if (compare(high, low, words[at + 2], words[at + 3]) > 0) {
          from = middle + 1;
        } else {
          return at;
        }
      }
      return -1;
    }
  }

  /** Collects ranges. Confined to one thread. */
  static final class Builder {
    private final List<Range> v4 = new ArrayList<>();
    private final List<Range> v6 = new ArrayList<>();

    /**
     * Adds all addresses from {@code first} to {@code last}, each widened to a whole block of
     * {@code prefixBits}; both of one family. False if first is beyond last.
     */
    boolean add(byte[] first, byte[] last, int prefixBits) {
      boolean wide = first.length == 16;
      int bits = wide ? 128 : 32;
      int hostBits = bits - prefixBits;
      long lowMask = hostBits >= 64 ? -1L : (1L << hostBits) - 1;
      long highMask = hostBits <= 64 ? 0 : hostBits == 128 ? -1L : (1L << (hostBits - 64)) - 1;
      long startHigh = wide ? word(first, 0, 8) & ~highMask : 0;
      long startLow = word(first, wide ? 8 : 0, wide ? 8 : 4) & ~lowMask;
      long endHigh = wide ? word(last, 0, 8) | highMask : 0;
      long endLow = word(last, wide ? 8 : 0, wide ? 8 : 4) | lowMask;
      if (compare(startHigh, startLow, endHigh, endLow) > 0) {
        return false;
      }
      (wide ? v6 : v4).add(new Range(startHigh, startLow, endHigh, endLow));
      return true;
    }

    /** Number of added ranges. */
    int size() {
      return v4.size() + v6.size();
    }

    void addAllV4() {
      add(new byte[4], new byte[4], 0);
    }

    void addAllV6() {
      add(new byte[16], new byte[16], 0);
    }

    AddressSet build() {
      return new AddressSet(new Ranges(v4), new Ranges(v6));
    }
  }
}

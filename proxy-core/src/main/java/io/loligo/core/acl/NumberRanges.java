package io.loligo.core.acl;

import java.util.ArrayList;
import java.util.List;

/** Sorted, disjoint ranges of numbers such as ports. Immutable; looking up allocates nothing. */
final class NumberRanges {
  private final int[] bounds;

  /** Pairs of first and last, in any order. */
  NumberRanges(List<int[]> pairs) {
    List<int[]> sorted = new ArrayList<>(pairs);
    sorted.sort((a, b) -> Integer.compare(a[0], b[0]));
    List<int[]> merged = new ArrayList<>();
    for (int[] pair : sorted) {
      int[] last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last != null && pair[0] <= last[1] + 1) {
        last[1] = Math.max(last[1], pair[1]);
      } else {
        merged.add(pair.clone());
      }
    }
    bounds = new int[merged.size() * 2];
    for (int i = 0; i < merged.size(); i++) {
      bounds[i * 2] = merged.get(i)[0];
      bounds[i * 2 + 1] = merged.get(i)[1];
    }
  }

  /** Whether every number of {@code other} is in one of these ranges. */
  boolean containsAll(NumberRanges other) {
    for (int i = 0; i < other.bounds.length; i += 2) {
      int own = rangeOf(other.bounds[i]);
      if (own < 0 || other.bounds[i + 1] > bounds[own * 2 + 1]) {
        return false;
      }
    }
    return true;
  }

  boolean contains(int number) {
    return rangeOf(number) >= 0;
  }

  private int rangeOf(int number) {
    int from = 0;
    int to = bounds.length / 2 - 1;
    while (from <= to) {
      int middle = (from + to) >>> 1;
      if (number < bounds[middle * 2]) {
        to = middle - 1;
      } else if (number > bounds[middle * 2 + 1]) {
        from = middle + 1;
      } else {
        return middle;
      }
    }
    return -1;
  }
}

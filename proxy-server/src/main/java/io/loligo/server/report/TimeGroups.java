package io.loligo.server.report;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The groups of time of a log: of a minute up to {@value #MOST_MINUTES} of them, of twenty minutes
 * (as in the study) up to {@value #MOST}, and three, nine, ... times as long beyond. A longer log
 * has longer groups, never more memory. Confined to one thread.
 */
final class TimeGroups {
  /** Groups at most. */
  static final int MOST = 504;

  /** Groups of one minute at most. */
  static final int MOST_MINUTES = 120;

  static final long MINUTE_MICROS = 60_000_000;
  static final long HOUR_MICROS = 60 * MINUTE_MICROS;

  private @Nullable TimeGroup[] groups = new TimeGroup[MOST];
  private long unitMicros = MINUTE_MICROS;
  private long first;
  private int count;

  /** The group at {@code micros}; all groups between it and the others are there, too. */
  TimeGroup at(long micros) {
    long index = Math.floorDiv(micros, unitMicros);
    while (count > 0 && !fits(index)) {
      widen();
      index = Math.floorDiv(micros, unitMicros);
    }
    if (count == 0) {
      first = index;
      count = 1;
    } else if (index < first) {
      int more = (int) (first - index);
      System.arraycopy(groups, 0, groups, more, count);
      Arrays.fill(groups, 0, more, null);
      first = index;
      count += more;
    } else {
      count = Math.max(count, (int) (index - first) + 1);
    }
    return group((int) (index - first));
  }

  private boolean fits(long index) {
    long range = Math.max(index, first + count - 1) - Math.min(index, first) + 1;
    return range <= (unitMicros == MINUTE_MICROS ? MOST_MINUTES : MOST);
  }

  private void widen() {
    int factor = unitMicros == MINUTE_MICROS ? 20 : 3;
    @Nullable TimeGroup[] narrow = groups;
    long start = first;
    int old = count;
    groups = new TimeGroup[MOST];
    unitMicros *= factor;
    first = Math.floorDiv(start, factor);
    count = (int) (Math.floorDiv(start + old - 1, factor) - first) + 1;
    for (int i = 0; i < old; i++) {
      TimeGroup group = narrow[i];
      if (group != null) {
        group((int) (Math.floorDiv(start + i, factor) - first)).addAll(group);
      }
    }
  }

  /** Makes groups as long as {@code micros} at least. */
  void widenTo(long micros) {
    while (unitMicros < micros) {
      widen();
    }
  }

  /** The end of the group that {@code micros} is in. */
  long endOf(long micros) {
    return (Math.floorDiv(micros, unitMicros) + 1) * unitMicros;
  }

  int count() {
    return count;
  }

  /** The group of a number from 0 to {@link #count} - 1. */
  TimeGroup group(int number) {
    TimeGroup group = groups[number];
    if (group == null) {
      group = new TimeGroup();
      groups[number] = group;
    }
    return group;
  }

  /** The begin of a group. */
  long startMicros(int number) {
    return (first + number) * unitMicros;
  }

  long unitMicros() {
    return unitMicros;
  }

  /** Groups in an hour, or 1 if they are longer. */
  int perHour() {
    return (int) Math.max(1, HOUR_MICROS / unitMicros);
  }

  /** The first group of the hour with the most accesses. */
  int peak() {
    int length = Math.min(perHour(), count);
    long sum = 0;
    for (int i = 0; i < length; i++) {
      sum += group(i).accesses();
    }
    long most = sum;
    int best = 0;
    for (int i = length; i < count; i++) {
      sum += group(i).accesses() - group(i - length).accesses();
      if (sum > most) {
        most = sum;
        best = i - length + 1;
      }
    }
    return best;
  }

  /** The sum of some groups. */
  TimeGroup sum(int from, int to) {
    TimeGroup sum = new TimeGroup();
    for (int i = from; i < to; i++) {
      sum.addAll(group(i));
    }
    return sum;
  }
}

package io.loligo.server.report;

import org.jspecify.annotations.Nullable;

/**
 * Distributions of durations by size: one for each group of sizes. Confined to one thread.
 *
 * <p>Groups are half powers of two ({@link #byHalfOctaves}), or of equal width ({@link #byWidth}).
 */
final class SizeMedians {
  private static final int HALF_OCTAVES = 2 * 42;

  private final @Nullable Histogram[] groups;
  private final int width;

  private SizeMedians(int count, int width) {
    groups = new Histogram[count];
    this.width = width;
  }

  /** From 1 byte up to 4 TB. */
  static SizeMedians byHalfOctaves() {
    return new SizeMedians(HALF_OCTAVES, 0);
  }

  /** {@code count} groups of {@code width} bytes each; larger sizes are left out. */
  static SizeMedians byWidth(int count, int width) {
    return new SizeMedians(count, width);
  }

  /** Counts a duration; a negative one did not occur. */
  void add(long bytes, long micros) {
    add(bytes, micros, 1);
  }

  /** Counts a duration several times. */
  void add(long bytes, long micros, long times) {
    int number = number(bytes);
    if (micros < 0 || number < 0 || number >= groups.length) {
      return;
    }
    Histogram group = groups[number];
    if (group == null) {
      group = new Histogram();
      groups[number] = group;
    }
    group.add(micros, times);
  }

  private int number(long bytes) {
    if (width > 0) {
      return bytes <= 0 ? 0 : (int) Math.min(groups.length, (bytes - 1) / width);
    }
    if (bytes <= 1) {
      return 0;
    }
    int octave = 63 - Long.numberOfLeadingZeros(bytes);
    // 181/128 is the root of two
    return octave * 2 + (bytes >= (181L << octave) >> 7 ? 1 : 0);
  }

  int count() {
    return groups.length;
  }

  /** A size in the middle of a group. */
  double size(int number) {
    return width > 0 ? (number + 0.5) * width : Math.pow(2, number / 2.0 + 0.25);
  }

  /** How many durations a group has. */
  long count(int number) {
    Histogram group = groups[number];
    return group == null ? 0 : group.count();
  }

  /** The median of a group in microseconds; NaN: it is empty. */
  double median(int number) {
    Histogram group = groups[number];
    return group == null ? Double.NaN : group.median();
  }
}

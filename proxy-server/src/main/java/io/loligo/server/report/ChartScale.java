package io.loligo.server.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Places numbers on an axis, and chooses its marks. Immutable. */
final class ChartScale {
  /** Marks at most. */
  private static final int MOST = 7;

  /** The curves are so far from each other that powers of ten show both. */
  private static final double FAR = 30;

  private static final long HOUR = 3600;
  private static final long DAY = 24 * HOUR;
  private static final long[] STEPS = {
    60,
    300,
    600,
    1200,
    1800,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    4 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    4 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    365 * DAY,
    3650 * DAY
  };
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);
  private static final DateTimeFormatter YEAR = DateTimeFormatter.ofPattern("yyyy", Locale.ROOT);

  /** A mark: where it is, and its text. */
  record Mark(double value, String text) {}

  private final double low;
  private final double high;
  private final boolean logarithmic;
  private final List<Mark> marks;

  private ChartScale(double low, double high, boolean logarithmic, List<Mark> marks) {
    this.low = low;
    this.high = high > low ? high : low + 1;
    this.logarithmic = logarithmic;
    this.marks = List.copyOf(marks);
  }

  /** A scale for numbers from {@code least}, or {@code positive} without 0, to {@code most}. */
  static ChartScale of(Axis.Scale scale, double least, double positive, double most, ZoneId zone) {
    return switch (scale) {
      case TIME -> new ChartScale(least, most, false, times(least, most, zone));
      case PERCENT -> new ChartScale(0, 100, false, multiples(100, 20, NumberText::of));
      case LOG -> powers(positive, most);
      case LOG_BYTES -> bytes(Math.max(1, positive), Math.max(2, most));
      case BYTES -> bytesFromZero(most);
      case NUMBER -> least > 0 && most / least > FAR ? powers(least, most) : fromZero(most);
    };
  }

  boolean logarithmic() {
    return logarithmic;
  }

  List<Mark> marks() {
    return marks;
  }

  /** From 0 to 1 between the ends of the axis. */
  double position(double value) {
    double position =
        logarithmic
            ? Math.log(Math.max(value, low) / low) / Math.log(high / low)
            : (value - low) / (high - low);
    return Math.max(0, Math.min(1, position));
  }

  private static List<Mark> multiples(double most, double step, DoubleFunction<String> text) {
    List<Mark> marks = new ArrayList<>();
    for (int i = 0; i * step <= most * 1.0001; i++) {
      marks.add(new Mark(i * step, text.apply(i * step)));
    }
    return marks;
  }

  private static ChartScale fromZero(double most) {
    double high = most > 0 ? most : 1;
    double step = Math.pow(10, Math.floor(Math.log10(high)));
    double[] factors = {0.1, 0.2, 0.25, 0.5, 1, 2, 5};
    for (double factor : factors) {
      if (Math.ceil(high / (step * factor)) < MOST) {
        double to = Math.ceil(high / (step * factor) - 1e-9) * step * factor;
        return new ChartScale(0, to, false, multiples(to, step * factor, NumberText::of));
      }
    }
    throw new IllegalStateException("value: " + most + " (expected: a number)");
  }

  private static ChartScale bytesFromZero(double most) {
    double step = 1024;
    while (most / step >= MOST) {
      step *= 2;
    }
    double to = Math.ceil(most / step) * step;
    return new ChartScale(0, to, false, multiples(to, step, NumberText::bytes));
  }

  private static ChartScale powers(double least, double most) {
    double low = Math.max(least, most / 1e9);
    int from = (int) Math.floor(Math.log10(low));
    int to = (int) Math.ceil(Math.log10(most));
    int stride = Math.max(1, (int) Math.ceil((to - from) / (double) (MOST - 1)));
    double[] factors = to - from <= 2 ? new double[] {1, 2, 5} : new double[] {1};
    List<Mark> marks = new ArrayList<>();
    for (int power = from; power <= to; power += stride) {
      for (double factor : factors) {
        double value = factor * Math.pow(10, power);
        if (value >= low * 0.999 && value <= most * 1.001) {
          marks.add(new Mark(value, NumberText.of(value)));
        }
      }
    }
    return new ChartScale(low, Math.max(most, low * 1.01), true, marks);
  }

  private static ChartScale bytes(double least, double most) {
    int from = (int) Math.floor(Math.log(least) / Math.log(2));
    int to = Math.max(from + 1, (int) Math.ceil(Math.log(most) / Math.log(2)));
    int stride = Math.max(1, (to - from + MOST - 2) / (MOST - 1));
    List<Mark> marks = new ArrayList<>();
    for (int power = from; power <= to; power++) {
      if (Math.floorMod(power, stride) == 0) {
        marks.add(new Mark(Math.pow(2, power), NumberText.bytes(Math.pow(2, power))));
      }
    }
    return new ChartScale(Math.pow(2, from), Math.pow(2, to), true, marks);
  }

  private static List<Mark> times(double least, double most, ZoneId zone) {
    long step = STEPS[0];
    for (int i = 0; i < STEPS.length && (most - least) / step > MOST - 1; i++) {
      step = STEPS[Math.min(i + 1, STEPS.length - 1)];
    }
    ZonedDateTime first = Instant.ofEpochSecond((long) least).atZone(zone);
    ZonedDateTime at = first.toLocalDate().atStartOfDay(zone);
    List<Mark> marks = new ArrayList<>();
    while (at.toEpochSecond() <= most) {
      if (at.toEpochSecond() >= least) {
        boolean day = step >= DAY || at.toLocalTime().toSecondOfDay() == 0;
        DateTimeFormatter format = step >= 365 * DAY ? YEAR : day ? DATE : CLOCK;
        marks.add(new Mark(at.toEpochSecond(), format.format(at)));
      }
      at = step >= DAY ? at.plusDays(step / DAY) : at.plus(Duration.ofSeconds(step));
    }
    return marks;
  }
}

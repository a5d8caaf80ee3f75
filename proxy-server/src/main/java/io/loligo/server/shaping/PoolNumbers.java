package io.loligo.server.shaping;

import io.loligo.core.config.Line;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number of pools, and the numbers of pools in other lines. Confined to one thread.
 *
 * <p>Squid ignores a line with a number beyond those announced before it, and then limits less than
 * its file says. Here such a line stops the start.
 */
final class PoolNumbers {
  private static final int MOST = 65_535;

  private final Report report;
  private final String directive;
  private final List<Line> early = new ArrayList<>();
  private @Nullable Line line;
  private int most;

  /** No pools, which {@code directive} announces. */
  PoolNumbers(Report report, String directive) {
    this.report = report;
    this.directive = directive;
  }

  /** {@code announcing} is a line with the number of pools. */
  void count(Line announcing) {
    String text = announcing.values().isEmpty() ? "" : announcing.values().get(0);
    int number = number(text);
    if (number < 0 || announcing.values().size() > 1) {
      report.error(announcing, String.join(" ", announcing.values()), "0 to " + MOST, "");
    } else if (line != null && number < most) {
      report.error(announcing, text, "one line with the number of pools", "");
    } else {
      most = number;
      line = announcing;
    }
  }

  /** The pool that {@code of} is about, from 1; 0: none, which is reported now or at the end. */
  int of(Line of) {
    String text = of.values().isEmpty() ? "" : of.values().get(0);
    int number = number(text);
    if (number < 1) {
      report.error(of, text, "the number of a pool, from 1", "");
      return 0;
    }
    if (line == null || most == 0) {
      early.add(of);
      return 0;
    }
    if (number > most) {
      String advice = directive + " announces " + most + " before this line";
      report.error(of, text, "the number of a pool from 1 to " + most, advice);
      return 0;
    }
    return number;
  }

  /** Reports lines before the number of pools. */
  void end() {
    for (Line one : early) {
      if (most == 0) {
        report.warning(one, "", "", "it has no effect without " + directive);
      } else {
        report.error(one, "", "a place behind " + directive, "Squid ignores it here");
      }
    }
  }

  /** The number of pools. */
  int most() {
    return most;
  }

  /** The line that says so; null: none. */
  @Nullable Line line() {
    return line;
  }

  /** The number that {@code text} is, 0 to {@value #MOST}; -1: none. */
  static int number(String text) {
    long number = bytes(text);
    return number > MOST ? -1 : (int) number;
  }

  /** The number of bytes that {@code text} is, in digits; -1: none. */
  static long bytes(String text) {
    if (text.isEmpty() || text.length() > 18) {
      return -1;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return -1;
      }
    }
    return Long.parseLong(text);
  }
}

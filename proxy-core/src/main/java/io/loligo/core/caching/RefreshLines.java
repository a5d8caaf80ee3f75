package io.loligo.core.caching;

import io.loligo.core.acl.PosixRegex;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads {@code refresh_pattern} lines. Confined to one thread. */
final class RefreshLines implements LineReader<List<RefreshPattern>> {
  private static final long YEAR_MINUTES = 525_600;
  private static final Set<String> OBSOLETE =
      Set.of("ignore-no-cache", "ignore-must-revalidate", "ignore-auth");

  private final Report report;
  private final List<RefreshPattern> patterns = new ArrayList<>();

  RefreshLines(Reading reading) {
    this.report = reading.report();
  }

  @Override
  public List<RefreshPattern> value() {
    return List.copyOf(patterns);
  }

  @Override
  public void read(Line line) {
    List<String> values = new ArrayList<>(line.values());
    boolean ignoreCase = false;
    while (!values.isEmpty() && (values.get(0).equals("-i") || values.get(0).equals("+i"))) {
      ignoreCase = values.remove(0).equals("-i");
    }
    if (values.size() < 4) {
      report.error(line, String.join(" ", values), "REGEX MIN PERCENT% MAX", "");
      return;
    }
    PosixRegex regex = PosixRegex.compile(values.get(0), ignoreCase);
    if (regex.error() != null) {
      report.error(line, values.get(0), "a POSIX extended regular expression", regex.error());
    } else if (regex.warning() != null) {
      report.warning(line, values.get(0), "", regex.warning());
    }
    long min = minutes(line, values.get(1));
    int percent = percent(line, values.get(2));
    long max = minutes(line, values.get(3));
    Set<RefreshPattern.Option> options = EnumSet.noneOf(RefreshPattern.Option.class);
    long maxStaleSeconds = -1;
    for (String word : values.subList(4, values.size())) {
      Option option = Option.of(word);
      if (option.name().equals("max-stale")) {
        maxStaleSeconds = maxStale(line, word, option);
      } else {
        option(line, word, options);
      }
    }
    if (regex.pattern() != null) {
      patterns.add(
          new RefreshPattern(
              regex.pattern(), min, percent, max, options, maxStaleSeconds, line.source()));
    }
  }

  private long minutes(Line line, String word) {
    if (!word.matches("-?[0-9]{1,15}")) {
      report.error(line, word, "a number of minutes", "");
      return 0;
    }
    long minutes = Long.parseLong(word);
    long clamped = Math.max(0, Math.min(YEAR_MINUTES, minutes));
    if (clamped != minutes) {
      report.warning(line, word, "0 to " + YEAR_MINUTES + " minutes", "taken as " + clamped);
    }
    return clamped;
  }

  private int percent(Line line, String word) {
    String digits = word.endsWith("%") ? word.substring(0, word.length() - 1) : word;
    if (!digits.matches("[0-9]{1,8}")) {
      report.error(line, word, "a percentage", "");
      return 0;
    }
    return Integer.parseInt(digits);
  }

  private long maxStale(Line line, String word, Option option) {
    int seconds = option.number(Integer.MAX_VALUE);
    if (seconds < 0) {
      report.error(line, word, "max-stale=SECONDS", "");
    }
    return seconds;
  }

  private void option(Line line, String word, Set<RefreshPattern.Option> options) {
    if (OBSOLETE.contains(word)) {
      report.warning(line, word, "", "obsolete, without effect: remove it");
      return;
    }
    String name = word.toUpperCase(Locale.ROOT).replace('-', '_');
    for (RefreshPattern.Option option : RefreshPattern.Option.values()) {
      if (option.name().equals(name) && word.indexOf('_') < 0) {
        options.add(option);
        warnOfViolation(line, word, option);
        return;
      }
    }
    report.warning(line, word, "an option of refresh_pattern", "ignored, as in Squid");
  }

  private void warnOfViolation(Line line, String word, RefreshPattern.Option option) {
    if (option != RefreshPattern.Option.REFRESH_IMS
        && option != RefreshPattern.Option.STORE_STALE) {
      report.warning(line, word, "", "this option violates HTTP");
    }
  }
}

package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.Option;
import io.loligo.core.config.Report;
import io.loligo.server.helper.HelperChildren;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth_param SCHEME children} lines. Confined to one thread. */
final class SchemeChildren {
  private static final Set<String> OPTIONS =
      Set.of("startup", "idle", "concurrency", "queue-size", "reservation-timeout");
  private static final int MAX_CHILDREN = 10_000;
  private static final int MAX_QUEUE = 100_000;

  private final Report report;
  private final Map<String, Integer> counts = new HashMap<>();
  private int number = 20;
  private boolean refusesOverload;
  private @Nullable Line lastLine;

  SchemeChildren(Report report) {
    this.report = report;
  }

  void read(Line line, List<String> words) {
    int most = new Option("children", words.get(0)).number(MAX_CHILDREN);
    if (most < 1) {
      report.error(line, words.get(0), "a number from 1 to " + MAX_CHILDREN, "");
      return;
    }
    number = most;
    lastLine = line;
    counts.clear();
    refusesOverload = words.contains("on-persistent-overload=ERR");
    for (String word : words.subList(1, words.size())) {
      Option option = Option.of(word);
      boolean isCount = OPTIONS.contains(option.name()) && option.number(MAX_QUEUE) >= 0;
      boolean isAction =
          word.equals("on-persistent-overload=ERR") || word.equals("on-persistent-overload=die");
      if (isCount) {
        counts.put(option.name(), option.number(MAX_QUEUE));
      } else if (!isAction) {
        report.error(line, word, "an option of children, such as startup=1", "");
      }
    }
  }

  /** Most at the same time. */
  int number() {
    return number;
  }

  /** The value of {@code option}; -1: it is not there. */
  int option(String option) {
    return counts.getOrDefault(option, -1);
  }

  /**
   * Reports options without effect.
   *
   * @param reserves whether a child is reserved for one client at times, and has no channels
   */
  void check(boolean reserves) {
    Line line = lastLine;
    if (line == null) {
      return;
    }
    if (!reserves && option("reservation-timeout") >= 0) {
      String why = "reservation-timeout has no effect: no child of this program is reserved";
      report.warning(line, "reservation-timeout", "", why);
    }
    if (reserves && option("concurrency") > 0) {
      String why = "concurrency has no effect, as in Squid: a child has one client at a time";
      report.warning(line, "concurrency", "", why);
    }
  }

  /** Those of a helper program. */
  HelperChildren ofHelper() {
    int most = Math.min(number, HelperChildren.MOST);
    int queue = option("queue-size");
    return new HelperChildren(
        most,
        Math.min(counts.getOrDefault("startup", 0), most),
        Math.max(1, Math.min(counts.getOrDefault("idle", 1), most)),
        Math.min(counts.getOrDefault("concurrency", 0), HelperChildren.MOST_CONCURRENT),
        queue < 0 ? 2 * most : queue,
        queue < 0,
        refusesOverload,
        counts.getOrDefault("reservation-timeout", HelperChildren.USUAL_RESERVATION_SECONDS));
  }
}

package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.Reading;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Languages of error pages. While a file is read, the languages found. Confined to one thread. */
final class PageLanguages {
  /** A language tag, as folders of Squid's translations are named. */
  static final Pattern TAG = Pattern.compile("[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}");

  /** The most ranges of a field that count. */
  static final int MOST_RANGES = 16;

  private static final Pattern RANGE =
      Pattern.compile(
          "([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,6}) *(?:; *q *= *([01](?:\\.[0-9]{0,3})?))?");

  private final Set<String> found = new HashSet<>();

  /** None so far. */
  PageLanguages(Reading reading) {
    assert reading != null;
  }

  /** The folder in force has pages in these languages. */
  void replaceBy(Collection<String> languages) {
    found.clear();
    found.addAll(languages);
  }

  /** Whether the folder has pages in {@code language}. */
  boolean has(String language) {
    return found.contains(language);
  }

  private record Range(String tag, double weight) {}

  /**
   * The languages in a value of Accept-Language (RFC 9110 section 12.5.4), the preferred one first,
   * each followed by its shorter forms (RFC 4647 section 3.4): {@code de-at}, {@code de}.
   */
  static List<String> accepted(@Nullable String value) {
    List<Range> ranges = new ArrayList<>();
    String[] items = value == null ? new String[0] : value.split(",", MOST_RANGES + 1);
    for (int i = 0; i < Math.min(items.length, MOST_RANGES); i++) {
      Matcher range = RANGE.matcher(items[i].strip().toLowerCase(Locale.ROOT));
      if (range.matches()) {
        double weight = range.group(2) == null ? 1 : Double.parseDouble(range.group(2));
        ranges.add(new Range(range.group(1), weight));
      }
    }
    ranges.removeIf(range -> range.weight == 0);
    ranges.sort(Comparator.comparingDouble(range -> -range.weight)); // stable
    List<String> tags = new ArrayList<>();
    for (Range range : ranges) {
      for (String tag = range.tag; !tag.isEmpty(); ) {
        tags.add(tag);
        tag = tag.substring(0, Math.max(0, tag.lastIndexOf('-')));
      }
    }
    return tags;
  }
}

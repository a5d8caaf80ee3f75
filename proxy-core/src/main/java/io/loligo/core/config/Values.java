package io.loligo.core.config;

import io.loligo.core.message.IpText;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the scalar values of a directive. Stateless. */
final class Values {
  /** In the value of a size: no limit. */
  static final long NO_LIMIT = -1;

  private static final BigDecimal KB = BigDecimal.valueOf(1024);
  private static final List<String> BYTE_UNITS = List.of("bytes", "kb", "mb", "gb");
  private static final List<String> TIME_UNITS =
      List.of(
          "nanosecond",
          "microsecond",
          "millisecond",
          "second",
          "minute",
          "hour",
          "day",
          "week",
          "fortnight",
          "month",
          "year",
          "decade");
  private static final long[] TIME_MILLIS = {
    0,
    0,
    1,
    1_000,
    60_000,
    3_600_000,
    86_400_000,
    604_800_000,
    1_209_600_000,
    2_592_000_000L,
    31_557_600_000L,
    315_576_000_000L
  };

  private Values() {}

  /**
   * The result of reading a value.
   *
   * @param value Long, Boolean, String or List of String; null if it is not valid
   * @param used number of words it took
   * @param expected with a null value the correct form
   * @param advice with a null value the remedy, else a remark; may be empty
   */
  record Parsed(@Nullable Object value, int used, String expected, String advice) {
    static Parsed of(Object value, int used) {
      return new Parsed(value, used, "", "");
    }

    static Parsed failed(String expected, String advice) {
      return new Parsed(null, 0, expected, advice);
    }
  }

  static Parsed read(Directive directive, List<String> words) {
    if (words.isEmpty()) {
      return Parsed.failed(directive.form(), "give a value");
    }
    String first = words.get(0);
    return switch (directive.type()) {
      case BYTES, BYTES_BY_ACL -> bytes(directive, words, 1);
      case KILOBYTES -> bytes(directive, words, 1024);
      case SECONDS -> time(directive, words, 1_000);
      case MILLISECONDS -> time(directive, words, 1);
      case ON_OFF -> onOff(first);
      case INTEGER -> integer(directive, first);
      case CHOICE -> choice(directive, first);
      case TEXT, PATH -> text(directive.check(), first);
      case ADDRESSES -> addresses(words);
      case RULES, LINE -> Parsed.of(List.copyOf(words), words.size());
    };
  }

  /** The value without a line; null if there is none. */
  static @Nullable Object usual(Directive directive) {
    String text = directive.defaultText();
    return text.isEmpty() ? null : read(directive, List.of(text.split(" "))).value();
  }

  /** Whether {@code words} of {@code line} are a valid value; problems are reported. */
  static boolean check(Directive directive, Line line, List<String> words, Report report) {
    if (directive.type() == ValueType.LINE || directive.type() == ValueType.RULES) {
      return true;
    }
    Parsed parsed = read(directive, words);
    if (parsed.value() == null) {
      String value = String.join(" ", words);
      report.error(line, value, parsed.expected(), parsed.advice());
      return false;
    }
    if (!parsed.advice().isEmpty()) {
      report.warning(line, String.join(" ", words), "", parsed.advice());
    }
    if (parsed.used() < words.size()) {
      List<String> extra = words.subList(parsed.used(), words.size());
      report.warning(line, String.join(" ", extra), "nothing more", "ignored");
    }
    return true;
  }

  private static Parsed choice(Directive directive, String word) {
    String other = directive.readAs(word);
    if (other != null) {
      return new Parsed(other, 1, "", "taken as " + other + ", as in Squid");
    }
    return directive.choices().contains(word)
        ? Parsed.of(word, 1)
        : Parsed.failed(String.join(", ", directive.choices()), "");
  }

  private static Parsed text(@Nullable WordCheck check, String word) {
    return check == null || check.test().test(word)
        ? Parsed.of(word, 1)
        : Parsed.failed(check.expected(), check.advice().apply(word));
  }

  private static Parsed addresses(List<String> words) {
    List<String> valid = words.stream().filter(word -> IpText.parse(word) != null).toList();
    boolean all = valid.size() == words.size();
    String advice = all ? "" : "words that are no IP addresses are ignored, as in Squid";
    return new Parsed(valid, words.size(), "", advice);
  }

  private static Parsed onOff(String word) {
    return switch (word) {
      case "on" -> Parsed.of(true, 1);
      case "off" -> Parsed.of(false, 1);
      case "enable" -> new Parsed(true, 1, "", "enable is deprecated: write on");
      case "disable" -> new Parsed(false, 1, "", "disable is deprecated: write off");
      default ->
          Parsed.failed(
              "on or off",
              switch (word.toLowerCase(Locale.ROOT)) {
                case "on", "yes", "true", "1" -> "write on";
                case "off", "no", "false", "0" -> "write off";
                default -> "";
              });
    };
  }

  private static Parsed integer(Directive directive, String word) {
    String expected = "an integer" + rangeText(directive, 1, "");
    if (!word.matches("-?[0-9]{1,18}")) {
      boolean percent = word.matches("[0-9]+%");
      return Parsed.failed(
          expected, percent ? "write " + word.substring(0, word.length() - 1) : "");
    }
    long number = Long.parseLong(word);
    if (directive.noLimit() && number == NO_LIMIT) {
      return Parsed.of(NO_LIMIT, 1);
    }
    long near = directive.tolerated(BigDecimal.valueOf(number)).longValue();
    if (near < directive.min() || near > directive.max()) {
      return Parsed.failed(expected, "");
    }
    return new Parsed(near, 1, "", near == number ? "" : "taken as " + near);
  }

  private static Parsed bytes(Directive directive, List<String> words, long defaultUnit) {
    String word = words.get(0);
    String expected =
        "a number, a blank and bytes, KB, MB or GB" + rangeText(directive, 1, " bytes");
    if (directive.noLimit() && word.equals("none")) {
      return Parsed.of(NO_LIMIT, 1);
    }
    BigDecimal number = number(word);
    if (number == null) {
      return Parsed.failed(expected, gluedUnit(word, true));
    }
    String unit = words.size() > 1 ? words.get(1).toLowerCase(Locale.ROOT) : "";
    int power = unitIndex(BYTE_UNITS, unit);
    boolean known = unit.isEmpty() || power >= 0;
    boolean minusOne = number.compareTo(BigDecimal.ONE.negate()) == 0;
    if (minusOne && directive.noLimit()) {
      String remark = known ? "" : "the unit " + words.get(1) + " is unknown, as in Squid";
      return new Parsed(NO_LIMIT, unit.isEmpty() ? 1 : 2, "", remark);
    }
    if (!known) {
      return Parsed.failed(expected, byteUnitAdvice(word, unit));
    }
    BigDecimal factor = unit.isEmpty() ? BigDecimal.valueOf(defaultUnit) : KB.pow(power);
    BigDecimal given = number.multiply(factor);
    BigDecimal bytes = directive.tolerated(given);
    boolean off = directive.type() == ValueType.BYTES_BY_ACL && bytes.signum() == 0;
    if (outside(directive, bytes) && !off) {
      return Parsed.failed(expected, "");
    }
    String remark =
        bytes.compareTo(given) != 0
            ? "taken as " + bytes + " bytes"
            : unit.isEmpty() && number.signum() != 0
                ? "no unit: taken as " + (defaultUnit == 1 ? "bytes" : "KB")
                : "";
    return new Parsed(bytes.longValue(), unit.isEmpty() ? 1 : 2, "", remark);
  }

  private static String byteUnitAdvice(String number, String unit) {
    return switch (unit) {
      case "k", "kib", "kbytes" -> "write " + number + " KB";
      case "m", "mib", "mbytes" -> "write " + number + " MB";
      case "g", "gib", "gbytes" -> "write " + number + " GB";
      case "b", "byte" -> "write " + number + " bytes";
      case "tb", "t", "tib" -> "write it in GB";
      default -> "";
    };
  }

  private static Parsed time(Directive directive, List<String> words, long keptMillis) {
    String word = words.get(0);
    String smallest = keptMillis == 1 ? "millisecond" : "second";
    String expected = "a number, a blank and a unit from " + smallest + " to decade";
    BigDecimal number = number(word);
    if (number == null) {
      return Parsed.failed(expected, gluedUnit(word, false));
    }
    if (number.signum() < 0) {
      return Parsed.failed(expected, "a time cannot be negative");
    }
    if (words.size() < 2) {
      return number.signum() == 0
          ? Parsed.of(0L, 1)
          : Parsed.failed(expected, "add the unit: " + word + " seconds?");
    }
    String unit = words.get(1).toLowerCase(Locale.ROOT);
    int index = timeUnit(unit);
    if (index < 0) {
      return Parsed.failed(expected, timeUnitAdvice(word, unit));
    }
    if (TIME_MILLIS[index] < keptMillis) {
      return Parsed.failed(expected, "the unit " + unit + " is too small here");
    }
    BigDecimal kept =
        number
            .multiply(BigDecimal.valueOf(TIME_MILLIS[index]))
            .divideToIntegralValue(BigDecimal.valueOf(keptMillis));
    if (outside(directive, kept)) {
      return Parsed.failed(expected + rangeText(directive, keptMillis, " ms"), "");
    }
    return Parsed.of(kept.longValue(), 2);
  }

  private static String timeUnitAdvice(String number, String unit) {
    return switch (unit) {
      case "s", "sec", "secs" -> "write " + number + " seconds";
      case "m", "min", "mins" -> "write " + number + " minutes";
      case "h", "hr", "hrs" -> "write " + number + " hours";
      case "d" -> "write " + number + " days";
      case "ms", "msec" -> "write " + number + " milliseconds";
      default -> "";
    };
  }

  private static String gluedUnit(String word, boolean bytes) {
    int end = 0;
    while (end < word.length() && "0123456789.".indexOf(word.charAt(end)) >= 0) {
      end++;
    }
    if (end == 0 || end == word.length()) {
      return "";
    }
    String number = word.substring(0, end);
    String unit = word.substring(end);
    String lower = unit.toLowerCase(Locale.ROOT);
    boolean known = (bytes ? unitIndex(BYTE_UNITS, lower) : timeUnit(lower)) >= 0;
    if (known) {
      return "write " + number + " " + unit;
    }
    return bytes ? byteUnitAdvice(number, lower) : timeUnitAdvice(number, lower);
  }

  /** Index of the unit in singular or plural; -1: there is none. */
  private static int timeUnit(String unit) {
    int index = TIME_UNITS.indexOf(unit);
    return index < 0 && unit.endsWith("s")
        ? TIME_UNITS.indexOf(unit.substring(0, unit.length() - 1))
        : index;
  }

  private static int unitIndex(List<String> units, String unit) {
    for (int i = 0; i < units.size(); i++) {
      if (unit.startsWith(units.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable BigDecimal number(String word) {
    return word.matches("-?([0-9]{1,18}([.][0-9]{0,18})?|[.][0-9]{1,18})")
        ? new BigDecimal(word)
        : null;
  }

  private static boolean outside(Directive directive, BigDecimal value) {
    return value.compareTo(BigDecimal.valueOf(directive.min())) < 0
        || value.compareTo(BigDecimal.valueOf(directive.max())) > 0;
  }

  private static String rangeText(Directive directive, long unit, String suffix) {
    if (directive.max() == Long.MAX_VALUE) {
      return directive.min() == Long.MIN_VALUE
          ? ""
          : ", at least " + directive.min() * unit + suffix;
    }
    return " from " + directive.min() * unit + " to " + directive.max() * unit + suffix;
  }
}

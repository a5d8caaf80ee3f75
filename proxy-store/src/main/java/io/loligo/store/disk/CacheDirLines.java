package io.loligo.store.disk;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads {@code cache_dir} lines. Confined to one thread. */
final class CacheDirLines implements LineReader<CacheDirs> {
  private static final int MAX_NUMBER = 999_999_999;
  private static final String TYPES = "ufs, aufs, diskd, rock or null";
  private static final Set<String> FOLDERS = Set.of("ufs", "aufs", "diskd");
  private static final String MEMORY_ONLY = "memory only: nothing is kept on disk";

  private final Reading reading;
  private final Report report;
  private final Map<String, OneDir> dirs = new LinkedHashMap<>();
  private final List<Line> nulls = new ArrayList<>();

  CacheDirLines(Reading reading) {
    this.reading = reading;
    this.report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    String type = values.isEmpty() ? "" : values.get(0);
    switch (type) {
      case "null" -> {
        nulls.add(line);
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, MEMORY_ONLY);
      }
      case "coss" -> report.error(line, "coss", TYPES, cossAdvice(values));
      case "ufs", "aufs", "diskd", "rock" -> directory(line, values);
      default -> report.error(line, type, TYPES, "");
    }
  }

  private static String cossAdvice(List<String> values) {
    String path = values.size() > 1 ? values.get(1) : "PATH";
    String size = values.size() > 2 ? values.get(2) : "MBYTES";
    return "a folder takes the place of the coss file: write cache_dir rock "
        + path
        + " "
        + size
        + ", with max-size= as it was and without the other options";
  }

  private void directory(Line line, List<String> values) {
    boolean folders = FOLDERS.contains(values.get(0));
    int fixed = folders ? 5 : 3;
    String form = folders ? " PATH MBYTES L1 L2 [OPTION...]" : " PATH MBYTES [OPTION...]";
    if (values.size() < fixed) {
      String advice =
          folders && values.size() == 3
              ? "add L1 and L2, which are read and ignored, or write rock for " + values.get(0)
              : "";
      report.error(line, String.join(" ", values), values.get(0) + form, advice);
      return;
    }
    OneDir dir = new OneDir(line, values.get(0), values.get(1));
    dir.size(values.get(2));
    if (folders) {
      dir.level(values.get(3));
      dir.level(values.get(4));
    }
    for (String word : values.subList(fixed, values.size())) {
      dir.option(word);
    }
    OneDir other = dirs.putIfAbsent(plain(dir.path), dir);
    if (other != null) {
      report.error(
          line,
          dir.path,
          "a folder not listed yet",
          "it stands at " + other.line.source() + ": remove one of the lines");
    }
  }

  /** The path in a canonical form: without {@code //}, {@code /./} and a slash at the end. */
  private static String plain(String path) {
    String plain = path.replaceAll("/(\\./|/)+", "/").replaceAll("(?<=.)/\\.?$", "");
    return plain.startsWith("./") ? plain.substring(2) : plain;
  }

  @Override
  public void end() {
    if (!dirs.isEmpty()) {
      for (Line line : nulls) {
        report.warning(line, "null", "", "without effect beside another cache_dir");
      }
    }
    for (OneDir dir : dirs.values()) {
      dir.finish();
    }
  }

  @Override
  public CacheDirs value() {
    List<CacheDir> built = dirs.values().stream().map(OneDir::build).toList();
    return new CacheDirs(built, loadTimeoutMillis(), largestMaxSize());
  }

  /**
   * The longest {@code swap-timeout=} of the lines that have one, because it is not yet known which
   * directory will answer; 0: no limit.
   */
  private long loadTimeoutMillis() {
    long longest = -1;
    for (OneDir dir : dirs.values()) {
      if (dir.swapTimeoutMillis == 0) {
        return 0;
      }
      longest = Math.max(longest, dir.swapTimeoutMillis);
    }
    return longest < 0 ? CacheDirs.LOAD_TIMEOUT_MILLIS : longest;
  }

  /**
   * The greatest {@code max-size=}, which holds for its directory even above {@code
   * maximum_object_size}; 0 without one.
   */
  private long largestMaxSize() {
    long largest = 0;
    for (OneDir dir : dirs.values()) {
      if (dir.maxSizeGiven) {
        boolean none = dir.maxObjectBytes == ProxyConfig.NO_LIMIT;
        largest = Math.max(largest, none ? Long.MAX_VALUE : dir.maxObjectBytes);
      }
    }
    return largest;
  }

  /** One line. */
  private final class OneDir {
    private final Line line;
    private final String type;
    private final String path;
    private long maxBytes;
    private long minObjectBytes = -1;
    private long maxObjectBytes;
    private boolean maxSizeGiven;
    private boolean readOnly;
    private long swapTimeoutMillis = -1;

    OneDir(Line line, String type, String path) {
      this.line = line;
      this.type = type;
      this.path = path;
    }

    void size(String word) {
      int megabytes = new Option("", word).number(MAX_NUMBER);
      if (megabytes <= 0) {
        report.error(line, word, "a number of megabytes, at least 1", sizeAdvice(word));
      }
      maxBytes = (long) megabytes << 20;
    }

    private static String sizeAdvice(String word) {
      if (!word.matches("(?i)[0-9]{1,6}(MB?|GB?|TB?)")) {
        return "";
      }
      long number = Long.parseLong(word.replaceAll("[^0-9]", ""));
      return switch (word.replaceAll("[0-9]", "").charAt(0)) {
        case 'm', 'M' -> "write " + number;
        case 'g', 'G' -> "write " + (number << 10);
        default -> "write " + (number << 20);
      };
    }

    void level(String word) {
      if (new Option("", word).number(MAX_NUMBER) <= 0) {
        report.error(
            line, word, "L1 and L2, numbers from 1", "they are ignored, but must be there");
      }
    }

    void option(String word) {
      Option option = Option.of(word);
      switch (option.name()) {
        case "min-size" -> minObjectBytes = bytes(word, option);
        case "max-size" -> {
          maxSizeGiven = true;
          maxObjectBytes = "-1".equals(option.value()) ? ProxyConfig.NO_LIMIT : bytes(word, option);
        }
        case "no-store", "read-only" -> readOnly = flag(word, option);
        case "swap-timeout" -> swapTimeout(word, option);
        case "slot-size" -> rockOnly(word, option, "objects are packed without slots");
        case "max-swap-rate" ->
            rockOnly(word, option, "loligo_disk_write_queue bounds what is written");
        case "Q1", "Q2" -> unused(word, "there is no diskd program, see loligo_disk_threads");
        case "IOEngine" -> unused(word, "disks are read by threads, see loligo_disk_threads");
        default -> report.error(line, word, "an option of cache_dir", "remove the option");
      }
    }

    private long bytes(String word, Option option) {
      String value = option.value();
      if (value == null || !value.matches("[0-9]{1,18}")) {
        report.error(line, word, option.name() + "=BYTES", "");
        return 0;
      }
      return Long.parseLong(value);
    }

    private boolean flag(String word, Option option) {
      boolean off = "0".equals(option.value());
      if (option.value() != null && !off && !option.value().equals("1")) {
        report.error(line, word, option.name(), "");
      }
      return !off;
    }

    private void swapTimeout(String word, Option option) {
      if (rock(word)) {
        swapTimeoutMillis = number(word, option);
      }
    }

    private void rockOnly(String word, Option option, String instead) {
      if (rock(word)) {
        number(word, option);
        unused(word, instead);
      }
    }

    private boolean rock(String word) {
      if (!type.equals("rock")) {
        report.error(line, word, "an option of cache_dir " + type, "remove the option");
      }
      return type.equals("rock");
    }

    private int number(String word, Option option) {
      int number = option.number(MAX_NUMBER);
      if (number < 0) {
        report.error(line, word, option.name() + "=NUMBER", "");
      }
      return number;
    }

    private void unused(String word, String instead) {
      report.warning(line, word, "", "without effect: " + instead);
    }

    void finish() {
      if (minObjectBytes < 0) {
        minObjectBytes = reading.value(CachingDirectives.MINIMUM_OBJECT_SIZE);
      }
      if (!maxSizeGiven) {
        maxObjectBytes = reading.value(CachingDirectives.MAXIMUM_OBJECT_SIZE);
      }
      if (maxObjectBytes >= 0 && minObjectBytes > maxObjectBytes) {
        report.error(
            line,
            "min-size " + minObjectBytes,
            "no more than max-size " + maxObjectBytes,
            "nothing would be stored");
      }
    }

    CacheDir build() {
      return new CacheDir(
          type, path, maxBytes, minObjectBytes, maxObjectBytes, readOnly, line.source());
    }
  }
}

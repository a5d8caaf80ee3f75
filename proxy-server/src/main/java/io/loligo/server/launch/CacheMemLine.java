package io.loligo.server.launch;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A look at {@code cache_mem} before the configuration is read: the flags depend on how many
 * objects the heap will have. Stateless.
 */
final class CacheMemLine {
  /** The file has no such line. */
  static final long NONE = -1;

  /** The file does not tell for certain. */
  static final long UNCERTAIN = Long.MAX_VALUE;

  private static final String DIRECTIVE = "cache_mem";

  /** Words at the beginning of a line after which one line alone does not tell. */
  private static final List<String> UNCERTAIN_WORDS = List.of("include", "if");

  /** Loaded for a file that has the directive: compiling them takes the launcher's JVM long. */
  private static final class Patterns {
    static final Pattern LINE =
        Pattern.compile("\\s*cache_mem\\s+([0-9.]+)\\s*(bytes|KB|MB|GB)?\\s*(#.*)?");

    /** In a macro, for example. */
    static final Pattern UNCERTAIN_LINE = Pattern.compile(".*\\bcache_mem\\b.*");
  }

  private CacheMemLine() {}

  /** The largest size that the lines of {@code file} give, {@link #NONE} or {@link #UNCERTAIN}. */
  static long bytes(Path file) {
    try {
      return bytes(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
    } catch (IOException unreadable) {
      return UNCERTAIN; // whoever reads the configuration says why
    }
  }

  static long bytes(List<String> lines) {
    long most = NONE;
    for (String line : lines) {
      StringTokenizer words = new StringTokenizer(line);
      String first = words.hasMoreTokens() ? words.nextToken() : "";
      if (UNCERTAIN_WORDS.contains(first) && words.hasMoreTokens()) {
        return UNCERTAIN;
      }
      if (first.startsWith("#") || !line.contains(DIRECTIVE)) {
        continue;
      }
      Matcher known = Patterns.LINE.matcher(line);
      if (known.matches()) {
        most = Math.max(most, bytes(known.group(1), known.group(2)));
      } else if (Patterns.UNCERTAIN_LINE.matcher(line).matches()) {
        return UNCERTAIN;
      }
    }
    return most;
  }

  private static long bytes(String number, @Nullable String unit) {
    int shift =
        switch (unit == null ? "bytes" : unit.toUpperCase(Locale.ROOT)) {
          case "KB" -> 10;
          case "MB" -> 20;
          case "GB" -> 30;
          default -> 0;
        };
    try {
      return new BigDecimal(number).multiply(BigDecimal.valueOf(1L << shift)).longValue();
    } catch (NumberFormatException wrong) {
      return UNCERTAIN;
    }
  }
}

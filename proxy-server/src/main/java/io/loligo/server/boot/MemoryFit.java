package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigProblem.Severity;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.core.config.ValueInForce;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskDirectives;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fits the memory budgets of a configuration to the available memory. A default is lowered until it
 * fits; a line in the file is used unchanged, and is an error if it is too large. Immutable.
 *
 * @param config the configuration, its default budgets lowered if necessary
 * @param budget the budget of {@code config}
 * @param usual the budget of the configuration as it was read
 * @param historyBytes direct memory for the history, beside the budget; 0: there is none
 */
public record MemoryFit(
    ProxyConfig config, MemoryBudget budget, MemoryBudget usual, int historyBytes) {
  /** {@code cache_mem} and {@code loligo_transit_memory} are not lowered below this. */
  static final long LEAST_BYTES = 8L << 20;

  /** The history takes as much at most (ADR 30). */
  static final int MAX_HISTORY_BYTES = 32 << 20;

  /** This part of the memory that no line and no least budget takes is for the history. */
  private static final int HISTORY_SHARE = 8;

  private static final Setting<Long> CACHE = MemoryDirectives.CACHE_MEM;
  private static final Setting<Long> TRANSIT = MemoryDirectives.TRANSIT_MEMORY;

  /** Fits {@code config} to the memory of this JVM. */
  public static MemoryFit of(ProxyConfig config) {
    return of(config, MemoryBudget.of(config));
  }

  /** Fits {@code config} to the limits of {@code usual}, its budget. */
  static MemoryFit of(ProxyConfig config, MemoryBudget usual) {
    boolean cacheGiven = config.isGiven(CACHE);
    boolean transitGiven = config.isGiven(TRANSIT);
    int history = HistoryPlace.isWanted(config) ? historyBytes(config, usual) : 0;
    long room = usual.roomBytes() - history;
    long cache = usual.cacheBytes();
    long transit = usual.transitBytes();
    if (cacheGiven && !transitGiven) {
      transit = atMost(transit, room - cache);
    } else if (transitGiven && !cacheGiven) {
      cache = atMost(cache, room - transit);
    } else if (!cacheGiven && cache + transit > room) {
      // two thirds for stored responses, as in the defaults
      cache = atMost(cache, Math.min(room / 3 * 2, room - LEAST_BYTES));
      transit = atMost(transit, room - cache);
    }
    ProxyConfig fitted = with(with(config, CACHE, cache), TRANSIT, transit);
    return new MemoryFit(fitted, usual.with(cache, transit), usual, history);
  }

  /** Whole megabytes; it never makes a configuration too large. */
  private static int historyBytes(ProxyConfig config, MemoryBudget usual) {
    long spare =
        usual.roomBytes()
            - (config.isGiven(CACHE) ? usual.cacheBytes() : LEAST_BYTES)
            - (config.isGiven(TRANSIT) ? usual.transitBytes() : LEAST_BYTES);
    long share = Math.max(0, spare / HISTORY_SHARE) >> 20 << 20;
    return (int) Math.min(MAX_HISTORY_BYTES, share);
  }

  private static ProxyConfig with(ProxyConfig config, Setting<Long> budget, long bytes) {
    return config.get(budget) == bytes
        ? config
        : config.with(budget, bytes).showing(budget, (bytes >> 20) + " MB");
  }

  /** {@code usual}, or the whole megabytes of {@code room}, but at least {@link #LEAST_BYTES}. */
  private static long atMost(long usual, long room) {
    return Math.min(usual, Math.max(LEAST_BYTES, room >> 20 << 20));
  }

  /**
   * Fits {@code config}, with {@link AutomaticSizes}, to the memory of a process that {@code run}
   * would start with the flags of this JVM.
   */
  public static MemoryFit ofRun(ProxyConfig config) {
    MemoryBudget budget = MemoryBudget.ofRun(config);
    ProxyConfig sized = AutomaticSizes.of(config, budget);
    return of(sized, budget.with(sized.get(CACHE), sized.get(TRANSIT)));
  }

  /** Adds an error to {@code read} if its configuration does not fit the memory of this JVM. */
  public static ConfigResult check(ConfigResult read, String file) {
    ProxyConfig config = read.config();
    return config == null ? read : check(read, file, of(config));
  }

  /**
   * Adds an error to {@code read} if its configuration would not fit the memory that {@code run}
   * has.
   */
  public static ConfigResult checkRun(ConfigResult read, String file) {
    ProxyConfig config = read.config();
    return config == null ? read : check(read, file, ofRun(config));
  }

  private static ConfigResult check(ConfigResult read, String file, MemoryFit fit) {
    ConfigProblem problem = fit.problem(file);
    if (problem == null) {
      return read;
    }
    List<ConfigProblem> problems = new ArrayList<>(read.problems());
    problems.add(problem);
    List<LineReport> lines =
        read.lines().stream().map(line -> isOf(problem, line) ? wrong(line) : line).toList();
    return new ConfigResult(null, List.copyOf(problems), lines);
  }

  private static boolean isOf(ConfigProblem problem, LineReport line) {
    return line.line() == problem.line() && line.file().equals(problem.file());
  }

  private static LineReport wrong(LineReport line) {
    return new LineReport(
        line.file(),
        line.line(),
        line.text(),
        LineReport.Verdict.ERROR,
        "more memory than available");
  }

  /** Whether a default was lowered. */
  public boolean isLowered() {
    return budget.cacheBytes() < usual.cacheBytes() || budget.transitBytes() < usual.transitBytes();
  }

  /** The budgets in force, the lowered defaults, and the available memory. */
  public String report() {
    String limits =
        "the JVM may use "
            + mb(budget.directLimitBytes())
            + " of direct memory and "
            + mb(budget.heapLimitBytes())
            + " of heap, the machine or container has "
            + mb(budget.machineBytes());
    String budgets =
        "memory: "
            + report(CACHE, budget.cacheBytes(), usual.cacheBytes())
            + ", "
            + report(TRANSIT, budget.transitBytes(), usual.transitBytes())
            + (historyBytes == 0 ? ", no history" : ", history " + mb(historyBytes))
            + ": "
            + limits;
    return isLowered()
        ? budgets
            + "; to raise them, provide more memory, set -XX:MaxDirectMemorySize, or write the"
            + " lines"
        : budgets;
  }

  private static String report(Setting<Long> name, long bytes, long usualBytes) {
    return bytes == usualBytes
        ? name + " " + mb(bytes)
        : name + " " + mb(bytes) + " (lowered from its default, " + mb(usualBytes) + ")";
  }

  /**
   * Null if everything fits. Else an error at the line with the largest budget, or at {@code file}
   * if only defaults count.
   */
  @Nullable ConfigProblem problem(String file) {
    if (budget.fits()) {
      return null;
    }
    ValueInForce line = largest();
    if (line == null) {
      return new ConfigProblem(
          Severity.ERROR, file, 0, "memory", "", "", refusal("provide more memory"));
    }
    boolean dir = line.directive().equals(DiskDirectives.CACHE_DIR.name());
    String remedy =
        dir
            ? "raise store_avg_object_size, or make the cache_dir smaller"
            : "lower " + line.directive() + ", or remove the line: the default adapts";
    return new ConfigProblem(
        Severity.ERROR,
        line.file(),
        line.line(),
        line.directive(),
        line.value(),
        dir ? "" : expected(line.directive()),
        refusal(remedy));
  }

  private String refusal(String remedy) {
    String why = budget.refusal(remedy);
    assert why != null : "it does not fit";
    return why;
  }

  private String expected(String name) {
    long other = name.equals(CACHE.name()) ? budget.transitBytes() : budget.cacheBytes();
    long most = (budget.mostBytes() - other) >> 20;
    return most > 0 ? "at most " + most + " MB" : "";
  }

  /** The line with the largest budget; null if there are only defaults. */
  private @Nullable ValueInForce largest() {
    if (budget.disk().heapBytes() > budget.heapLimitBytes() / 2) {
      return largestDir();
    }
    long cache = config.isGiven(CACHE) ? budget.cacheBytes() : 0;
    long transit = config.isGiven(TRANSIT) ? budget.transitBytes() : 0;
    long disk = budget.disk().directBytes();
    if (disk > Math.max(cache, transit)) {
      return largestDir();
    }
    return cache + transit == 0 ? null : line(cache < transit ? TRANSIT : CACHE);
  }

  private @Nullable ValueInForce line(Setting<Long> budget) {
    return config.inForce().stream()
        .filter(one -> one.directive().equals(budget.name()) && one.line() > 0)
        .findFirst()
        .orElse(null);
  }

  private @Nullable ValueInForce largestDir() {
    String source =
        config.get(DiskDirectives.CACHE_DIR).dirs().stream()
            .max(Comparator.comparingLong(CacheDir::maxBytes))
            .map(CacheDir::source)
            .orElse("");
    return config.inForce().stream()
        .filter(
            one ->
                one.directive().equals(DiskDirectives.CACHE_DIR.name())
                    && one.source().equals(source))
        .findFirst()
        .orElse(null);
  }

  private static String mb(long bytes) {
    return (bytes >> 20) + " MB";
  }
}

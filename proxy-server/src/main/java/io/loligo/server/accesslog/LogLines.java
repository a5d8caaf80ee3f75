package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.config.TimeWords;
import io.loligo.server.record.HitClass;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code access_log}, {@code icap_log}, {@code loligo_slow_log} and {@code logformat} lines.
 * Confined to one thread.
 */
final class LogLines {
  private static final Set<String> WRITTEN = Set.of("stdio", "daemon");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})(?i:(bytes|KB|MB|GB))");
  private static final Map<String, String> BUILT_IN = builtIn();

  private final Report report;
  private final Rules rules;
  private final Map<String, String> formats = new LinkedHashMap<>(BUILT_IN);
  private final List<Draft> drafts = new ArrayList<>();
  private final List<Draft> icapDrafts = new ArrayList<>();
  private final List<Draft> slowDrafts = new ArrayList<>();
  private boolean given;

  private static Map<String, String> builtIn() {
    Map<String, String> all = new LinkedHashMap<>(LogFormat.builtIn());
    all.put(LogFormat.JSON, "");
    return all;
  }

  private LogLines(Reading reading) {
    this.report = reading.report();
    this.rules = reading.rules();
  }

  private static LogLines of(Reading reading) {
    return reading.shared(LogLines.class, LogLines::new);
  }

  /** The reader of {@code access_log} lines. */
  static LineReader<List<LogTarget>> logsOf(Reading reading) {
    LogLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.given = true;
        lines.readLog(line, line.values(), "squid", null, lines.drafts);
      }

      @Override
      public List<LogTarget> value() {
        return lines.targets();
      }
    };
  }

  /** The reader of {@code icap_log} lines. */
  static LineReader<List<LogTarget>> icapLogsOf(Reading reading) {
    LogLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.readLog(line, line.values(), "squid", null, lines.icapDrafts);
      }

      @Override
      public List<LogTarget> value() {
        return lines.targets(lines.icapDrafts);
      }
    };
  }

  /** The reader of {@code loligo_slow_log} lines. */
  static LineReader<List<LogTarget>> slowLogsOf(Reading reading) {
    LogLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.readSlow(line);
      }

      @Override
      public List<LogTarget> value() {
        return lines.targets(lines.slowDrafts);
      }
    };
  }

  /** The reader of {@code logformat} lines. */
  static LineReader<Map<String, String>> formatsOf(Reading reading) {
    LogLines lines = of(reading);
    return new LineReader<>() {
      @Override
      public void read(Line line) {
        lines.readFormat(line);
      }

      @Override
      public Map<String, String> value() {
        return Map.copyOf(lines.formats);
      }
    };
  }

  /** A log whose ACLs are not compiled yet. */
  private record Draft(
      LogPlace where, String format, @Nullable Slowness slow, List<String> terms, Line line) {}

  private void readFormat(Line line) {
    if (line.values().size() < 2) {
      report.error(line, String.join(" ", line.values()), "NAME FORMAT", "");
      return;
    }
    String name = line.values().get(0);
    if (BUILT_IN.containsKey(name)) {
      report.warning(line, name, "", "this format is built in: the line is ignored, rename it");
      report.verdict(line, Verdict.WITHOUT_EFFECT, "built in");
      return;
    }
    if (formats.containsKey(name)) {
      report.error(line, name, "a name not taken", "rename the format: " + name + " exists");
      return;
    }
    String format = line.textBehind(2);
    String first = line.values().get(1);
    if (line.values().size() == 2 && isQuote(format) && !isQuote(first)) {
      format = first; // configuration_includes_quoted_values; otherwise quotes are ordinary text
    }
    LogFormatCodes.Check check = LogFormatCodes.check(format);
    if (check.unknown() != null) {
      report.error(line, check.unknown(), "a code of logformat", "remove it");
    } else if (check.dash() != null) {
      report.warning(line, check.dash(), "", "prints a dash in this version");
    }
    formats.put(name, format);
  }

  private static boolean isQuote(String text) {
    return text.startsWith("\"") || text.startsWith("'");
  }

  private void readSlow(Line line) {
    List<String> values = line.values();
    if (values.equals(List.of("none"))) {
      return;
    }
    if (values.size() < 3) {
      report.error(line, String.join(" ", values), "TIME UNIT [CLASS...] MODULE:PLACE or none", "");
      return;
    }
    long millis = TimeWords.millis(line, values.subList(0, 2), report);
    if (millis < 0) {
      return;
    }
    Set<HitClass> classes = EnumSet.noneOf(HitClass.class);
    int at = 2;
    for (HitClass named; at < values.size(); at++) {
      named = RecordText.classNamed(values.get(at));
      if (named == null) {
        break;
      }
      classes.add(named);
    }
    String place = at < values.size() ? values.get(at) : "";
    if (place.indexOf(':') < 0 && place.indexOf('/') < 0) {
      String known = String.join(", ", RecordText.classNames());
      report.error(line, place, "MODULE:PLACE, or a class before it: " + known, "");
      return;
    }
    // a tunnel lasts as long as its client likes
    Set<HitClass> taken =
        classes.isEmpty() ? EnumSet.complementOf(EnumSet.of(HitClass.TUNNEL)) : classes;
    Slowness slow = new Slowness(TimeUnit.MILLISECONDS.toNanos(millis), Set.copyOf(taken));
    readLog(line, values.subList(at, values.size()), LogFormat.SLOW, slow, slowDrafts);
  }

  private void readLog(
      Line line,
      List<String> values,
      String usualFormat,
      @Nullable Slowness slow,
      List<Draft> into) {
    if (values.isEmpty()) {
      report.error(line, "", "MODULE:PLACE, a path or none", "");
      return;
    }
    String target = values.get(0);
    if (target.equals("none")) {
      add(line, LogPlace.of("none", ""), "", slow, values.subList(1, values.size()), into);
      return;
    }
    int colon = target.indexOf(':');
    String module = colon < 0 ? "stdio" : target.substring(0, colon);
    String place = target.substring(colon + 1);
    String expected = expected(module, place);
    if (expected != null) {
      report.error(line, target, expected, "");
      return;
    }
    Options options = new Options(line, usualFormat);
    List<String> terms = options.read(values.subList(1, values.size()));
    LogPlace where = new LogPlace(module, place, options.options());
    checkSame(line, where);
    add(line, where, options.format, slow, terms, into);
  }

  /** The correct form of {@code module:place}; null if it is valid. */
  private static @Nullable String expected(String module, String place) {
    return switch (module) {
      case "syslog" ->
          SyslogPriority.parse(place) == null
              ? "syslog:FACILITY.PRIORITY such as syslog:daemon.info"
              : null;
      case "udp", "tcp" -> {
        HostPort receiver = HostPort.parse(place.startsWith("//") ? place.substring(2) : place);
        boolean right = receiver != null && !receiver.address().isEmpty() && receiver.port() > 0;
        yield right ? null : module + "://HOST:PORT";
      }
      default ->
          WRITTEN.contains(module) && !place.isEmpty()
              ? null
              : "stdio:PATH, daemon:PATH, syslog:FACILITY.PRIORITY, udp://HOST:PORT,"
                  + " tcp://HOST:PORT, a path or none";
    };
  }

  /** Lines of one place share an output, which has the options of the first. */
  private void checkSame(Line line, LogPlace where) {
    Stream<Draft> others = Stream.of(drafts, icapDrafts, slowDrafts).flatMap(List::stream);
    for (Draft draft : others.toList()) {
      boolean other = !draft.where.options().equals(where.options());
      if (draft.where.text().equals(where.text()) && other) {
        report.warning(line, where.text(), "", "the options of the first line of this place hold");
        return;
      }
    }
  }

  /** The options of one line. */
  private final class Options {
    private final Line line;
    private String format;
    private int bufferBytes;
    private boolean endsProcess;
    private int rotate = -1;

    Options(Line line, String usualFormat) {
      this.line = line;
      this.format = usualFormat;
    }

    /** Reads the format or the options; returns the words behind them. */
    List<String> read(List<String> words) {
      int at = 0;
      if (at < words.size() && words.get(at).indexOf('=') < 0) {
        if (formats.containsKey(words.get(at))) {
          format = words.get(at++);
        }
      } else {
        while (at < words.size() && words.get(at).indexOf('=') >= 0) {
          read(words.get(at++));
        }
      }
      return words.subList(at, words.size());
    }

    private void read(String word) {
      Option option = Option.of(word);
      String value = option.value();
      assert value != null : "it has an equals sign";
      switch (option.name()) {
        case "logformat" -> {
          if (!formats.containsKey(value)) {
            report.error(
                line, word, "a format defined above", "one of " + String.join(", ", known()));
          }
          format = value;
        }
        case "buffer-size" -> bufferSize(word, value);
        case "on-error" -> {
          if (!value.equals("die") && !value.equals("drop")) {
            report.error(line, word, "on-error=die or on-error=drop", "");
          }
          endsProcess = value.equals("die");
        }
        case "rotate" -> {
          rotate = option.number(1000);
          if (rotate < 0) {
            report.error(line, word, "rotate=NUMBER", "");
          }
        }
        default -> report.error(line, word, "an option of access_log", "remove the option");
      }
    }

    private void bufferSize(String word, String value) {
      Matcher size = SIZE.matcher(value);
      if (!size.matches()) {
        report.error(line, word, "buffer-size=NUMBER and KB or MB, without a blank", "");
        return;
      }
      long unit =
          switch (size.group(2).toLowerCase(Locale.ROOT)) {
            case "bytes" -> 1;
            case "kb" -> 1 << 10;
            case "mb" -> 1 << 20;
            default -> 1 << 30;
          };
      long bytes = Long.parseLong(size.group(1)) * unit;
      if (bytes > LogOptions.MAX_BUFFER_BYTES) {
        report.error(line, word, "at most " + (LogOptions.MAX_BUFFER_BYTES >> 20) + "MB", "");
      } else {
        bufferBytes = (int) bytes;
      }
    }

    LogOptions options() {
      return new LogOptions(bufferBytes, endsProcess, rotate);
    }
  }

  private List<String> known() {
    return formats.keySet().stream().sorted().toList();
  }

  private void add(
      Line line,
      LogPlace where,
      String format,
      @Nullable Slowness slow,
      List<String> terms,
      List<Draft> into) {
    if (rules.check(RuleScope.LOG, line, terms)) {
      into.add(new Draft(where, format, slow, List.copyOf(terms), line));
    }
  }

  /** The logs in order; empty if nothing is logged. */
  private List<LogTarget> targets() {
    if (!given) {
      String target = LogDirectives.ACCESS_LOG.directive().defaultText();
      String place = target.substring(target.indexOf(':') + 1, target.indexOf(' '));
      return List.of(new LogTarget(LogPlace.of("daemon", place), "squid", AclList.allowAll(), ""));
    }
    return targets(drafts);
  }

  private List<LogTarget> targets(List<Draft> lines) {
    List<LogTarget> logs = new ArrayList<>();
    for (Draft draft : lines) {
      if (draft.where.isNone() && draft.terms.isEmpty()) {
        break;
      }
      logs.add(
          new LogTarget(
              draft.where,
              draft.format,
              rules.compileTerms(draft.line, draft.terms),
              draft.line.source(),
              draft.slow));
    }
    boolean writes = logs.stream().anyMatch(log -> !log.where().isNone());
    return writes ? List.copyOf(logs) : List.of();
  }
}

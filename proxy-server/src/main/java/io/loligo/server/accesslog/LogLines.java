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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code access_log}, {@code icap_log} and {@code logformat} lines. Confined to one thread.
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
        lines.readLog(line, lines.drafts);
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
        lines.readLog(line, lines.icapDrafts);
      }

      @Override
      public List<LogTarget> value() {
        return lines.targets(lines.icapDrafts);
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
  private record Draft(LogPlace where, String format, List<String> terms, Line line) {}

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

  private void readLog(Line line, List<Draft> into) {
    List<String> values = line.values();
    if (values.isEmpty()) {
      report.error(line, "", "MODULE:PLACE, a path or none", "");
      return;
    }
    String target = values.get(0);
    if (target.equals("none")) {
      add(line, LogPlace.of("none", ""), "", values.subList(1, values.size()), into);
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
    format(line, LogPlace.of(module, place), values.subList(1, values.size()), into);
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

  private void format(Line line, LogPlace plain, List<String> words, List<Draft> into) {
    Options options = new Options(line);
    int at = 0;
    if (at < words.size() && words.get(at).indexOf('=') < 0) {
      if (formats.containsKey(words.get(at))) {
        options.format = words.get(at++);
      }
    } else {
      while (at < words.size() && words.get(at).indexOf('=') >= 0) {
        options.read(words.get(at++));
      }
    }
    LogPlace where = new LogPlace(plain.module(), plain.place(), options.options());
    checkSame(line, where, drafts);
    checkSame(line, where, icapDrafts);
    add(line, where, options.format, words.subList(at, words.size()), into);
  }

  /** Lines of one place share an output, which has the options of the first. */
  private void checkSame(Line line, LogPlace where, List<Draft> others) {
    for (Draft draft : others) {
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
    private String format = "squid";
    private int bufferBytes;
    private boolean endsProcess;
    private int rotate = -1;

    Options(Line line) {
      this.line = line;
    }

    void read(String word) {
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

  private void add(Line line, LogPlace where, String format, List<String> terms, List<Draft> into) {
    if (rules.check(RuleScope.LOG, line, terms)) {
      into.add(new Draft(where, format, List.copyOf(terms), line));
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
              draft.line.source()));
    }
    boolean writes = logs.stream().anyMatch(log -> !log.where().isNone());
    return writes ? List.copyOf(logs) : List.of();
  }
}

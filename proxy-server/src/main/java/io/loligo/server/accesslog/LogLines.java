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
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code access_log} and {@code logformat} lines. Confined to one thread. */
final class LogLines {
  private static final Set<String> WRITTEN = Set.of("stdio", "daemon");
  private static final Map<String, String> BUILT_IN =
      Map.of(
          "squid",
          "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt",
          "common",
          "%>a - %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st %Ss:%Sh",
          "combined",
          "%>a - %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st \"%{Referer}>h\""
              + " \"%{User-Agent}>h\" %Ss:%Sh",
          "referrer",
          "%ts.%03tu %>a %{Referer}>h %ru",
          "useragent",
          "%>a [%tl] \"%{User-Agent}>h\"");

  private final Report report;
  private final Rules rules;
  private final Map<String, String> formats = new LinkedHashMap<>(BUILT_IN);
  private final List<Draft> drafts = new ArrayList<>();
  private boolean given;

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
        lines.readAccessLog(line);
      }

      @Override
      public List<LogTarget> value() {
        return lines.targets();
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
  private record Draft(String module, String place, String format, List<String> terms, Line line) {}

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

  private void readAccessLog(Line line) {
    given = true;
    List<String> values = line.values();
    if (values.isEmpty()) {
      report.error(line, "", "MODULE:PLACE, a path or none", "");
      return;
    }
    String target = values.get(0);
    if (target.equals("none")) {
      add(line, "none", "", "", values.subList(1, values.size()));
      return;
    }
    int colon = target.indexOf(':');
    String module = colon < 0 ? "stdio" : target.substring(0, colon);
    String place = target.substring(colon + 1);
    if (module.equals("tcp")) {
      report.restricts(line, target, "the log module tcp is not in this version");
      return;
    }
    String expected = expected(module, place);
    if (expected != null) {
      report.error(line, target, expected, "");
      return;
    }
    format(line, module, place, values.subList(1, values.size()));
  }

  /** The correct form of {@code module:place}; null if it is valid. */
  private static @Nullable String expected(String module, String place) {
    return switch (module) {
      case "syslog" ->
          SyslogPriority.parse(place) == null
              ? "syslog:FACILITY.PRIORITY such as syslog:daemon.info"
              : null;
      case "udp" -> {
        HostPort receiver = HostPort.parse(place.startsWith("//") ? place.substring(2) : place);
        boolean right = receiver != null && !receiver.address().isEmpty() && receiver.port() > 0;
        yield right ? null : "udp://HOST:PORT";
      }
      default ->
          WRITTEN.contains(module) && !place.isEmpty()
              ? null
              : "stdio:PATH, daemon:PATH, syslog:FACILITY.PRIORITY, udp://HOST:PORT, a path or"
                  + " none";
    };
  }

  private void format(Line line, String module, String place, List<String> words) {
    String format = "squid";
    int at = 0;
    if (at < words.size() && words.get(at).indexOf('=') < 0) {
      if (formats.containsKey(words.get(at))) {
        format = words.get(at++);
      }
    } else {
      while (at < words.size() && words.get(at).indexOf('=') >= 0) {
        format = option(line, words.get(at++), format);
      }
    }
    add(line, module, place, format, words.subList(at, words.size()));
  }

  private String option(Line line, String word, String format) {
    Option option = Option.of(word);
    String value = option.value();
    assert value != null : "it has an equals sign";
    switch (option.name()) {
      case "logformat" -> {
        if (!formats.containsKey(value)) {
          report.error(
              line, word, "a format defined above", "one of " + String.join(", ", known()));
        }
        return value;
      }
      case "buffer-size" -> {
        if (!value.matches("(?i)[0-9]+(bytes|KB|MB|GB)")) {
          report.error(line, word, "buffer-size=NUMBER and KB or MB, without a blank", "");
        }
      }
      case "on-error" -> {
        if (!value.equals("die") && !value.equals("drop")) {
          report.error(line, word, "on-error=die or on-error=drop", "");
        }
      }
      case "rotate" -> {
        if (option.number(1000) < 0) {
          report.error(line, word, "rotate=NUMBER", "");
        }
      }
      default -> report.error(line, word, "an option of access_log", "remove the option");
    }
    return format;
  }

  private List<String> known() {
    return formats.keySet().stream().sorted().toList();
  }

  private void add(Line line, String module, String place, String format, List<String> terms) {
    if (rules.check(RuleScope.LOG, line, terms)) {
      drafts.add(new Draft(module, place, format, List.copyOf(terms), line));
    }
  }

  /** The logs in order; empty if nothing is logged. */
  private List<LogTarget> targets() {
    if (!given) {
      String target = LogDirectives.ACCESS_LOG.directive().defaultText();
      String place = target.substring(target.indexOf(':') + 1, target.indexOf(' '));
      return List.of(new LogTarget("daemon", place, "squid", AclList.allowAll(), ""));
    }
    List<LogTarget> logs = new ArrayList<>();
    for (Draft draft : drafts) {
      boolean none = draft.module.equals("none");
      if (none && draft.terms.isEmpty()) {
        break;
      }
      logs.add(
          new LogTarget(
              draft.module,
              draft.place,
              draft.format,
              rules.compileTerms(draft.line, draft.terms),
              draft.line.source()));
    }
    boolean writes = logs.stream().anyMatch(log -> !log.module().equals("none"));
    return writes ? List.copyOf(logs) : List.of();
  }
}

package io.loligo.core.config;

import io.loligo.core.acl.Acls;
import io.loligo.core.config.Directive.Status;
import io.loligo.core.config.LineReport.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A configuration while it is read; it provides the context of line readers. Confined to one
 * thread.
 */
public final class Reading {
  private final Directives directives;
  private final ConfigSource source;
  private final Report report;
  private final String file;
  private final Secrets secrets;
  private final AclLines acls;
  private final Rules rules;
  private final Map<Setting<?>, LineReader<?>> readers = new HashMap<>();
  private final Map<Setting<?>, Object> values = new HashMap<>();
  private final Map<Class<?>, Object> shared = new HashMap<>();
  private final List<Line> lines = new ArrayList<>();
  private final List<ValueInForce> given = new ArrayList<>();

  Reading(Directives directives, ConfigSource source, Report report, String file) {
    this.directives = directives;
    this.source = source;
    this.report = report;
    this.file = file;
    secrets = new Secrets(directives);
    Acls named = new Acls(source, source::zone);
    acls = new AclLines(source, report, named);
    rules = new Rules(report, named);
    for (Setting<?> setting : directives.settings()) {
      readers.put(setting, setting.reader(this));
    }
  }

  /** Takes problems and verdicts. */
  public Report report() {
    return report;
  }

  /** Checks and compiles rules. */
  public Rules rules() {
    return rules;
  }

  /** The source of the configuration. */
  public ConfigSource source() {
    return source;
  }

  /** The file that is read, which may include others. */
  public String file() {
    return file;
  }

  /** Users can log in: {@code acl} lines after the present line may ask for them. */
  public void users() {
    acls.users();
  }

  /** Whether users can log in, as far as lines are read. */
  public boolean hasUsers() {
    return acls.hasUsers();
  }

  LineReader<Acls> aclLines() {
    return acls;
  }

  /** An object that readers of several directives share, one per reading. */
  public <R> R shared(Class<R> type, Function<Reading, R> maker) {
    Object found = shared.get(type);
    if (found == null) {
      found = maker.apply(this);
      shared.put(type, found);
    }
    return type.cast(found);
  }

  /** The lines of {@code setting} so far. */
  public List<Line> lines(Setting<?> setting) {
    return lines.stream()
        .filter(line -> directives.named(line.directive()) == setting.directive())
        .toList();
  }

  /** The value of another setting, once all lines are read. */
  public <T extends @Nullable Object> T value(Setting<T> setting) {
    if (!values.containsKey(setting)) {
      values.put(setting, reader(setting).value());
    }
    @SuppressWarnings("unchecked") // the reader of a Setting<T> makes a T
    T value = (T) values.get(setting);
    return value;
  }

  /** Shows {@code text} as the value in force, because of {@code line}, of another directive. */
  public void show(Directive directive, String text, Line line) {
    given.add(new ValueInForce(directive.name(), text, line.file(), line.number(), false, 0));
  }

  /** Takes the next line. */
  void line(Line line) {
    Directive directive = directives.named(line.directive());
    if (directive == null) {
      report.unknown(line, unknownAdvice(line.directive()));
      return;
    }
    lines.add(line);
    given.add(
        new ValueInForce(
            directive.name(),
            valueOf(line),
            line.file(),
            line.number(),
            secrets.holdsSecret(line),
            line.words().hashCode()));
    if (directive.isUsed()) {
      if (directive.status() == Status.USED_WITH_DIFFERENCE) {
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, directive.note());
      }
      reader(directives.setting(directive)).read(line);
    } else {
      unused(directive, line);
    }
  }

  /** The reader of {@code setting}, which a feature of this process declares. */
  private LineReader<?> reader(@Nullable Setting<?> setting) {
    return Objects.requireNonNull(readers.get(setting));
  }

  private String valueOf(Line line) {
    String text = secrets.redact(line);
    int blank = text.indexOf(' ');
    return blank < 0 ? "" : text.substring(blank + 1);
  }

  private String unknownAdvice(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (directives.named(lower) != null) {
      return "names are case-sensitive: write " + lower;
    }
    String near = Spelling.nearest(name, directives);
    return near == null ? "remove the line" : "did you mean " + near + "?";
  }

  private void unused(Directive directive, Line line) {
    switch (directive.status()) {
      case OBSOLETE -> {
        report.warning(line, "", "", "obsolete: " + directive.note());
        report.verdict(line, Verdict.OBSOLETE, directive.note());
      }
      case RESTRICTS -> {
        if (saysTheDefault(directive, line)) {
          report.verdict(line, Verdict.WITHOUT_EFFECT, "states the behaviour that holds anyway");
        } else if (Values.check(directive, line, line.values(), report)) {
          report.restricts(line, "", directive.note());
        }
      }
      case MEANINGLESS -> report.verdict(line, Verdict.WITHOUT_EFFECT, directive.note());
      default -> {
        if (Values.check(directive, line, line.values(), report)) {
          report.warning(line, "", "", "accepted without effect: " + directive.note());
          report.verdict(line, Verdict.WITHOUT_EFFECT, directive.note());
        }
      }
    }
  }

  private static boolean saysTheDefault(Directive directive, Line line) {
    return !directive.defaultText().isEmpty()
        && String.join(" ", line.values()).equals(directive.defaultText());
  }

  /** The configuration of all lines, or null if it has errors. */
  @Nullable ProxyConfig finish() {
    for (Setting<?> setting : directives.settings()) {
      reader(setting).end();
    }
    if (report.hasErrors()) {
      return null;
    }
    directives.settings().forEach(this::value);
    return new ProxyConfig(directives, values, effective(), List.of(), List.of());
  }

  /** The same configuration with all warnings in it. */
  ProxyConfig withWarnings(ProxyConfig config) {
    List<String> warnings =
        report.problems().stream()
            .filter(problem -> !problem.isError())
            .map(ConfigProblem::text)
            .toList();
    return config.withWarnings(warnings);
  }

  /** Every value in force: the lines as written, the last of a single value, then defaults. */
  private List<ValueInForce> effective() {
    List<ValueInForce> all = new ArrayList<>();
    for (Directive directive : directives.all()) {
      if (!directive.isUsed()) {
        continue;
      }
      List<ValueInForce> own =
          given.stream().filter(one -> one.directive().equals(directive.name())).toList();
      if (own.isEmpty()) {
        if (!directive.defaultText().isEmpty()) {
          all.add(new ValueInForce(directive.name(), directive.defaultText(), "", 0, false, 0));
        }
      } else if (directive.accumulates()) {
        all.addAll(own);
      } else {
        all.add(own.get(own.size() - 1));
      }
    }
    return List.copyOf(all);
  }
}

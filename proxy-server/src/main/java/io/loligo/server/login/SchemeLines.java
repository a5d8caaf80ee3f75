package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.accesslog.LogFormatException;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.helper.ProgramLines;
import io.loligo.server.login.SchemeSettings.KeyExtras;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the {@code auth_param} lines of one scheme. Confined to one thread. */
abstract class SchemeLines {
  private final String scheme;
  private final Reading reading;
  private final Report report;
  private final SchemeChildren children;

  private List<String> program = List.of();
  private String source = "";
  private @Nullable Line programLine;
  private @Nullable KeyExtras extras;
  private @Nullable Line extrasLine;

  SchemeLines(String scheme, Reading reading) {
    this.scheme = scheme;
    this.reading = reading;
    report = reading.report();
    children = new SchemeChildren(report);
  }

  /** Takes one line. {@code words} are those behind {@code parameter}, at least one. */
  final void read(Line line, String parameter, List<String> words) {
    switch (parameter) {
      case "program" -> program(line);
      case "children" -> children.read(line, words);
      case "key_extras" -> extras(line);
      default -> {
        if (!own(line, parameter, words)) {
          report.warning(
              line,
              parameter,
              "program, children, key_extras" + parameters(),
              "ignored, as in Squid");
        }
      }
    }
  }

  /** Takes a parameter that only this scheme has; false: it has none of this name. */
  abstract boolean own(Line line, String parameter, List<String> words);

  /** The names of those, each after a comma, the last after "or". */
  abstract String parameters();

  /** Whether the proxy does the work of the program {@code words} itself. */
  abstract boolean isNative(List<String> words);

  /** Whether no process runs for the program {@code words}. */
  boolean isInside(List<String> words) {
    return isNative(words);
  }

  /** Whether a child of its program is reserved for one client at times. */
  boolean reservesChildren() {
    return false;
  }

  /** Whether the arguments of such a program are right; reports if not. */
  abstract boolean isUsable(Line line, List<String> words);

  /** Whether {@code words} are a helper program; reports if not. */
  boolean isHelper(Line line, List<String> words) {
    return ProgramLines.isProgram(reading, line, words);
  }

  /** {@code program}, or the same one done inside the proxy. */
  HelperProgram placed(HelperProgram program) {
    return program;
  }

  /** The settings of a scheme that has a program; null: something is missing. */
  abstract @Nullable SchemeSettings settings();

  /** Reports problems that show only in all lines together. There is a program. */
  void check(Line programLine) {}

  private void program(Line line) {
    program = List.of();
    programLine = null;
    List<String> words = ProgramLines.words(reading, line, 3);
    if (words == null || words.isEmpty()) {
      return;
    }
    boolean usable = isNative(words) ? isUsable(line, words) : isHelper(line, words);
    if (usable) {
      program = List.copyOf(words);
      source = line.source();
      programLine = line;
    }
    if (usable || !isNative(words)) {
      reading.users();
    }
  }

  private void extras(Line line) {
    String behind = line.textBehind(3);
    String text = unquoted(behind);
    try {
      extras = new KeyExtras(text, LogFormat.compile(text));
      extrasLine = line;
    } catch (LogFormatException e) {
      report.error(line, text, "codes of logformat", String.valueOf(e.getMessage()));
    }
  }

  /** The settings; null: the scheme has no program. */
  final @Nullable SchemeSettings value() {
    return programLine == null ? null : settings();
  }

  /** Reports what shows only in all lines together. */
  final void end() {
    if (extrasLine != null && !program.isEmpty() && isInside(program)) {
      report.restricts(extrasLine, "key_extras", "it is for programs only");
    }
    if (programLine != null) {
      children.check(reservesChildren() && !isInside(program));
      check(programLine);
    }
  }

  /** The program and its arguments; empty: none. */
  final List<String> program() {
    return program;
  }

  /** file:line of the program. */
  final String source() {
    return source;
  }

  final @Nullable KeyExtras extras() {
    return extras;
  }

  final SchemeChildren children() {
    return children;
  }

  final Report report() {
    return report;
  }

  final Reading reading() {
    return reading;
  }

  /** Reads a file that a line names; null: it cannot be read. */
  final @Nullable String file(String path) {
    return reading.source().read(path);
  }

  /** The program as a helper; null: the proxy does its work. */
  final @Nullable HelperProgram helper() {
    return isNative(program)
        ? null
        : placed(
            new HelperProgram(
                "auth_param " + scheme,
                program,
                children.ofHelper(),
                reading.value(HelperDirectives.HELPER_TIMEOUT),
                /* asksAgain= */ false));
  }

  /** The value of {@code on|off}; anything else is reported and off. */
  final boolean flag(Line line, List<String> words) {
    String word = words.get(0);
    if (!word.equals("on") && !word.equals("off")) {
      report.error(line, word, "on or off", "");
    }
    return word.equals("on");
  }

  /** The text without the quotes around it. */
  static String unquoted(String text) {
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }
}

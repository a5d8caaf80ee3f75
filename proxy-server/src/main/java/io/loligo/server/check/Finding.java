package io.loligo.server.check;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.Line;

/**
 * One thing that an operator should know about a configuration. Immutable.
 *
 * @param kind {@code file} for a line that is wrong by itself, else what was looked for
 * @param file its file
 * @param line from 1; 0 without a line
 * @param directive as written
 * @param text one sentence or two, without the place
 */
public record Finding(
    Severity severity, Kind kind, String file, int line, String directive, String text) {
  /** How much it matters. */
  public enum Severity {
    /** The proxy does not start. */
    ERROR("Errors: the proxy does not start"),
    /** The proxy starts, and may do something else than its operator wants. */
    WARNING("Warnings"),
    /** Harmless. */
    REMARK("Remarks: harmless");

    private final String title;

    Severity(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /** What was looked for. */
  public enum Kind {
    LINE("line"),
    MISSING_FILE("missing-file"),
    SHADOWED("shadowed"),
    ORDER("order"),
    OPEN_PROXY("open-proxy"),
    OPEN_PORTS("open-ports"),
    ROUTE("route"),
    HIDDEN_NAME("hidden-name"),
    UNUSED_ACL("unused-acl");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The word in JSON. */
    String word() {
      return word;
    }
  }

  static Finding of(ConfigProblem problem) {
    return new Finding(
        problem.isError() ? Severity.ERROR : Severity.WARNING,
        Kind.LINE,
        problem.file(),
        problem.line(),
        problem.directive(),
        words(problem));
  }

  static Finding of(Severity severity, Kind kind, Line line, String text) {
    return new Finding(severity, kind, line.file(), line.number(), line.directive(), text);
  }

  private static String words(ConfigProblem problem) {
    StringBuilder text = new StringBuilder(problem.value());
    if (!problem.expected().isEmpty()) {
      text.append(text.length() > 0 ? " (expected: " : "(expected: ");
      text.append(problem.expected()).append(')');
    }
    if (!problem.advice().isEmpty()) {
      text.append(text.length() > 0 ? ": " : "").append(problem.advice());
    }
    return text.toString();
  }

  /** {@code file:line}, or the file. */
  String place() {
    return line > 0 ? file + ":" + line : file;
  }

  /** One line. */
  String report() {
    return place() + ": " + directive + (text.isEmpty() ? "" : ": " + text);
  }
}

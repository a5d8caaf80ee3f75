package io.loligo.core.config;

/**
 * Something wrong or worth saying about a line. Immutable.
 *
 * @param severity an ERROR stops the start
 * @param file where
 * @param line from 1; 0 when no line is to blame
 * @param directive the name as written
 * @param value what was found, secrets replaced
 * @param expected what would have been right, or the empty string
 * @param advice what to do, or the empty string
 */
public record ConfigProblem(
    Severity severity,
    String file,
    int line,
    String directive,
    String value,
    String expected,
    String advice) {
  /** Weight of a problem. */
  public enum Severity {
    ERROR,
    WARNING
  }

  public boolean isError() {
    return severity == Severity.ERROR;
  }

  /** One line: {@code file:line: ERROR: directive: value: x (expected: y): advice}. */
  public String text() {
    StringBuilder text = new StringBuilder(file);
    if (line > 0) {
      text.append(':').append(line);
    }
    text.append(": ").append(severity).append(": ").append(directive);
    if (!value.isEmpty()) {
      text.append(": value: ").append(value);
    }
    if (!expected.isEmpty()) {
      text.append(" (expected: ").append(expected).append(')');
    }
    if (!advice.isEmpty()) {
      text.append(": ").append(advice);
    }
    return text.toString();
  }
}

package io.loligo.core.config;

/**
 * A problem of a line, or a remark. Immutable.
 *
 * @param severity an ERROR stops the start
 * @param file its file
 * @param line from 1; 0 without a line
 * @param directive the name as written
 * @param value the value as found, secrets replaced
 * @param expected the correct form, or the empty string
 * @param advice the remedy, or the empty string
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

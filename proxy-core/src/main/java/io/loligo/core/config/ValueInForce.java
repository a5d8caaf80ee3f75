package io.loligo.core.config;

/**
 * One value in force, and the line that gives it. Immutable.
 *
 * @param directive name of the directive
 * @param value as written, secrets replaced
 * @param file empty for a default
 * @param line from 1; 0 for a default
 * @param secret whether a secret was replaced
 * @param mark of the line as written, secrets included: tells two secrets apart, and is never shown
 */
public record ValueInForce(
    String directive, String value, String file, int line, boolean secret, int mark) {
  /** The same with another text. */
  ValueInForce withValue(String text) {
    return new ValueInForce(directive, text, file, line, secret, mark);
  }

  /** {@code file:line}, or the empty string for a default. */
  public String source() {
    return file.isEmpty() ? "" : file + ":" + line;
  }

  /** Two values with equal results are the same. Not to be shown. */
  String compared() {
    return secret ? value + '\n' + mark : value;
  }

  /** For reports: without the mark. */
  @Override
  public String toString() {
    return directive + " " + value + " (" + (file.isEmpty() ? "default" : source()) + ")";
  }
}

package io.loligo.server.helper;

import java.util.List;

/**
 * A program that is asked, as a line of the configuration names it. Immutable. Two equal ones are
 * one {@link Helper}: a reload that keeps the line keeps its children.
 *
 * @param name its name in logs and metrics, such as {@code url_rewrite_program}
 * @param command the program and its arguments; no shell reads them
 * @param children how many run at once
 * @param timeoutMillis the time within which a question must be answered, its wait for a child
 *     included
 * @param asksAgain whether a question without an answer in time is asked again, twice at most
 */
public record HelperProgram(
    String name,
    List<String> command,
    HelperChildren children,
    long timeoutMillis,
    boolean asksAgain) {
  /** A copy of {@code command} is kept. */
  public HelperProgram {
    command = List.copyOf(command);
  }
}

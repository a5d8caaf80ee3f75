package io.loligo.server.helper;

import java.util.List;
import org.jspecify.annotations.Nullable;

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
 * @param inside runs in the place of child processes; null: none does
 */
public record HelperProgram(
    String name,
    List<String> command,
    HelperChildren children,
    long timeoutMillis,
    boolean asksAgain,
    @Nullable InsideProgram inside) {
  /** A copy of {@code command} is kept. */
  public HelperProgram {
    command = List.copyOf(command);
  }

  /** A program that runs as child processes. */
  public HelperProgram(
      String name,
      List<String> command,
      HelperChildren children,
      long timeoutMillis,
      boolean asksAgain) {
    this(name, command, children, timeoutMillis, asksAgain, null);
  }

  /** The same program with one question at a time for each child. */
  public HelperProgram withoutChannels() {
    return new HelperProgram(name, command, children.alone(), timeoutMillis, asksAgain, inside);
  }

  /** The same program, run by {@code program} inside the proxy; null: by child processes. */
  public HelperProgram inside(@Nullable InsideProgram program) {
    return program == null
        ? this
        : new HelperProgram(
            name, command.subList(0, 1), children.alone(), timeoutMillis, asksAgain, program);
  }
}

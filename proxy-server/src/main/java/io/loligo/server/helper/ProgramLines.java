package io.loligo.server.helper;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines that name a program and its arguments, such as {@code url_rewrite_program}. The last
 * line holds; without one, the list is empty. Confined to one thread.
 */
public final class ProgramLines implements LineReader<List<String>> {
  private final Reading reading;
  private List<String> command = List.of();

  /** A reader for one reading of a file. */
  public ProgramLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    List<String> words = words(reading, line, 1);
    if (words != null && isProgram(reading, line, words)) {
      command = words;
    }
  }

  /**
   * The command of {@code line} behind its first {@code count} words, the directive among them.
   * Quotes enclose blanks. Null: they are not closed, which is reported.
   */
  public static @Nullable List<String> words(Reading reading, Line line, int count) {
    if (line.quoted()) {
      List<String> words = line.words();
      return List.copyOf(words.subList(Math.min(count, words.size()), words.size()));
    }
    String text = line.textBehind(count);
    List<String> words = CommandWords.of(text);
    if (words == null) {
      reading.report().error(line, "", "quotes around whole words", "close each quote");
    }
    return words;
  }

  /**
   * Whether {@code words} of {@code line} name a program that can be started; reported if not. As
   * in Squid, the program has a path from the root.
   */
  public static boolean isProgram(Reading reading, Line line, List<String> words) {
    String program = words.isEmpty() ? "" : words.get(0);
    if (!program.startsWith("/")) {
      reading
          .report()
          .error(line, program, "PROGRAM [ARGUMENT...]", "give the path of the program");
      return false;
    }
    if (!reading.source().isExecutable(program)) {
      reading
          .report()
          .error(line, program, "a program that can be started", "install it, or see chmod +x");
      return false;
    }
    return true;
  }

  @Override
  public List<String> value() {
    return command;
  }
}

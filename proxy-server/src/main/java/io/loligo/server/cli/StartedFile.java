package io.loligo.server.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A look at a command line before it is parsed: whether it starts the proxy, and with which
 * configuration. Uses no library, since {@code bin/loligo} asks it in a JVM of its own. Stateless.
 */
final class StartedFile {
  private static final String LONG_OPTION = "--file";
  private static final String OPTION = "-f";

  /** Words of {@code run -f FILE}. */
  private static final int PLAIN_WORDS = 3;

  private StartedFile() {}

  /** The configuration of {@code run -f FILE}, written so and with nothing else; else null. */
  static @Nullable Path ofPlainRun(String[] arguments) {
    return arguments.length == PLAIN_WORDS
            && arguments[0].equals("run")
            && (arguments[1].equals(OPTION) || arguments[1].equals(LONG_OPTION))
            && !arguments[2].startsWith("-")
        ? Path.of(arguments[2])
        : null;
  }

  /**
   * The configuration of the proxy that {@code arguments} start; null: they start none.
   *
   * @param programName {@code loligo}, or {@code squid} where scripts call it so
   */
  static @Nullable Path of(String programName, String[] arguments) {
    if (SquidArguments.isMeant(programName, arguments)) {
      SquidArguments squid = SquidArguments.parse(arguments);
      return squid.starts() ? squid.configuration(programName) : null;
    }
    if (arguments.length == 0 || !arguments[0].equals("run")) {
      return null;
    }
    for (int i = 1; i < arguments.length; i++) {
      String word = arguments[i];
      if (word.equals(OPTION) || word.equals(LONG_OPTION)) {
        return i + 1 < arguments.length ? Path.of(arguments[i + 1]) : null;
      }
      if (word.startsWith(LONG_OPTION + "=")) {
        return Path.of(word.substring(LONG_OPTION.length() + 1));
      }
      if (word.startsWith(OPTION)) {
        return Path.of(word.substring(OPTION.length()).replaceFirst("^=", ""));
      }
    }
    return null;
  }
}

package io.loligo.server.jmx;

import java.util.Map;

/** The levels of the application log. Thread-safe: any thread. */
public interface LogLevels {
  /** Loggers that have a level of their own, with it. */
  Map<String, String> levels();

  /** The level that counts for {@code logger}. */
  String level(String logger);

  /**
   * Sets the level of {@code logger}.
   *
   * @param level a name or a number of {@code debug_options}; empty: none of its own
   * @throws IllegalArgumentException it is not a level, or ROOT would have none
   * @throws IllegalStateException levels cannot be changed here
   */
  void setLevel(String logger, String level);
}

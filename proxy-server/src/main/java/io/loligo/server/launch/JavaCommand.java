package io.loligo.server.launch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The command line that started a JVM, as the kernel keeps it.
 *
 * @param words the program first
 */
record JavaCommand(List<String> words) {
  /** Environment variables that give a JVM options. */
  private static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /** Options whose value is the next word. */
  private static final Set<String> WITH_VALUE =
      Set.of(
          "-cp",
          "-classpath",
          "--class-path",
          "-p",
          "--module-path",
          "--upgrade-module-path",
          "--add-modules",
          "--add-exports",
          "--add-opens",
          "--add-reads",
          "--limit-modules",
          "--enable-native-access");

  JavaCommand {
    words = List.copyOf(words);
  }

  /** Reads {@code /proc/self/cmdline}: words that end with a zero byte. */
  static JavaCommand parse(byte[] cmdline) {
    List<String> words = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < cmdline.length; i++) {
      if (cmdline[i] == 0) {
        words.add(new String(cmdline, start, i - start, StandardCharsets.UTF_8));
        start = i + 1;
      }
    }
    return new JavaCommand(words);
  }

  /**
   * Whether it leaves the flags to the JVM: no {@code -X} option, no agent and no file of options,
   * neither here nor in a variable of {@code environment}.
   */
  boolean isPlain(Map<String, String> environment) {
    for (String variable : VARIABLES) {
      if (!environment.getOrDefault(variable, "").isBlank()) {
        return false;
      }
    }
    for (int i = 1; i < words.size() && !words.get(i).equals("-jar"); i++) {
      String word = words.get(i);
      if (word.startsWith("-X") || word.matches("-agent.*|-javaagent:.*|@.*")) {
        return false;
      }
      if (!word.startsWith("-")) {
        return true; // the main class
      }
      i += WITH_VALUE.contains(word) ? 1 : 0;
    }
    return words.size() > 1;
  }

  /** The same with further options. */
  JavaCommand with(List<String> options) {
    List<String> more = new ArrayList<>(words);
    more.addAll(1, options);
    return new JavaCommand(more);
  }
}

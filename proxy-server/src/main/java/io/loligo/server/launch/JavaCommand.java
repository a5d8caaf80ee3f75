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
          "--patch-module",
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
   * Whether it leaves collector and memory to the JVM: {@link HarmlessOptions} only, here and in
   * the variables of {@code environment}.
   */
  boolean isPlain(Map<String, String> environment) {
    for (String variable : VARIABLES) {
      List<String> options = inVariable(variable, environment);
      if (endOfHarmless(options, 0) < options.size()) {
        return false;
      }
    }
    int end = endOfHarmless(words, 1);
    return end < words.size()
        && (words.get(end).equals("-jar")
            || !(words.get(end).startsWith("-") || words.get(end).startsWith("@")));
  }

  /** Whether an option begins with {@code begin}, here or in a variable of {@code environment}. */
  boolean hasOption(String begin, Map<String, String> environment) {
    if (oneBegins(words.subList(0, endOfHarmless(words, 1)), begin)) {
      return true;
    }
    for (String variable : VARIABLES) {
      if (oneBegins(inVariable(variable, environment), begin)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a variable of {@code environment} gives a JVM options. */
  static boolean hasOptions(Map<String, String> environment) {
    for (String variable : VARIABLES) {
      if (!inVariable(variable, environment).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The words before the main class or {@code -jar}, without the program and without values. */
  List<String> options() {
    List<String> options = new ArrayList<>();
    int i = 1;
    while (i < words.size() && isOption(words.get(i))) {
      options.add(words.get(i));
      i += WITH_VALUE.contains(words.get(i)) ? 2 : 1;
    }
    return options;
  }

  /** A file of options may have any, so it counts as one. */
  private static boolean isOption(String word) {
    return word.startsWith("@") || (word.startsWith("-") && !word.equals("-jar"));
  }

  private static boolean oneBegins(List<String> options, String begin) {
    for (String option : options) {
      if (option.startsWith(begin)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> inVariable(String variable, Map<String, String> environment) {
    String options = environment.getOrDefault(variable, "").strip();
    return options.isEmpty() ? List.of() : List.of(options.split("\\s+", -1));
  }

  /** Index of the first word that is no harmless option, or the number of words. */
  private static int endOfHarmless(List<String> words, int from) {
    int i = from;
    while (i < words.size() && HarmlessOptions.contain(words.get(i))) {
      i += WITH_VALUE.contains(words.get(i)) ? 2 : 1;
    }
    return Math.min(i, words.size());
  }

  /**
   * The same program and options with other arguments.
   *
   * @throws IllegalArgumentException if no word is its main class or jar
   */
  JavaCommand running(List<String> arguments) {
    int i = 1;
    while (i < words.size() && words.get(i).startsWith("-") && !words.get(i).equals("-jar")) {
      i += WITH_VALUE.contains(words.get(i)) ? 2 : 1;
    }
    int end = i < words.size() && words.get(i).equals("-jar") ? i + 2 : i + 1;
    if (end > words.size()) {
      throw new IllegalArgumentException("no main class in " + words);
    }
    List<String> again = new ArrayList<>(words.subList(0, end));
    again.addAll(arguments);
    return new JavaCommand(again);
  }

  /** The same with further options. */
  JavaCommand with(List<String> options) {
    List<String> more = new ArrayList<>(words);
    more.addAll(1, options);
    return new JavaCommand(more);
  }
}

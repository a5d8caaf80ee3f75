package io.loligo.server.cli;

import io.loligo.server.launch.Relaunch;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The main class that {@code bin/loligo} runs first: a JVM that loads little more than this class
 * tells the options of the JVM that the proxy then starts in.
 */
public final class StartOptions {
  private static final String NAME = "-Dloligo.name=";

  private StartOptions() {}

  /**
   * Prints one option a line; none if {@code words} start no proxy, or choose collector or memory.
   *
   * @param words options of the JVM, those of variables too, then {@code -jar}, the jar and the
   *     arguments of {@link Main}
   */
  public static void main(String[] words) {
    for (String option : of(words)) {
      System.out.println(option);
    }
  }

  static List<String> of(String... words) {
    int jar = Arrays.asList(words).indexOf("-jar");
    if (jar < 0 || jar + 1 == words.length) {
      throw new IllegalArgumentException("no jar");
    }
    Path configuration =
        StartedFile.of(name(words, jar), Arrays.copyOfRange(words, jar + 2, words.length));
    return configuration == null
        ? List.of()
        : Relaunch.optionsForRun(List.of(words), Path.of(words[jar + 1]), configuration);
  }

  private static String name(String[] words, int end) {
    String name = "loligo";
    for (int i = 0; i < end; i++) {
      if (words[i].startsWith(NAME)) {
        name = words[i].substring(NAME.length());
      }
    }
    return name;
  }
}

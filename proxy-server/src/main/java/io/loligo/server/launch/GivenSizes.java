package io.loligo.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Sizes among the options of this JVM, by the command line that the kernel keeps. The JVM tells its
 * options too, but loads 70 classes for that, before the port is open. Stateless.
 */
public final class GivenSizes {
  /** The option is not there, so its default holds. */
  public static final long DEFAULT = 0;

  /** Only the JVM knows: it may have options from elsewhere, or the words are not understood. */
  public static final long UNKNOWN = -1;

  private static final Path COMMAND = Path.of("/proc/self/cmdline");

  /** Any other program may give its JVM options that are no words of it. */
  private static final Path PROGRAM = Path.of("java");

  private static final List<String> FILES_OF_OPTIONS =
      List.of("@", "-XX:Flags=", "-XX:VMOptionsFile=");

  private static final String UNITS = "kmgt";
  private static final int UNIT_BITS = 10;
  private static final int MOST_DIGITS = 15;

  private GivenSizes() {}

  /** The value of {@code -XX:NAME=} in bytes, positive; or {@link #DEFAULT}, {@link #UNKNOWN}. */
  public static long bytes(String name) {
    try {
      return bytes(name, JavaCommand.parse(Files.readAllBytes(COMMAND)), System.getenv());
    } catch (IOException noLinux) {
      return UNKNOWN;
    }
  }

  /** The same of another command in another environment. */
  static long bytes(String name, JavaCommand command, Map<String, String> environment) {
    List<String> words = command.words();
    if (words.isEmpty()
        || !Path.of(words.get(0)).endsWith(PROGRAM)
        || JavaCommand.hasOptions(environment)) {
      return UNKNOWN;
    }
    String option = "-XX:" + name + "=";
    long bytes = DEFAULT;
    for (String word : command.options()) {
      if (HarmlessOptions.beginsWithOne(word, FILES_OF_OPTIONS)) {
        return UNKNOWN;
      }
      if (word.startsWith(option)) {
        // the last one holds
        bytes = size(word.substring(option.length()));
      }
    }
    return bytes;
  }

  /** Digits with a unit or none; a zero is for the JVM to judge, as is any other form. */
  private static long size(String text) {
    int end = text.length();
    int unit = end == 0 ? -1 : UNITS.indexOf(Character.toLowerCase(text.charAt(end - 1)));
    String digits = unit < 0 ? text : text.substring(0, end - 1);
    if (digits.isEmpty() || digits.length() > MOST_DIGITS) {
      return UNKNOWN;
    }
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        return UNKNOWN;
      }
    }
    long number = Long.parseLong(digits);
    int bits = (unit + 1) * UNIT_BITS;
    return number == 0 || number > Long.MAX_VALUE >> bits ? UNKNOWN : number << bits;
  }
}

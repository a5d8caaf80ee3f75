package io.loligo.server.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command line as scripts give it to Squid: options of one letter, some with a value, which may
 * be joined ({@code -NYCd1}). Immutable.
 *
 * @param action the work that the options request
 * @param signal the word of {@code -k}; the empty string without it
 * @param file of {@code -f}; null: the usual one
 * @param foreground {@code -N} or {@code --foreground} is given
 * @param debugLevel of {@code -d}, or 9 for {@code -X}; -1: none is given
 * @param remarks options without effect, each with the reason
 * @param problem why the command line is refused; null: it is not
 */
record SquidArguments(
    Action action,
    String signal,
    @Nullable Path file,
    boolean foreground,
    int debugLevel,
    List<String> remarks,
    @Nullable String problem) {
  /** What a command line asks for. */
  enum Action {
    START,
    SIGNAL,
    CREATE_FOLDERS,
    VERSION,
    HELP
  }

  /** Words after {@code -k}. */
  static final Set<String> SIGNALS =
      Set.of(
          "reconfigure",
          "rotate",
          "shutdown",
          "interrupt",
          "kill",
          "check",
          "parse",
          "debug",
          "restart");

  private static final String WITH_VALUE = "adfklnu";
  private static final int ALL_MESSAGES = 9;

  /** Options of {@code loligo} itself, which Squid does not have or which mean the same. */
  private static final Set<String> OWN =
      Set.of("-h", "--help", "-V", "--version", "--check", "--strict");

  SquidArguments {
    remarks = List.copyOf(remarks);
  }

  /**
   * Whether words are meant for Squid's command line: the program is called by the name {@code
   * squid}, or the first word is an option, and none of our own.
   */
  static boolean isMeant(String programName, String[] words) {
    if (programName.equals("squid")) {
      return words.length == 0 || words[0].startsWith("-");
    }
    return words.length > 0
        && words[0].startsWith("-")
        && !OWN.contains(words[0])
        && OWN.stream().noneMatch(own -> words[0].startsWith(own + "="));
  }

  /** Whether the proxy starts. */
  boolean starts() {
    return action == Action.START && problem == null;
  }

  /** The configuration: of {@code -f}, or the usual one. */
  Path configuration(String programName) {
    return file != null ? file : Path.of("/etc/" + programName + "/" + programName + ".conf");
  }

  static SquidArguments parse(String... words) {
    Reading reading = new Reading();
    reading.read(List.of(words));
    return new SquidArguments(
        reading.action,
        reading.signal,
        reading.file,
        reading.foreground,
        reading.debugLevel,
        reading.remarks,
        reading.problem);
  }

  /** The options so far. */
  private static final class Reading {
    private final List<String> remarks = new ArrayList<>();
    private Action action = Action.START;
    private String signal = "";
    private @Nullable Path file;
    private boolean foreground;
    private int debugLevel = -1;
    private @Nullable String problem;

    void read(List<String> words) {
      for (int i = 0; i < words.size(); i++) {
        String word = words.get(i);
        if (word.startsWith("--")) {
          longOption(word);
        } else if (word.startsWith("-") && word.length() > 1) {
          i = letters(words, i);
        } else {
          refuse(word + " is not an option");
        }
      }
    }

    /** Reads the options of one word; returns the index of the last word that belongs to it. */
    private int letters(List<String> words, int index) {
      String word = words.get(index);
      for (int i = 1; i < word.length(); i++) {
        char letter = word.charAt(i);
        if (WITH_VALUE.indexOf(letter) < 0) {
          flag(letter);
        } else if (i + 1 < word.length()) {
          valued(letter, word.substring(i + 1));
          return index;
        } else if (index + 1 < words.size()) {
          valued(letter, words.get(index + 1));
          return index + 1;
        } else {
          refuse("-" + letter + " needs a value");
        }
      }
      return index;
    }

    private void longOption(String word) {
      switch (word) {
        case "--foreground" -> foreground = true;
        case "--help" -> action = Action.HELP;
        case "--version" -> action = Action.VERSION;
        case "--kid" -> refuse("--kid: Loligo is one process");
        default -> refuse(word + " is not an option");
      }
    }

    private void flag(char letter) {
      switch (letter) {
        case 'N' -> foreground = true;
        case 'z' -> action = Action.CREATE_FOLDERS;
        case 'v' -> action = Action.VERSION;
        case 'h' -> action = Action.HELP;
        case 'X' -> debugLevel = ALL_MESSAGES;
        case 'C' -> remarks.add("-C has no effect: the JVM handles fatal signals");
        case 'D' -> remarks.add("-D has no effect: it is obsolete");
        case 'F' -> remarks.add("-F has no effect: stored responses are served from the start");
        case 'R' -> remarks.add("-R has no effect: ports are opened with SO_REUSEADDR");
        case 'S' ->
            remarks.add("-S has no effect: each byte from disk is verified when it is read");
        case 'Y' -> remarks.add("-Y has no effect: a start delays no answer to ICP");
        case 's' -> remarks.add(noSyslog("-s"));
        default -> refuse("-" + letter + " is not an option");
      }
    }

    private void valued(char letter, String value) {
      switch (letter) {
        case 'f' -> file = Path.of(value);
        case 'k' -> signal(value);
        case 'd' -> debugLevel(value);
        case 'l' -> remarks.add(noSyslog("-l"));
        case 'n' -> {
          if (!value.equals("squid") && !value.equals("loligo")) {
            refuse("-n " + value + ": name another pid_filename in another file (-f) instead");
          }
        }
        case 'a' -> refuse("-a " + value + ": write http_port " + value + " into the file instead");
        default -> {
          if (!value.equals("0")) {
            remarks.add("-u has no effect: write icp_port " + value + " into the file instead");
          }
        }
      }
    }

    private static String noSyslog(String option) {
      return option
          + " has no effect: the log of the process goes to cache_log and to the standard output";
    }

    private void signal(String word) {
      signal = word.toLowerCase(Locale.ROOT);
      action = Action.SIGNAL;
      if (!SIGNALS.contains(signal)) {
        refuse("-k " + word + " (expected: one of " + SIGNALS.stream().sorted().toList() + ")");
      }
    }

    private void debugLevel(String value) {
      if (value.matches("[0-9]")) {
        debugLevel = value.charAt(0) - '0';
      } else {
        refuse("-d " + value + " (expected: 0 to 9)");
      }
    }

    private void refuse(String why) {
      problem = problem == null ? why : problem;
    }
  }
}

package io.loligo.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What the streams of this process are shown by. Stateless. */
final class TerminalOutput {
  static final int OUTPUT = 1;
  static final int ERRORS = 2;

  private TerminalOutput() {}

  /** Whether a terminal shows the stream with this descriptor; only Linux tells. */
  static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether a terminal gets colours: {@code NO_COLOR} with any value prevents them. */
  static boolean hasColours(boolean terminal, Map<String, String> environment) {
    return terminal
        && environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }
}

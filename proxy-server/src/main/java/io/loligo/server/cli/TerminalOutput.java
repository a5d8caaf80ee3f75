package io.loligo.server.cli;

import java.io.IOException;
import java.io.PrintStream;
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
    String target = target(descriptor);
    return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
  }

  /**
   * The exit status of a command that ends with {@code status}: a failure if {@code out} has lost
   * some of its output. The reader of a pipe that has read enough, such as head, needs no message.
   */
  static int statusOf(PrintStream out, int status) {
    if (!out.checkError()) {
      return status;
    }
    if (!target(OUTPUT).startsWith("pipe:")) {
      System.err.println("loligo: the output cannot be written; next: is the disk full?");
    }
    return status == 0 ? CommandFailure.FAILED : status;
  }

  private static String target(int descriptor) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
    } catch (IOException e) {
      return "";
    }
  }

  /** Whether a terminal that shows the stream with this descriptor can change a line again. */
  static boolean hasProgress(int descriptor) {
    return isTerminal(descriptor) && !isDumb(System.getenv());
  }

  private static boolean isDumb(Map<String, String> environment) {
    return environment.getOrDefault("TERM", "").equals("dumb");
  }

  /** Whether a terminal gets colours: {@code NO_COLOR} with any value prevents them. */
  static boolean hasColours(boolean terminal, Map<String, String> environment) {
    return terminal && environment.getOrDefault("NO_COLOR", "").isEmpty() && !isDumb(environment);
  }
}

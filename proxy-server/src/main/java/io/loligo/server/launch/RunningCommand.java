package io.loligo.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The command line of this process, for another one of the same program. Stateless. */
public final class RunningCommand {
  private RunningCommand() {}

  /**
   * The program, options and main class of this JVM, with other arguments. A jar that was replaced
   * meanwhile is the new one.
   *
   * @throws IOException if the system does not tell
   */
  public static List<String> with(List<String> arguments) throws IOException {
    Path command = Path.of("/proc/self/cmdline");
    try {
      return JavaCommand.parse(Files.readAllBytes(command)).running(arguments).words();
    } catch (IllegalArgumentException e) {
      throw new IOException(command + ": " + e.getMessage(), e);
    }
  }
}

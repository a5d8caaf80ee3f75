package io.loligo.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Starts the JVM of this process again with {@link JvmFlags}, if the operator gave no flags: a JVM
 * cannot change its collector. Main thread, before anything else runs.
 */
public final class Relaunch {
  private static final Path COMMAND = Path.of("/proc/self/cmdline");

  private Relaunch() {}

  /**
   * Does not return if the JVM starts again: this process, with the same number, then begins at its
   * main class. Returns if the operator chose flags, or the system has no such way; the second is
   * said on the error output.
   *
   * @param arguments of {@code run}, which name the configuration
   */
  public static void ifWithoutFlags(String[] arguments) {
    try {
      if (!Files.isReadable(COMMAND)) {
        return;
      }
      JavaCommand command = JavaCommand.parse(Files.readAllBytes(COMMAND));
      if (!command.isPlain(System.getenv())) {
        return;
      }
      Runtime jvm = Runtime.getRuntime();
      JavaCommand again =
          command.with(
              JvmFlags.of(jvm.availableProcessors(), jvm.maxMemory(), cacheBytes(arguments)));
      Path java = Path.of(System.getProperty("java.home"), "bin", "java");
      Exec.run(java.toString(), again.words());
    } catch (IOException | RuntimeException | LinkageError e) {
      System.err.println(
          "loligo: the JVM keeps its own flags, since it cannot start again ("
              + e
              + "); next: give it those of docs/running.md, or allow programs in java.io.tmpdir");
    }
  }

  private static long cacheBytes(String[] arguments) {
    for (int i = 0; i < arguments.length - 1; i++) {
      if (arguments[i].equals("-f") || arguments[i].equals("--file")) {
        return CacheMemLine.bytes(Path.of(arguments[i + 1]));
      }
    }
    return Long.MAX_VALUE;
  }
}

package io.loligo.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * Starts the JVM of this process again with flags of the proxy's, if the operator chose neither
 * collector nor memory: a JVM cannot change its collector. Main thread, before anything else runs.
 */
public final class Relaunch {
  private static final Path COMMAND = Path.of("/proc/self/cmdline");

  /** {@code off}: the JVM keeps the flags that it has. */
  private static final String SWITCH = "loligo.relaunch";

  private Relaunch() {}

  /**
   * {@link #with} the flags of {@code run}.
   *
   * @param arguments of {@code run}, which name the configuration
   */
  public static void forRun(String[] arguments) {
    Runtime jvm = Runtime.getRuntime();
    with(
        () ->
            JvmFlags.of(
                Runtime.version().feature(),
                jvm.availableProcessors(),
                jvm.maxMemory(),
                cacheBytes(arguments)));
  }

  /**
   * Starts with these flags, and with the {@link ClassArchive} of this JVM if there is one. Does
   * not return if the JVM starts again: this process, with the same number, then begins at its main
   * class. Returns if the operator chose flags or switched this off, or the system has no such way.
   * A failure is said on the error output.
   *
   * @param flags asked only if they are needed; at least one that chooses collector or memory,
   *     which tells the second JVM from the first
   */
  public static void with(Supplier<List<String>> flags) {
    try {
      if ("off".equals(System.getProperty(SWITCH)) || !Files.isReadable(COMMAND)) {
        return;
      }
      JavaCommand command = JavaCommand.parse(Files.readAllBytes(COMMAND));
      if (!command.isPlain(System.getenv())) {
        return;
      }
      JavaCommand again = command.with(flags.get());
      if (again.isPlain(System.getenv())) {
        throw new IllegalArgumentException("it would start for ever");
      }
      ClassArchive archive = ClassArchive.ofThisJvm();
      if (archive != null && !command.hasOption("-Xshare:", System.getenv())) {
        again = again.with(archive.options());
      }
      Exec.run(program(), again.words());
    } catch (IOException | RuntimeException | LinkageError e) {
      System.err.println(
          "loligo: the JVM keeps its own flags, since it cannot start again ("
              + e
              + "); next: give it those of docs/running.md, or allow programs in java.io.tmpdir");
    }
  }

  /** The program of this JVM. */
  static String program() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
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

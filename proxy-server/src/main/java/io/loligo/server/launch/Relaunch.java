package io.loligo.server.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts the JVM of this process again with flags of the proxy's, if the operator chose neither
 * collector nor memory: a JVM cannot change its collector. Main thread, before anything else runs.
 */
public final class Relaunch {
  private static final Path COMMAND = Path.of("/proc/self/cmdline");

  /** {@code off}: the JVM keeps the flags that it has. */
  private static final String SWITCH = "loligo.relaunch";

  /** Without flags, the heap of a JVM is this part of the memory. */
  private static final int USUAL_HEAP_SHARE = 4;

  private Relaunch() {}

  /** {@link #with} the flags for a proxy that reads {@code configuration}. */
  public static void forRun(Path configuration) {
    with(() -> flags(configuration));
  }

  /**
   * The options that {@link #forRun} would add to a command, for a launcher that asks before it
   * starts the JVM. None if the command chooses collector or memory.
   *
   * @param words options of the JVM, those of variables too, then {@code -jar}, {@code jar} and
   *     arguments
   */
  public static List<String> optionsForRun(List<String> words, Path jar, Path configuration) {
    List<String> all = new ArrayList<>(words);
    all.add(0, program());
    JavaCommand command = new JavaCommand(all);
    if (!command.isPlain(Map.of())) {
      return List.of();
    }
    List<String> options = archive(command, Map.of(), ClassArchive.of(jar));
    options.addAll(flags(configuration));
    return options;
  }

  private static List<String> flags(Path configuration) {
    return JvmFlags.of(
        Runtime.version().feature(),
        Runtime.getRuntime().availableProcessors(),
        shares(CacheMemLine.bytes(configuration)));
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
      Map<String, String> environment = System.getenv();
      if (!command.isPlain(environment)) {
        return;
      }
      List<String> options = archive(command, environment, ClassArchive.ofThisJvm());
      options.addAll(flags.get());
      JavaCommand again = command.with(options);
      if (again.isPlain(environment)) {
        throw new IllegalArgumentException("it would start for ever");
      }
      Exec.run(program(), again.words());
    } catch (IOException | RuntimeException | LinkageError e) {
      System.err.println(
          "loligo: the JVM keeps its own flags, since it cannot start again ("
              // jffi puts a trace into its message
              + e.toString().lines().findFirst().orElse("")
              + "); next: give it those of docs/running.md, or allow programs in java.io.tmpdir");
    }
  }

  /** The options for {@code archive}; none if there is none, or the operator chose another. */
  private static List<String> archive(
      JavaCommand command, Map<String, String> environment, @Nullable ClassArchive archive) {
    List<String> options = new ArrayList<>();
    if (archive != null && !command.hasOption("-Xshare:", environment)) {
      options.addAll(archive.options());
    }
    return options;
  }

  /** Of the available memory; where that is not known, of what this JVM has taken it for. */
  static MemoryShares shares(long cacheLineBytes) {
    long known = AvailableMemory.bytes();
    long machineBytes =
        known == AvailableMemory.UNKNOWN
            ? Runtime.getRuntime().maxMemory() * USUAL_HEAP_SHARE
            : known;
    return MemoryShares.of(machineBytes, cacheLineBytes);
  }

  /** Whether {@link #forRun} would choose flags in a JVM that was started like this one. */
  public static boolean choosesFlags() {
    try {
      return !"off".equals(System.getProperty(SWITCH))
          && Files.isReadable(COMMAND)
          && JavaCommand.parse(Files.readAllBytes(COMMAND)).isPlain(System.getenv());
    } catch (IOException unreadable) {
      return false;
    }
  }

  /** The program of this JVM. */
  static String program() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}

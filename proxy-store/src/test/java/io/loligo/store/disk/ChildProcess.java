package io.loligo.store.disk;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Another JVM with this one's class path and openings, which may be killed. One thread's. */
final class ChildProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  /** Runs {@code main} with {@code arguments}. */
  ChildProcess(Class<?> main, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Xmx256m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    // classes of this build's compiler need no verifier, which takes a sixth of a start
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.add("-Dchronicle.analytics.disable=true");
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--add-")) {
        command.add(option);
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    output = process.inputReader();
  }

  /** The next line it printed; null at its end. Waits. */
  String line() throws IOException {
    return output.readLine();
  }

  long pid() {
    return process.pid();
  }

  /** SIGKILL; waits until it is gone. Its output can still be read. */
  void kill() {
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() throws IOException {
    kill();
    output.close();
  }
}

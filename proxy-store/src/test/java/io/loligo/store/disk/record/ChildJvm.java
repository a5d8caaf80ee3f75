package io.loligo.store.disk.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Another process with this one's class path and openings, which may be killed, or die. */
final class ChildJvm {
  private ChildJvm() {}

  static ProcessBuilder of(Class<?> main, List<String> options, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-Dchronicle.analytics.disable=true"));
    command.addAll(options);
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--add-")) {
        command.add(option);
      }
    }
    command.addAll(List.of("-cp", absolute(System.getProperty("java.class.path"))));
    command.add(main.getName());
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** Runs it to its end; returns its output. */
  static String run(ProcessBuilder child) throws IOException, InterruptedException {
    Process process = child.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int status = process.waitFor();
    if (status != 0) {
      throw new AssertionError("ended with status " + status + ":\n" + output);
    }
    return output;
  }

  private static String absolute(String classPath) {
    return String.join(
        File.pathSeparator,
        Arrays.stream(classPath.split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .toList());
  }
}

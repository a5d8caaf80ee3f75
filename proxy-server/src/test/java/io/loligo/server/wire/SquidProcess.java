package io.loligo.server.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Squid, where it is installed, with all it writes in one folder. Stateless. */
final class SquidProcess {
  private SquidProcess() {}

  /**
   * Starts it.
   *
   * @param ports its http_port lines
   * @param lines of its configuration, which begins with the lines that keep it in {@code dir}
   */
  static ProxyProcess start(Path dir, List<String> ports, List<String> lines) throws IOException {
    return start(InstalledProgram.path("squid"), dir, ports, lines);
  }

  /** The same with further variables, {@code NAME=VALUE}, in its environment. */
  static ProxyProcess startIn(
      List<String> environment, Path dir, List<String> ports, List<String> lines)
      throws IOException {
    List<String> program = new ArrayList<>(List.of("env"));
    program.addAll(environment);
    program.add(InstalledProgram.path("squid"));
    return start(program, dir, ports, lines);
  }

  /** Starts the one whose program is {@code squid}. */
  static ProxyProcess start(String squid, Path dir, List<String> ports, List<String> lines)
      throws IOException {
    return start(List.of(squid), dir, ports, lines);
  }

  private static ProxyProcess start(
      List<String> program, Path dir, List<String> ports, List<String> lines) throws IOException {
    Path home = Files.createDirectories(dir.resolve("squid"));
    // Squid started by root changes to a user of its own, who must be able to write here
    for (Path path = home; path != null && path.startsWith(dir); path = path.getParent()) {
      path.toFile().setWritable(true, false);
      path.toFile().setReadable(true, false);
      path.toFile().setExecutable(true, false);
    }
    Path conf =
        Files.writeString(
            home.resolve("squid.conf"),
            String.join("\n", ports)
                + "\ncache_mem 8 MB\n"
                + "visible_hostname squid.test\nshutdown_lifetime 0 seconds\npinger_enable off\n"
                + "access_log stdio:"
                + home
                + "/access.log\ncache_log "
                + home
                + "/cache.log\n"
                + "pid_filename "
                + home
                + "/squid.pid\ncoredump_dir "
                + home
                + "\n"
                + String.join("\n", lines)
                + "\n");
    conf.toFile().setReadable(true, false);
    String service = "loligo" + ports.get(0).replaceAll("\\D", "");
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of("-N", "-n", service, "-f", conf.toString()));
    return ProxyProcess.start(dir, command.toArray(String[]::new));
  }
}

package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** Other people's programs around the proxy. Skipped, visibly, where a program is absent. */
abstract class PeersTest extends WireTest {
  /** Runs {@code program} to its end, which has to be a good one, and returns its output. */
  final String run(String program, String... arguments) throws Exception {
    return run(List.of(program), List.of(arguments));
  }

  /** The same with the first of {@code programs} that is installed. */
  final String run(List<String> programs, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(arguments);
    command.add(0, InstalledProgram.path(programs.toArray(String[]::new)));
    ProxyProcess process = closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
    int status = process.awaitExit();
    assertThat(status).as("%s: %s", command, process.output()).isZero();
    return process.output();
  }

  final String curl(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("-q", "-sS", "--max-time", "30", "--noproxy", ""));
    all.addAll(List.of(arguments));
    return run("curl", all.toArray(String[]::new));
  }

  /** Starts nginx with these lines in its server block; {@code PORT} in them is its port. */
  final int nginx(String... serverLines) throws Exception {
    int port = ProxyProcess.freePort();
    List<String> lines = new ArrayList<>(List.of(serverLines));
    if (lines.stream().noneMatch(line -> line.startsWith("listen "))) {
      lines.add("listen 127.0.0.1:PORT;");
    }
    lines.replaceAll(line -> line.replace("PORT", Integer.toString(port)));
    closing(NginxProcess.http(dir, lines)).awaitPort(port);
    return port;
  }
}

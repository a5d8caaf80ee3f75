package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A gateway that intercepts port 80 and 443 and splices TLS by the name of the server: Squid and
 * Loligo give the same clients the same results, and log them alike. Skipped, visibly, if a Squid
 * with OpenSSL or a program for network namespaces is absent, or without the rights of root.
 */
@EnabledOnOs(OS.LINUX)
class GatewayBesideSquidTest {
  @TempDir Path dir;

  @Test
  void splicesAndDeniesAsSquidDoes() throws Exception {
    String squid = InstalledProgram.path("squid-openssl");
    InstalledProgram.path("ip");
    InstalledProgram.path("nft");
    List<String> command = new ArrayList<>(List.of(InstalledProgram.path("unshare"), "--net"));
    assumeTrue(
        "root".equals(System.getProperty("user.name")), "Squid changes its user: needs root");
    assumeRulesAreAllowed(command);
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m"), GatewayNamespace.class.getName(), squid, dir.toString()));
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      List<String> squids = results(process, "= squid: ");
      assertThat(squids).as(process.output()).isNotEmpty();
      assertThat(results(process, "= loligo: ")).isEqualTo(squids);
    }
  }

  private void assumeRulesAreAllowed(List<String> unshared) throws Exception {
    Path rules = Files.writeString(dir.resolve("rules"), GatewayNamespace.RULES);
    String[] command =
        Stream.concat(unshared.stream(), Stream.of("nft", "-f", rules.toString()))
            .toArray(String[]::new);
    try (ProxyProcess process = ProxyProcess.start(dir, command)) {
      assumeTrue(process.awaitExit() == 0, "the system does not allow these rules");
    }
  }

  /** In one order: tunnels end, and are logged, in any. */
  private static List<String> results(ProxyProcess process, String of) throws Exception {
    return process
        .output()
        .lines()
        .filter(line -> line.startsWith(of))
        .map(line -> line.substring(of.length()))
        .sorted()
        .toList();
  }
}

package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Interception by real rules of nftables, in a network namespace. Skipped where a program is not
 * installed, or where the system does not allow namespaces or the rules.
 */
@EnabledOnOs(OS.LINUX)
final class NamespacesTest {

  /** The chains begin at the places that docs/interception.md names. */
  private static final String NAT =
      """
      table inet loligo {
        chain output {
          type nat hook output priority -100
          ip saddr 192.0.2.9 tcp dport 80 redirect to :3129
          ip6 saddr 2001:db8::9 tcp dport 80 redirect to :3129
          tcp dport 8080 redirect to :3129
        }
      }
      """;

  private static final String TPROXY =
      """
      table inet loligo {
        chain prerouting {
          type filter hook prerouting priority mangle
          meta l4proto tcp socket transparent 1 meta mark set 1 accept
          ip saddr 192.0.2.9 tcp dport 80 tproxy ip to :3129 meta mark set 1 accept
          ip6 saddr 2001:db8::9 tcp dport 80 tproxy ip6 to :3129 meta mark set 1 accept
          meta nfproto ipv4 tcp dport 8080 tproxy ip to :3129 meta mark set 1 accept
        }
      }
      """;

  /** As in docs/interception.md. */
  private static final String ROUTER =
      """
      table inet loligo {
        chain prerouting {
          type filter hook prerouting priority mangle
          meta l4proto tcp socket transparent 1 meta mark set 1 accept
          iifname "c0" meta nfproto ipv4 tcp dport 80 tproxy ip to :3129 meta mark set 1 accept
        }
      }
      """;

  /** The mark of the connection is set before the proxy accepts it. */
  private static final String MARKS =
      """
      table inet loligo {
        chain input {
          type filter hook input priority mangle
          ip saddr 192.0.2.9 tcp dport 3128 ct mark set 0x1f
          ip saddr 192.0.2.10 tcp dport 3128 ct mark set 7
          ip6 saddr 2001:db8::9 tcp dport 3128 ct mark set 0x10
        }
      }
      """;

  @TempDir Path dir;
  private final List<String> unshared = new ArrayList<>();

  @BeforeEach
  void findPrograms() {
    InstalledProgram.path("ip");
    InstalledProgram.path("nft");
    unshared.addAll(List.of(InstalledProgram.path("unshare"), "--map-root-user", "--net"));
  }

  /** The lines that the process in the namespace tells. */
  private List<String> run(String option, String rules) throws Exception {
    Path file = Files.writeString(dir.resolve("rules"), rules);
    ended(List.of("nft", "-f", file.toString()), "the system does not allow these rules");
    List<String> command = new ArrayList<>(unshared);
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m"),
            InterceptingNamespace.class.getName(),
            option,
            file.toString(),
            dir.toString()));
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      return process.output().lines().filter(line -> line.startsWith("= ")).toList();
    }
  }

  /** Runs {@code command} in a namespace; if it fails, the test is skipped. */
  private void ended(List<String> command, String why) throws Exception {
    String[] whole = Stream.concat(unshared.stream(), command.stream()).toArray(String[]::new);
    try (ProxyProcess process = ProxyProcess.start(dir, whole)) {
      int exit = process.awaitExit();
      assumeTrue(exit == 0, why + ": " + process.output().lines().collect(Collectors.joining(" ")));
    }
  }

  private static List<String> expected() {
    return List.of(
        "= there: from 192.0.2.1",
        "= stored: from 192.0.2.1",
        "= elsewhere: from 192.0.2.2",
        "= six: from 2001:db8::1",
        "= the port itself: closed",
        "= a loop: 508",
        "= log: 192.0.2.9 TCP_MISS/200 http://www.test/ ORIGINAL_DST/192.0.2.1",
        "= log: 192.0.2.9 TCP_MEM_HIT/200 http://www.test/ HIER_NONE/-",
        "= log: 192.0.2.9 TCP_MISS/200 http://www.test/ ORIGINAL_DST/192.0.2.2",
        "= log: 2001:db8::9 TCP_MISS/200 http://six.test/ ORIGINAL_DST/2001:db8::1");
  }

  @Test
  void natTellsTheDestination() throws Exception {
    assertThat(run("intercept", NAT)).startsWith(expected().toArray(String[]::new));
  }

  /** The lines that the processes in three namespaces tell, without the ports of addresses. */
  private List<String> route(String... lines) throws Exception {
    Path file = Files.writeString(dir.resolve("rules"), ROUTER);
    ended(List.of("nft", "-f", file.toString()), "the system does not allow these rules");
    ended(
        List.of("ip", "link", "add", "a0", "type", "veth", "peer", "name", "a1"),
        "the system does not allow pairs of interfaces");
    List<String> arguments = new ArrayList<>(List.of(file.toString(), dir.toString()));
    arguments.addAll(List.of(lines));
    List<String> command = new ArrayList<>(unshared);
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m"),
            TransparentNamespaces.class.getName(),
            arguments.toArray(String[]::new)));
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      return process
          .output()
          .lines()
          .filter(line -> line.startsWith("= "))
          .map(line -> line.replaceFirst(" [0-9]+$", ""))
          .toList();
    }
  }

  @Test
  void originsSeeTheClientsOfATproxyPort() throws Exception {
    assertThat(route("acl guest src 192.0.2.11", "spoof_client_ip deny guest"))
        .containsExactly(
            "= one client: 192.0.2.9",
            "= another client: 192.0.2.10",
            "= a denied client: 198.51.100.1",
            "= the first client again: 192.0.2.9",
            "= on the same connection: true");
  }

  @Test
  void rulesReadTheMarkOfTheConnection() throws Exception {
    Path file = Files.writeString(dir.resolve("rules"), MARKS);
    ended(List.of("nft", "-f", file.toString()), "the system does not allow these rules");
    // the rules have loaded the module that makes it
    assumeTrue(
        Files.exists(Path.of("/proc/net/nf_conntrack")), "the system does not allow reading marks");
    List<String> command = new ArrayList<>(unshared);
    command.addAll(
        ProxyProcess.command(
            List.of("-Xmx128m"), MarkedNamespace.class.getName(), file.toString(), dir.toString()));
    try (ProxyProcess process = ProxyProcess.start(dir, command.toArray(String[]::new))) {
      assertThat(process.awaitExit()).as(process.output()).isZero();
      assertThat(process.output().lines().filter(line -> line.startsWith("= ")))
          .containsExactly(
              "= 192.0.2.9: 403 403",
              "= 192.0.2.10: 403 403",
              "= 192.0.2.11: 200 200",
              "= 2001:db8::9: 403 403",
              "= 2001:db8::10: 200 200");
    }
  }

  @Test
  void tproxyKeepsTheDestination() throws Exception {
    assertThat(run("tproxy", TPROXY)).startsWith(expected().toArray(String[]::new));
  }
}

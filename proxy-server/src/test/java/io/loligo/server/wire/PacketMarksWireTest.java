package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Netfilter's marks of packets, as the system has them. Setting them needs CAP_NET_ADMIN. */
class PacketMarksWireTest extends WireTest {
  private static final int CAP_NET_ADMIN = 12;
  private static final int CAP_NET_RAW = 13;
  private static final String LATER = "acl later req_header X-Later .";

  private static boolean maySetMarks() throws IOException {
    return has(CAP_NET_ADMIN);
  }

  private static boolean has(int capability) throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status, ISO_8859_1).stream()
            .filter(line -> line.startsWith("CapEff:"))
            .anyMatch(line -> (Long.parseLong(line.substring(8), 16) >> capability & 1) == 1);
  }

  /** Those of the proxy's connections that {@code filter} selects. */
  private static List<String> marks(String filter) throws Exception {
    Process listing =
        new ProcessBuilder(InstalledProgram.path("ss"), "-tneH", filter)
            .redirectErrorStream(true)
            .start();
    String text = new String(listing.getInputStream().readAllBytes(), ISO_8859_1);
    return Pattern.compile("fwmark:0x[0-9a-f]+")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .toList();
  }

  @Test
  void theFirstLineThatMatchesMarksPacketsToTheOrigin() throws Exception {
    assumeTrue(maySetMarks());
    startProxy(
        LATER,
        "tcp_outgoing_mark 0xfffffff1 later",
        "tcp_outgoing_mark 18 !later",
        "logformat marks %<nfmark",
        "access_log stdio:" + dir.resolve("access.log") + " marks");
    origin.otherwise(call -> call.ok("x", "Cache-Control: no-store"));
    get("/a", "X-Later: 1");
    assertThat(marks("dport = :" + origin.port())).containsExactly("fwmark:0xfffffff1");
    get("/a");
    get("/a");
    assertThat(marks("dport = :" + origin.port()))
        .as("connections are shared by requests with the same mark only")
        .containsExactlyInAnyOrder("fwmark:0xfffffff1", "fwmark:0x12");
    assertThat(stopAndReadLog()).containsExactly("0xfffffff1", "0x12", "0x12");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mark_client_packet", "clientside_mark"})
  void theFirstLineThatMatchesMarksPacketsToTheClient(String directive) throws Exception {
    assumeTrue(maySetMarks());
    startProxy(
        LATER,
        directive + " 0x21 later",
        directive + " 0x22 !later",
        "logformat mark %>nfmark",
        "access_log stdio:" + dir.resolve("mark.log") + " mark");
    origin.onOk("/a", "x");
    RawClient one = client();
    RawClient other = client();
    one.get(origin.url("/a"), "X-Later: 1").response();
    other.get(origin.url("/a")).response();
    assertThat(marks("sport = :" + proxy.port()))
        .containsExactlyInAnyOrder("fwmark:0x21", "fwmark:0x22");
    one.get(origin.url("/a")).response();
    assertThat(marks("sport = :" + proxy.port()))
        .containsExactlyInAnyOrder("fwmark:0x22", "fwmark:0x22");
    assertThat(stopAndReadLog("mark.log")).containsExactly("0x21", "0x22", "0x22");
  }

  @Test
  void packetsOfHitsAndMissesHaveTheirOwnMark() throws Exception {
    assumeTrue(maySetMarks());
    startProxy(
        "qos_flows mark local-hit=0xfffffff1 miss=0x22",
        "logformat mark %Ss %>nfmark",
        "access_log stdio:" + dir.resolve("mark.log") + " mark");
    origin.onOk("/a", "x", "Cache-Control: max-age=100");
    RawClient client = client();
    client.get(origin.url("/a")).response();
    assertThat(marks("sport = :" + proxy.port())).containsExactly("fwmark:0x22");
    client.get(origin.url("/a")).response();
    assertThat(marks("sport = :" + proxy.port())).containsExactly("fwmark:0xfffffff1");
    assertThat(stopAndReadLog("mark.log"))
        .containsExactly("TCP_MISS 0x22", "TCP_MEM_HIT 0xfffffff1");
  }

  @Test
  void aProcessWithoutTheCapabilityDoesNotStart() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/status")), "Linux");
    Path file = Files.writeString(dir.resolve("loligo.conf"), configuration("tcp_outgoing_mark 1"));
    List<String> command = new ArrayList<>();
    if (maySetMarks() || has(CAP_NET_RAW)) { // newer systems take the second one, too
      command.add(InstalledProgram.path("setpriv"));
      command.addAll(
          List.of("--inh-caps=-net_admin,-net_raw", "--bounding-set=-net_admin,-net_raw"));
    }
    command.addAll(
        ProxyProcess.command(List.of("-Xmx128m"), ProxyProcess.MAIN, "run", "-f", file.toString()));
    ProxyProcess process = closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
    assertThat(process.awaitExit()).as(process.output()).isNotZero();
    assertThat(process.output())
        .contains(
            "tcp_outgoing_mark, mark_client_packet and qos_flows mark: marks need the capability"
                + " CAP_NET_ADMIN (systemd: AmbientCapabilities=CAP_NET_ADMIN)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"tcp_outgoing_mark 1", "mark_client_packet 1", "qos_flows mark local-hit=1"})
  void aLineThatCannotHoldStopsTheStartAndTheReload(String line) throws Exception {
    assertThatThrownBy(() -> startProxy("loligo_transport nio", line))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("marks need epoll or io_uring");
    startProxy("loligo_transport nio");
    assertThat(proxy.reload(configuration("loligo_transport nio", line)).lines())
        .anyMatch(one -> one.contains("marks need epoll or io_uring"));
  }
}

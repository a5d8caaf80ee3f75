package io.loligo.server.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines as Linux writes them. */
class ConnectionTableTest {
  private static final String LINES =
      """
      ipv4     2 udp      17 29 src=192.0.2.9 dst=192.0.2.1 sport=4001 dport=3128 src=192.0.2.1 dst=192.0.2.9 sport=3128 dport=4001 mark=99 zone=0 use=2
      ipv4     2 tcp      6 431999 ESTABLISHED src=192.0.2.9 dst=192.0.2.1 sport=4001 dport=3128 src=192.0.2.1 dst=192.0.2.9 sport=3128 dport=4001 [ASSURED] mark=16 zone=0 use=2
      ipv4     2 tcp      6 431999 ESTABLISHED src=192.0.2.9 dst=198.51.100.1 sport=4002 dport=80 packets=5 bytes=300 src=192.0.2.1 dst=192.0.2.9 sport=3128 dport=4002 packets=4 bytes=200 [ASSURED] mark=4294967295 zone=0 use=2
      ipv4     2 tcp      6 10 SYN_SENT src=192.0.2.1 dst=192.0.2.9 sport=3128 dport=4003 [UNREPLIED] src=192.0.2.9 dst=192.0.2.1 sport=4003 dport=3128 mark=7 zone=0 use=2
      ipv4     2 tcp      6 431999 ESTABLISHED src=192.0.2.9 dst=192.0.2.1 sport=4004 dport=3128 src=192.0.2.1 dst=192.0.2.9 sport=3128 dport=4004 [ASSURED] zone=0 use=2
      ipv6     10 tcp      6 120 FIN_WAIT src=2001:0db8:0000:0000:0000:0000:0000:0009 dst=2001:0db8:0000:0000:0000:0000:0000:0001 sport=4001 dport=3128 src=2001:0db8:0000:0000:0000:0000:0000:0001 dst=2001:0db8:0000:0000:0000:0000:0000:0009 sport=3128 dport=4001 [ASSURED] mark=6 use=2
      """;

  @TempDir Path dir;

  private ConnectionTable table() throws IOException {
    return new ConnectionTable(Files.writeString(dir.resolve("table"), LINES, ISO_8859_1));
  }

  private static SocketEnds ends(String local, String client, int port) throws IOException {
    return new SocketEnds(
        new InetSocketAddress(InetAddress.getByName(local), 3128),
        new InetSocketAddress(InetAddress.getByName(client), port));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.9, 4001, 16",
    "192.0.2.1, 192.0.2.9, 4002, 4294967295", // its destination was changed
    "192.0.2.1, 192.0.2.9, 4003,", // the other direction
    "192.0.2.1, 192.0.2.9, 4004, 0",
    "192.0.2.1, 192.0.2.9, 400,",
    "192.0.2.1, 192.0.2.99, 4001,",
    "2001:db8::1, 2001:db8::9, 4001, 6",
  })
  void aConnectionIsFoundByTheAddressesOfItsReplies(
      String local, String client, int port, Long expected) throws Exception {
    SocketEnds ends = ends(local, client, port);
    assertThat(table().marks(Set.of(ends)).get(ends)).isEqualTo(expected);
  }

  @Test
  void onePassFindsAllThatAreThere() throws Exception {
    SocketEnds one = ends("192.0.2.1", "192.0.2.9", 4001);
    SocketEnds other = ends("2001:db8::1", "2001:db8::9", 4001);
    SocketEnds none = ends("192.0.2.1", "192.0.2.9", 5000);
    assertThat(table().marks(Set.of(none, other, one)))
        .hasSize(2)
        .containsEntry(one, 16L)
        .containsEntry(other, 6L);
  }

  @Test
  void aTableThatCannotBeReadIsToldWithAdvice() throws Exception {
    assertThat(table().refusal()).isNull();
    assertThat(new ConnectionTable(dir.resolve("none")).refusal())
        .contains("none cannot be read", "nf_conntrack", "SupplementaryGroups=root");
  }
}

package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code config/office-proxy.conf} and {@code docs/uses-office.md}: the file itself, on ports of
 * the test's.
 */
class OfficeProxyWireTest extends WireTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");
  private static final String ALICE = LoginFile.line("alice:wonder");
  private static final String CAROL = LoginFile.line("carol:secret");

  private final PassingTime time = new PassingTime();
  private LyingDns dns;
  private ServerSocket collector;

  @BeforeEach
  void start() throws Exception {
    collector = closing(new ServerSocket(0, 5, InetAddress.getLoopbackAddress()));
    collector.setSoTimeout(RawClient.GUARD_MILLIS);
    dns = closing(new LyingDns());
    for (String name : List.of("www.test", "www.social.test", "www.malware.test")) {
      dns.on(name, asked -> asked.send(asked.message(0, 0, LyingDns.Entry.a(name, 127, 0, 0, 1))));
    }
    origin.otherwise(call -> call.ok("content"));
    Path users = LoginFile.write(dir.resolve("users"), "alice:wonder", "carol:secret");
    Path malware = Files.writeString(dir.resolve("malware"), ".malware.test\n");
    Path social = Files.writeString(dir.resolve("social"), ".social.test\n");
    String shipped =
        Files.readString(FOLDER.resolve("office-proxy.conf"))
            .replace("http_port 3128", "http_port 127.0.0.1:0")
            .replace("config/office-users", users.toString())
            .replace("config/office-malware.txt", malware.toString())
            .replace("config/office-social.txt", social.toString())
            .replace("127.0.0.1:5170", "127.0.0.1:" + collector.getLocalPort())
            .replace("http_access deny to_localhost\n", "")
            .replace("./var/log", dir.toString())
            .replace("loligo_admin_port 127.0.0.1:3129", "loligo_admin_port 127.0.0.1:0");
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            shipped + "cache_mem 32 MB\nloligo_event_loops 1\nhosts_file none\n",
            time);
  }

  private WireMessage page(String host, String... fieldLines) throws IOException {
    return client().get(origin.url(host, "/page"), fieldLines).response();
  }

  @Test
  void usersLogIn() throws Exception {
    assertThat(page("www.test").status()).isEqualTo(407);
    assertThat(page("www.test", LoginFile.line("carol:wrong")).status()).isEqualTo(407);
    assertThat(dns.asked()).isEmpty();
    assertThat(page("www.test", CAROL).text()).isEqualTo("content");
    String head = "CONNECT www.test:443 HTTP/1.1\r\nHost: www.test:443\r\n\r\n";
    assertThat(client().send(head).responseTo("CONNECT").status()).isEqualTo(407);
  }

  @Test
  void nobodyReachesMalware() throws Exception {
    assertThat(page("www.malware.test").status()).isEqualTo(403);
    assertThat(page("www.malware.test", ALICE).status()).isEqualTo(403);
    assertThat(dns.asked()).isEmpty();
  }

  /** The second of June is a Tuesday, the sixth a Saturday. */
  @ParameterizedTest
  @CsvSource({
    "2026-06-02T08:59, 200",
    "2026-06-02T09:00, 403",
    "2026-06-02T16:59, 403",
    "2026-06-02T17:01, 200",
    "2026-06-06T12:00, 200",
  })
  void mostUsersReachSocialSitesOutsideWorkingHours(LocalDateTime local, int status)
      throws Exception {
    long millis = local.atZone(ZoneId.systemDefault()).toInstant().toEpochMilli();
    time.pass((millis - time.millis()) / 1000);
    assertThat(page("www.social.test", CAROL).status()).isEqualTo(status);
    assertThat(page("www.social.test", ALICE).status()).isEqualTo(200);
    assertThat(page("www.test", CAROL).status()).isEqualTo(200);
  }

  @Test
  void theCollectorGetsEachRequest() throws Exception {
    assertThat(Instant.ofEpochMilli(time.millis())).isEqualTo("2026-06-02T12:00:00Z");
    page("www.malware.test");
    page("www.test", CAROL);
    page("www.social.test", ALICE);
    try (Socket socket = collector.accept();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      socket.setSoTimeout(RawClient.GUARD_MILLIS);
      assertThat(lines.readLine())
          .contains("\"status\":403", "\"rule\":\"http_access deny malware\"", "\"user\":null")
          .contains("\"notes\":{\"category\":\"malware\"}");
      assertThat(lines.readLine())
          .contains("\"status\":200", "\"rule\":\"http_access allow all\"", "\"user\":\"carol\"")
          .contains("\"notes\":{}");
      assertThat(lines.readLine())
          .contains("\"user\":\"alice\"", "\"notes\":{\"category\":\"social\"}");
    }
  }
}

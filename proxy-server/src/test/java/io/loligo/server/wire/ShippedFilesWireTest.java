package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files of the folder config, on ports and in a folder of the test's. */
class ShippedFilesWireTest extends WireTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");

  private LyingDns dns;

  private void startShipped(String name) throws Exception {
    String shipped =
        Files.readString(FOLDER.resolve(name))
            .replaceAll("(?m)^http_port \\d+", "http_port 127.0.0.1:0")
            .replaceAll(
                "(?m)^(cache_mem|pid_filename|loligo_admin_port|cache_log|access_log) .*", "")
            .replace(" parent 8080 ", " parent " + origin.port() + " ")
            .replaceAll("\\./var/", dir + "/");
    dns = closing(new LyingDns());
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            shipped
                + "\ncache_mem 32 MB\nloligo_event_loops 1\nloligo_admin_port 127.0.0.1:0\n"
                + "cache_log "
                + dir
                + "/cache.log\naccess_log none\nhosts_file none\n");
  }

  @ParameterizedTest
  @CsvSource({
    "loligo.conf, GET, http://name.test:25/",
    "loligo.conf, CONNECT, name.test:8443",
    "loligo.conf, GET, http://name.test/squid-internal-mgr/menu",
    "loligo.conf, GET, http://localhost/",
    "loligo.conf, GET, http://a.LOCALHOST:8080/",
    "loligo.conf, GET, http://127.0.0.1/",
    "loligo.conf, GET, http://169.254.169.254/",
    "minimal-forward.conf, CONNECT, name.test:8443",
  })
  void asksForNoNameToDeny(String file, String method, String target) throws Exception {
    startShipped(file);
    String request = method + " " + target + " HTTP/1.1\r\nHost: name.test\r\n\r\n";
    assertThat(client().send(request).responseTo(method).status()).isEqualTo(403);
    assertThat(dns.asked()).isEmpty();
  }

  /** The whole of 127.0.0.0/8 is this machine's on Linux, and only 127.0.0.1 may use the proxy. */
  @ParameterizedTest
  @CsvSource({"loligo.conf", "minimal-forward.conf"})
  @EnabledOnOs(OS.LINUX)
  void asksForNoNameToDenyAStranger(String file) throws Exception {
    startShipped(file);
    RawClient stranger = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    assertThat(stranger.get("http://name.test/").response().status()).isEqualTo(403);
    assertThat(dns.asked()).isEmpty();
  }

  @Test
  void asksForANameThatMayBeAllowed() throws Exception {
    startShipped("loligo.conf");
    dns.on(
        "name.test",
        question ->
            question.send(question.message(0, 0, LyingDns.Entry.a("name.test", 127, 0, 0, 1))));
    assertThat(client().get("http://name.test/").response().status()).isEqualTo(403);
    assertThat(dns.asked()).contains("name.test");
    assertThat(client().get("http://none.test/").response().status()).isEqualTo(503);
  }

  @Test
  void theReverseProxyAsksForNoName() throws Exception {
    startShipped("minimal-reverse.conf");
    origin.onOk("/", "content");
    String request = "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n";
    assertThat(client().send(request).response().text()).isEqualTo("content");
    assertThat(dns.asked()).isEmpty();
  }
}

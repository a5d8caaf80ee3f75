package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** c-icap with its echo service adapts messages. Skipped, visibly, where it is not installed. */
class CIcapTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private int port;

  @BeforeEach
  void startService() throws Exception {
    String program = InstalledProgram.path("c-icap");
    Path modules = Path.of("/usr/lib/x86_64-linux-gnu/c_icap");
    for (String place : new String[] {"/usr/lib/aarch64-linux-gnu/c_icap", "/usr/lib/c_icap"}) {
      if (!Files.exists(modules)) {
        modules = Path.of(place);
      }
    }
    port = ProxyProcess.freePort();
    Path conf =
        Files.writeString(
            dir.resolve("c-icap.conf"),
            """
            PidFile %1$s/c-icap.pid
            CommandsSocket %1$s/c-icap.ctl
            Port 127.0.0.1:%2$d
            StartServers 1
            MaxServers 2
            MinSpareThreads 1
            MaxSpareThreads 4
            ThreadsPerChild 4
            TmpDir %1$s
            ModulesDir %3$s
            ServicesDir %3$s
            LoadMagicFile /etc/c-icap/c-icap.magic
            ServerLog %1$s/c-icap-server.log
            AccessLog %1$s/c-icap-access.log
            Service echo srv_echo.so
            """
                .formatted(dir, port, modules));
    closing(ProxyProcess.start(dir, program, "-N", "-f", conf.toString())).awaitPort(port);
    startProxy(
        "icap_enable on",
        "icap_service req reqmod_precache icap://127.0.0.1:" + port + "/echo",
        "icap_service resp respmod_precache icap://127.0.0.1:" + port + "/echo",
        "adaptation_access req allow all",
        "adaptation_access resp allow all",
        "adaptation_send_client_ip on");
  }

  @Test
  void responsesPassAndAreStored() throws Exception {
    String large = "0123456789abcdef".repeat(100_000);
    origin.onOk("/small", "content", FRESH);
    origin.onOk("/large", large);
    origin.on(
        "/chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
    assertThat(get("/small").text()).isEqualTo("content");
    assertHit(get("/small"));
    assertThat(get("/large").text()).isEqualTo(large);
    assertThat(get("/chunked").text()).isEqualTo("abcdefg");
    assertThat(get("/missing").status()).isEqualTo(404);
    assertThat(exchange("HEAD", "/small").status()).isEqualTo(200);
  }

  @Test
  void requestsPassWithTheirContent() throws Exception {
    origin.on("/echo", call -> call.ok("got " + call.whole().text()));
    for (int size : new int[] {0, 1, 1_000, 5_000, 300_000}) {
      String content = "x".repeat(size);
      assertThat(send("POST", "/echo", content).text()).isEqualTo("got " + content);
    }
  }
}

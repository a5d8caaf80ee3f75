package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.systemd.NotifyReceiver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process that a service manager starts, as with systemd's {@code Type=notify}. */
class ServiceManagerWireTest extends WireTest {
  private static final List<String> OPTIONS = List.of("-Xmx128m", "-XX:MaxDirectMemorySize=512m");

  @Test
  void tellsWhenItServesLivesReloadsAndStops() throws Exception {
    int port = ProxyProcess.freePort();
    Path conf =
        Files.writeString(
            dir.resolve("loligo.conf"),
            configuration().replaceFirst("http_port.*\n", "http_port 127.0.0.1:" + port + "\n"));
    String address = dir.resolve("notify").toString();
    List<String> command = new ArrayList<>();
    command.addAll(List.of("env", "NOTIFY_SOCKET=" + address, "WATCHDOG_USEC=100000"));
    command.addAll(ProxyProcess.command(OPTIONS, ProxyProcess.MAIN, "run", "-f", conf.toString()));
    try (NotifyReceiver received = new NotifyReceiver(address)) {
      ProxyProcess process = closing(ProxyProcess.start(dir, command.toArray(String[]::new)));
      assertThat(received.next()).isEqualTo("READY=1");
      RawClient.connect(port).close();
      assertThat(received.next()).isEqualTo("WATCHDOG=1");
      assertThat(received.next()).isEqualTo("WATCHDOG=1");

      process.awaitOutput("ready").signal("HUP");
      assertThat(received.nextBut("WATCHDOG=1")).startsWith("RELOADING=1\nMONOTONIC_USEC=");
      assertThat(received.nextBut("WATCHDOG=1")).isEqualTo("READY=1");

      process.signal("TERM");
      assertThat(received.nextBut("WATCHDOG=1")).isEqualTo("STOPPING=1");
      assertThat(process.awaitExit()).as(process.output()).isZero();
    }
  }
}

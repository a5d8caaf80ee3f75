package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.systemd.ServiceManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class InServiceTest {
  private static final int GUARD_MILLIS = 60_000;

  @TempDir Path dir;
  private Proxy proxy;
  private InService service;

  @BeforeEach
  void start() throws IOException {
    proxy = Proxy.start(read().config());
    ServiceManager manager = ServiceManager.of(Map.of(), ProcessHandle.current().pid());
    service = new InService(proxy, manager, dir.resolve("loligo.conf"));
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private ConfigResult read() {
    return Features.reader(new FileConfigSource())
        .readText(
            "loligo.conf",
            String.join(
                "\n",
                "http_port 127.0.0.1:0",
                "access_log none",
                "pid_filename none",
                "loligo_admin_port off",
                "loligo_event_loops 1",
                "cache_mem 20 MB",
                "cache_dir rock " + dir.resolve("cache") + " 64"));
  }

  private void assertServes() throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), proxy.port(0))) {
      client.setSoTimeout(GUARD_MILLIS);
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: none\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(client.getInputStream().read()).isEqualTo('H');
    }
  }

  @Test
  void aReloadIsRefusedWhileASuccessorHasTheStore() throws Exception {
    service.sockets();
    service.giveStore();
    Reloaded refused = proxy.reload(read());
    assertThat(refused.done()).isFalse();
    assertThat(refused.lines()).containsExactly("another process is taking over");
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    service.takeStoreBack(ended.pid());
    assertThat(proxy.reload(read()).done()).isTrue();
  }

  @Test
  void aReloadIsRefusedWhileASuccessorThatHasReadTheConfigurationStarts() throws Exception {
    service.sockets();
    assertThat(proxy.reload(read()).lines()).containsExactly("another process is taking over");
    service.goOn();
    assertThat(proxy.reload(read()).done()).isTrue();
  }

  @Test
  void newConnectionsAreServedWhileASuccessorThatFailedHasNotEnded() throws Exception {
    service.sockets();
    service.giveStore();
    Process hanging = new ProcessBuilder("sleep", "600").start();
    Thread taking = new Thread(() -> service.takeStoreBack(hanging.pid()));
    try {
      taking.start();
      // a loop accepts one connection though it should wait
      assertServes();
      assertServes();
      assertThat(taking.isAlive()).isTrue();
      assertThat(proxy.reload(read()).done()).isFalse();
    } finally {
      hanging.destroyForcibly();
      taking.join();
    }
    assertThat(proxy.reload(read()).done()).isTrue();
  }
}

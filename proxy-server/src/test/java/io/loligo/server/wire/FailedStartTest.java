package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that fails leaves no thread behind, and no lock: the next one succeeds. */
final class FailedStartTest {
  private static final long PATIENCE_MILLIS = 30_000;

  @TempDir Path temp;

  private Set<Thread> before;

  @BeforeEach
  void look() {
    before = new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  private String configuration(int port) {
    return String.join(
        "\n",
        "http_port 127.0.0.1:" + port,
        "visible_hostname proxy.test",
        "pid_filename none",
        "cache_log " + temp.resolve("cache.log"),
        "cache_mem 32 MB",
        "loligo_admin_port 127.0.0.1:0",
        "http_access allow all",
        "access_log stdio:" + temp.resolve("access.log") + " squid",
        "cache_dir rock " + temp.resolve("cache") + " 64");
  }

  private void assertNothingIsLeft() throws Exception {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (!before.contains(thread) && thread.getName().startsWith("loligo-")) {
        thread.join(PATIENCE_MILLIS);
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
    ProxyUnderTest.start(configuration(0)).close();
  }

  @Test
  void whenWiringFails() throws Exception {
    UnaryOperator<Store> failing =
        store -> {
          throw new IllegalStateException("for the test");
        };
    assertThatThrownBy(() -> ProxyUnderTest.startSeen(configuration(0), failing))
        .hasMessage("for the test");
    assertNothingIsLeft();
  }

  @Test
  void whenAPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> ProxyUnderTest.start(configuration(taken.getLocalPort())))
          .isInstanceOf(IOException.class);
    }
    assertNothingIsLeft();
  }

  @Test
  void whenACacheDirIsAnothersAlready() throws Exception {
    try (ProxyUnderTest owner = ProxyUnderTest.start(configuration(0))) {
      owner.diskOpened().join();
      look();
      assertThatThrownBy(() -> ProxyUnderTest.start(configuration(0)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use by");
    }
    assertNothingIsLeft();
  }
}

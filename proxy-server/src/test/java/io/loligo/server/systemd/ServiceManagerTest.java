package io.loligo.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceManagerTest {
  private static final CompletableFuture<?> NEVER = new CompletableFuture<>();

  @Test
  void isToldThatTheProxyIsReadyReloadsAndStops(@TempDir Path dir) throws Exception {
    toldAt(dir.resolve("notify").toString());
  }

  @Test
  void mayHaveAnAbstractAddress() throws Exception {
    toldAt("@loligo-test-" + UUID.randomUUID());
  }

  private static void toldAt(String address) throws InterruptedException {
    try (NotifyReceiver received = new NotifyReceiver(address);
        ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", address), 1)) {
      manager.ready(() -> NEVER);
      assertThat(received.next()).isEqualTo("READY=1");
      manager.reloading();
      assertThat(received.next()).matches("RELOADING=1\nMONOTONIC_USEC=[0-9]+");
      manager.reloaded();
      assertThat(received.next()).isEqualTo("READY=1");
      manager.stopping();
      assertThat(received.next()).isEqualTo("STOPPING=1");
      assertThat(received.next()).isEqualTo("EXTEND_TIMEOUT_USEC=30000000");
    }
  }

  @Test
  void givesSignsOfLifeIfItWantsThem(@TempDir Path dir) throws Exception {
    String address = dir.resolve("notify").toString();
    try (NotifyReceiver received = new NotifyReceiver(address);
        ServiceManager manager =
            ServiceManager.of(
                Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "2000", "WATCHDOG_PID", "7"),
                7)) {
      manager.ready(() -> CompletableFuture.completedFuture(null));
      assertThat(received.next()).isEqualTo("READY=1");
      assertThat(received.next()).isEqualTo("WATCHDOG=1");
      assertThat(received.next()).isEqualTo("WATCHDOG=1");
    }
  }

  @ParameterizedTest
  @CsvSource({"30000000,7,30000000", "30000000,'',30000000", "30000000,8,0", "'',7,0", "x,7,0"})
  void watchesOnlyTheProcessThatItMeans(String micros, String watched, long expected) {
    Map<String, String> environment = Map.of("WATCHDOG_USEC", micros, "WATCHDOG_PID", watched);

    assertThat(ServiceManager.watchdogMicros(environment, 7)).isEqualTo(expected);
  }

  @Test
  void loopsThatDoNotAnswerEndTheSigns() {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger signs = new AtomicInteger();
    CompletableFuture<Void> hanging = new CompletableFuture<>();
    Watchdog watchdog =
        new Watchdog(
            () -> asked.incrementAndGet() == 2 ? hanging : CompletableFuture.completedFuture(null),
            signs::incrementAndGet);

    watchdog.run();
    assertThat(signs).hasValue(1);
    watchdog.run();
    watchdog.run();
    watchdog.run();
    assertThat(signs).as("while a loop hangs").hasValue(1);
    assertThat(asked).as("a hanging loop is not asked again").hasValue(2);
    hanging.complete(null);
    watchdog.run();
    assertThat(signs).hasValue(3);
  }

  @ParameterizedTest
  @CsvSource({"/nowhere/at/all", "vsock:2:1234", "''"})
  void aServiceManagerThatCannotBeToldStopsNothing(String address) {
    assertThatCode(
            () -> {
              try (ServiceManager manager =
                  ServiceManager.of(Map.of("NOTIFY_SOCKET", address), 1)) {
                manager.ready(() -> NEVER);
                manager.reloading();
                manager.stopping();
              }
            })
        .doesNotThrowAnyException();
  }
}

package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LatePatternTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 200;

  private final LoggerContext context = new LoggerContext();

  private LoggingEvent event() {
    LoggingEvent event = new LoggingEvent();
    event.setLoggerContext(context);
    event.setLoggerName("a.b.Name");
    event.setLevel(Level.WARN);
    event.setMessage("a line");
    return event;
  }

  @Test
  void threadsMayWriteTheFirstLineAtTheSameTime() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        LatePattern late = new LatePattern("%level %logger{0}: %msg");
        late.setContext(context);
        late.start();
        CyclicBarrier together = new CyclicBarrier(THREADS);
        List<Future<byte[]>> lines = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          lines.add(
              threads.submit(
                  () -> {
                    LoggingEvent event = event();
                    together.await();
                    return late.encode(event);
                  }));
        }
        for (Future<byte[]> line : lines) {
          assertThat(new String(line.get(), StandardCharsets.UTF_8)).isEqualTo("WARN Name: a line");
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}

package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Each shortage counts; the log names the remedy, at a readable rate. */
class MemoryShortageTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(MemoryShortage.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  /** A clock may begin anywhere, and pass the largest number. */
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5_000_000_000L);

  private final MemoryShortage shortage = new MemoryShortage(nanos::get);

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(log);
  }

  private void met(int times, String what) {
    for (int i = 0; i < times; i++) {
      shortage.met(new OutOfMemoryError("for the test"), what);
    }
  }

  @Test
  void saysItOnceInTenSeconds() {
    met(3, "a read");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
    met(3, "a write");
    assertThat(log.list).hasSize(1);
    nanos.addAndGet(1);
    met(3, "a tunnel");
    assertThat(log.list).hasSize(2).allMatch(line -> line.getLevel() == Level.ERROR);
    assertThat(log.list.get(0).getFormattedMessage())
        .contains("1 times", "a read", "for the test", "cache_mem", "-XX:MaxDirectMemorySize");
    assertThat(log.list.get(1).getFormattedMessage()).contains("7 times", "a tunnel");
    assertThat(shortage.count()).isEqualTo(9);
  }
}

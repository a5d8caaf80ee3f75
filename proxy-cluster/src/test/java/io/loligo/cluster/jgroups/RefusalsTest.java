package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RefusalsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(Refusals.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private long now;
  private final Refusals refusals = new Refusals(() -> now);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void ignore() {
    logger.detachAppender(lines);
  }

  private void refuse(int client) throws UnknownHostException {
    InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, 1, (byte) client});
    refusals.notAdmitted(address, new IOException("no greeting"));
  }

  @Test
  void anAddressHasALineInAMinute() throws Exception {
    refuse(1);
    refuse(1);
    refuse(2);
    assertThat(lines.list).hasSize(2);
    now += TimeUnit.SECONDS.toNanos(60);
    refuse(1);
    assertThat(lines.list).hasSize(3);
  }

  @Test
  void manyAddressesDoNotFloodTheLog() throws Exception {
    for (int round = 0; round < 3; round++) {
      for (int client = 0; client < 200; client++) {
        refuse(client);
      }
    }
    assertThat(lines.list).hasSize(64);
    now += TimeUnit.SECONDS.toNanos(60);
    refuse(199);
    assertThat(lines.list).hasSize(65);
  }

  @Test
  void anotherClusterHasALineInAMinuteThatItCannotForge() {
    refusals.otherCluster("web", "wbe\nWARN");
    refusals.otherCluster("web", "other");
    assertThat(lines.list)
        .singleElement()
        .satisfies(
            line -> assertThat(line.getFormattedMessage()).contains("of a cluster wbe?WARN,"));
    now += TimeUnit.SECONDS.toNanos(60);
    refusals.otherCluster("web", "other");
    assertThat(lines.list).hasSize(2);
  }
}

package io.loligo.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class SpanSenderTest {
  @Test
  void theQueueIsBoundedAndCountsWhatItDrops() {
    try (SpanSender sender = new SpanSender(URI.create("http://127.0.0.1:9/"), "h", "1")) {
      for (int i = 0; i < SpanSender.MAX_WAITING; i++) {
        assertThat(sender.hasRoom()).isTrue();
        sender.offer("{}");
      }
      assertThat(sender.hasRoom()).isFalse();
      assertThat(sender.hasRoom()).isFalse();
      assertThat(sender.dropped()).isEqualTo(2);
      assertThat(sender.sent()).isZero();
    }
  }
}

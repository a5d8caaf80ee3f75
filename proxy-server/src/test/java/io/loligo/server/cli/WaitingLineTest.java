package io.loligo.server.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class WaitingLineTest {
  private static final String ERASED = "\r\u001B[K";

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final CountDownLatch twice = new CountDownLatch(2);

  /** Counts how often it is flushed. */
  private PrintStream terminal() {
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int one) {
            shown.write(one);
          }

          @Override
          public void flush() {
            twice.countDown();
          }
        };
    return new PrintStream(out, false, US_ASCII);
  }

  @Test
  void countsSecondsAndIsGoneAtTheEnd() throws Exception {
    WaitingLine line = WaitingLine.on(terminal(), "draining", 1);
    twice.await();
    line.end();
    String text = shown.toString(US_ASCII);
    assertThat(text)
        .startsWith("\r\u001B[?7l\u001B[Kdraining: 1 s\u001B[?7h\r\u001B[?7l\u001B[Kdraining: 2 s")
        .endsWith(ERASED);
  }

  @Test
  void aShortWaitShowsNothing() {
    WaitingLine.on(terminal(), "draining", 3_600_000).end();
    assertThat(shown.toString(US_ASCII)).isEqualTo(ERASED);
  }

  @Test
  void withoutATerminalThereIsNone() {
    WaitingLine.on(null, "draining", 1).end();
    assertThat(shown.size()).isZero();
  }
}

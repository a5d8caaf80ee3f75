package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class LogWriterTest {
  private final LineRing ring = new LineRing(1 << 10);
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final CompletableFuture<Void> reopened = new CompletableFuture<>();
  private Runnable atFlush = () -> {};

  /** Records its calls. */
  private final LogOutput output =
      new LogOutput() {
        @Override
        public void line(byte[] bytes, int start, int length, int secondStart, int secondLength) {
          done.add(new String(bytes, start, length, US_ASCII));
        }

        @Override
        public void flush() {
          Runnable now = atFlush;
          atFlush = () -> {};
          now.run();
        }

        @Override
        public void reopen(boolean rotates) {
          done.add("reopened");
        }

        @Override
        public long lostLines() {
          return 0;
        }

        @Override
        public void close() {
          done.add("closed");
        }
      };

  @Test
  void linesOfferedBeforeAReopeningAreWrittenBeforeIt() {
    LogWriter writer = new LogWriter(new LineRing[] {ring}, new LogOutput[] {output});
    // when the writer has just emptied the rings
    atFlush =
        () -> {
          ring.offer(0, "line".getBytes(US_ASCII), 4, 0);
          writer.reopen(false).thenRun(() -> reopened.complete(null));
        };
    writer.start();
    reopened.join();
    writer.close();
    assertThat(done).containsExactly("line", "reopened", "closed");
  }
}

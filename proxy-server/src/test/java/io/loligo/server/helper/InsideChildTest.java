package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Programs inside the proxy as children of a helper. */
class InsideChildTest {
  private final FakeChildren time = new FakeChildren();
  private final AtomicInteger open = new AtomicInteger();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final BlockingQueue<HelperReply> replies = new LinkedBlockingQueue<>();
  private final Helpers helpers = time.helpers();
  private final Helper helper =
      helpers.of(
          new HelperProgram(
                  "inside",
                  List.of("/bin/x", "-w", "hunter2"),
                  new HelperChildren(1, 0, 1, 5, 2, true, false),
                  1_000,
                  /* asksAgain= */ false)
              .inside(new Program()));

  private final class Program implements InsideProgram {
    @Override
    public Answering start(LongSupplier nanos) {
      open.incrementAndGet();
      CountDownLatch closed = new CountDownLatch(1);
      return new Answering() {
        @Override
        public String answer(String question) {
          if (question.equals("hang")) {
            hangs.countDown();
            await(closed);
            return "OK too late";
          }
          if (question.equals("fail")) {
            throw new IllegalStateException("by the test");
          }
          return "OK user=" + question;
        }

        @Override
        public void close() {
          if (closed.getCount() > 0) {
            open.decrementAndGet();
          }
          closed.countDown();
        }
      };
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void ask(String question) {
    helper.ask(question.getBytes(ISO_8859_1), Runnable::run, replies::add);
  }

  @AfterEach
  void close() {
    helpers.close();
  }

  @Test
  void answersOneLineWithOneLine() throws Exception {
    ask("a");
    assertThat(replies.take().first("user")).isEqualTo("a");
    assertThat(open).hasValue(1);
    assertThat(helper.program().command()).containsExactly("/bin/x");
    assertThat(time.started).isEmpty();
    helpers.close();
    assertThat(open).hasValue(0);
  }

  @Test
  void aChildThatHangsIsClosedAndReplaced() throws Exception {
    ask("hang");
    await(hangs);
    time.pass(1_500);
    assertThat(replies.take().result()).isEqualTo(HelperResult.TIMED_OUT);
    Waiting.until("its place is free", () -> helper.numbers().value(HelperCount.CHILDREN) == 0);
    ask("b");
    assertThat(replies.take().first("user")).isEqualTo("b");
    assertThat(open).hasValue(1);
  }

  @Test
  void aFaultOfTheProgramCostsTheChildOnly() throws Exception {
    ask("fail");
    assertThat(replies.take().result()).isEqualTo(HelperResult.DIED);
    ask("c");
    assertThat(replies.take().first("user")).isEqualTo("c");
    assertThat(open).hasValue(1);
  }
}

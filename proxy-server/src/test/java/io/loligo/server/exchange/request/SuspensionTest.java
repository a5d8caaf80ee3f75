package io.loligo.server.exchange.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.exchange.client.ClientEvents;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SuspensionTest {
  private final SampleRequests samples = new SampleRequests();
  private final List<Throwable> failures = samples.failures;
  private final Suspension suspension = new Suspension(samples.request());
  private final Next next = new Next();

  private static final class Next implements ClientEvents {
    private final List<String> told = new ArrayList<>();

    @Override
    public void content(ByteBuf content) {
      told.add("content");
      content.release();
    }

    @Override
    public void contentEnd(Fields trailers) {
      told.add("end");
    }

    @Override
    public void contentFailed(ParseFailure failure) {
      told.add("failed");
    }

    @Override
    public void writable() {
      told.add("writable");
    }

    @Override
    public void gone() {
      told.add("gone");
    }
  }

  @Test
  void passesEventsToTheNextPart() {
    suspension.writable();
    suspension.resume(() -> next);
    suspension.writable();
    suspension.content(Unpooled.buffer(1));
    suspension.contentEnd(null);
    suspension.contentFailed(ParseFailure.BAD_TARGET);
    suspension.gone();
    assertThat(next.told).containsExactly("writable", "content", "end", "failed", "gone");
  }

  @Test
  void doesNotResumeForAClientThatHasLeft() {
    suspension.gone();
    suspension.resume(
        () -> {
          throw new AssertionError("resumed");
        });
    assertThat(suspension.over()).isTrue();
  }

  @Test
  void tellsTheNextPartOfAClientThatLeavesWhileItBegins() {
    suspension.resume(
        () -> {
          suspension.gone();
          return next;
        });
    assertThat(next.told).containsExactly("gone");
  }

  @Test
  void givesFailuresToTheStream() {
    RuntimeException failure = new IllegalStateException("step");
    suspension.resume(
        () -> {
          throw failure;
        });
    assertThat(failures).containsExactly(failure);
    ByteBuf late = Unpooled.buffer(1);
    suspension.content(late);
    assertThat(late.refCnt()).isZero();
  }

  @Test
  void releasesContentThatNothingTakes() {
    ByteBuf early = Unpooled.buffer(1);
    suspension.content(early);
    assertThat(early.refCnt()).isZero();
    suspension.resume(() -> null);
    ByteBuf late = Unpooled.buffer(1);
    suspension.content(late);
    assertThat(late.refCnt()).isZero();
  }
}

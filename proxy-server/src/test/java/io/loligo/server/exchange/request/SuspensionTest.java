package io.loligo.server.exchange.request;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.record.ExchangeRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SuspensionTest {
  private final List<Throwable> failures = new ArrayList<>();
  private final ExchangeRecord record = new ExchangeRecord();
  private final Suspension suspension = new Suspension(request());
  private final Next next = new Next();

  /** A request of a stream that has a record and notes failures. */
  private Request request() {
    ClientStream stream =
        (ClientStream)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ClientStream.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("failed")) {
                    failures.add((Throwable) arguments[0]);
                  }
                  return switch (method.getName()) {
                    case "record" -> record;
                    case "clientConnections" -> 1;
                    default -> null;
                  };
                });
    byte[] bytes = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(US_ASCII);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(head, "http", null, true)).isNull();
    return new Request().begin(stream, head, ContentLength.NONE, target, 0);
  }

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

  @Test
  void theSnapshotIsMadeOnceAndNotedInTheRecord() {
    Request current = request();
    Request snapshot = current.snapshot();
    assertThat(snapshot).isNotSameAs(current);
    assertThat(snapshot.snapshot()).isSameAs(snapshot);
    assertThat(record.acl).isSameAs(snapshot);
    assertThat(record.request).isSameAs(snapshot.head()).isNotSameAs(current.head());
    assertThat(record.target).isSameAs(snapshot.target());
  }
}

package io.loligo.core.http1;

import static io.loligo.core.http1.Parsed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Counts the heap allocation of the hot path: nothing, once its objects exist. */
final class HeadAllocationTest {
  private static final int WARM_UP = 20_000;
  private static final int ROUNDS = 20_000;

  private static final byte[] REQUEST =
      bytes(
          """
          GET /a/b?c HTTP/1.1\r
          Host: Example.com\r
          Accept: */*\r
          X-Other: some value\r
          Connection: keep-alive\r
          User-Agent: test\r
          \r
          """);
  private static final byte[] RESPONSE =
      bytes(
          """
          HTTP/1.1 200 OK\r
          ETag: "x"\r
          Transfer-Encoding: chunked\r
          \r
          """);

  private long failures;

  private static long bytesPerRound(Runnable action) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    for (int i = 0; i < WARM_UP; i++) {
      action.run();
    }
    long before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < ROUNDS; i++) {
      action.run();
    }
    return (threads.getThreadAllocatedBytes(self) - before) / ROUNDS;
  }

  @Test
  void seesAnAllocation() {
    assertThat(bytesPerRound(() -> failures += new byte[(int) (failures & 1) + 64].length))
        .isPositive();
  }

  @Test
  void requestsAreParsedFramedAndResolvedWithoutAllocation() {
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    RequestHead head = new RequestHead();
    RequestTarget target = new RequestTarget();
    Runnable action =
        () -> {
          parser.reset();
          parser.parse(REQUEST, 30, head);
          parser.parse(REQUEST, REQUEST.length, head);
          failures += MessageFraming.of(head).failure() == null ? 0 : 1;
          failures += target.resolve(head, "http", null, true) == null ? 0 : 1;
          failures += target.host().length() == 11 ? 0 : 1;
          HopByHop hopByHop = HopByHop.of(head.fields());
          for (int i = 0; i < head.fields().count(); i++) {
            failures += hopByHop.drops(head.fields(), i) == (i == 3) ? 0 : 1;
          }
        };
    assertThat(bytesPerRound(action)).isZero();
    assertThat(failures).isZero();
  }

  @Test
  void responsesAreParsedAndFramedWithoutAllocation() {
    Http1ResponseParser parser = new Http1ResponseParser(ParseLimits.DEFAULT);
    ResponseHead head = new ResponseHead();
    Runnable action =
        () -> {
          parser.reset();
          parser.parse(RESPONSE, RESPONSE.length, head);
          failures += MessageFraming.of(head, 1).kind() == Framing.Kind.CHUNKED ? 0 : 1;
        };
    assertThat(bytesPerRound(action)).isZero();
    assertThat(failures).isZero();
  }
}

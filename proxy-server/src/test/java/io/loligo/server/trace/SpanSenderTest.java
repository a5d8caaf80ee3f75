package io.loligo.server.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue and its batches, with a collector that answers with the next of {@link #statuses}. */
@Timeout(120)
class SpanSenderTest {
  /** A time that passes when a test says so. */
  private static final class Ticks implements TimeSource {
    private static final long GUARD_MILLIS = 60_000;

    private record Task(EventExecutor executor, Runnable task, long millis) {}

    private final LinkedBlockingQueue<Task> scheduled = new LinkedBlockingQueue<>();

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public long millis() {
      return 0;
    }

    @Override
    public void schedule(EventExecutor executor, Runnable task, long millis) {
      scheduled.add(new Task(executor, task, millis));
    }

    @Override
    public long blockingMillis(long millis) {
      return GUARD_MILLIS;
    }

    /** Runs the next task to its end. Returns the time that it was to wait. */
    long runNext() throws Exception {
      Task next = scheduled.take();
      next.executor.submit(next.task).get();
      return next.millis;
    }
  }

  private final Ticks time = new Ticks();
  private final SpanCounts counts = new SpanCounts();
  private final List<Integer> statuses = new CopyOnWriteArrayList<>();

  /** The names of the spans in each request. */
  private final List<List<String>> requests = new CopyOnWriteArrayList<>();

  private volatile String retryAfter;
  private volatile String answer = "";
  private HttpServer collector;
  private SpanSender sender;

  @BeforeEach
  void start() throws IOException {
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/",
        call -> {
          String text = new String(call.getRequestBody().readAllBytes(), UTF_8);
          String spans = text.substring(text.indexOf("\"spans\":[") + 9, text.length() - 6);
          requests.add(List.of(spans.split(",", -1)));
          if (retryAfter != null) {
            call.getResponseHeaders().set("Retry-After", retryAfter);
          }
          byte[] content = answer.getBytes(UTF_8);
          call.sendResponseHeaders(
              statuses.isEmpty() ? 200 : statuses.remove(0),
              content.length == 0 ? -1 : content.length);
          call.getResponseBody().write(content);
          call.close();
        });
    collector.start();
    URI place = URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/");
    sender = new SpanSender(new Collector(place, "h"), "1", counts, time, () -> 1);
  }

  @AfterEach
  void stop() {
    sender.close();
    collector.stop(0);
  }

  private void offer(int from, int to) {
    IntStream.range(from, to).forEach(i -> sender.offer("" + i));
  }

  private static List<String> names(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "" + i).toList();
  }

  @Test
  void gathersForASecondAndThenOfferAgain() throws Exception {
    offer(0, 3);
    assertThat(time.runNext()).isEqualTo(1_000);
    offer(3, 5);
    assertThat(time.runNext()).isEqualTo(1_000);
    assertThat(requests).containsExactly(names(0, 3), names(3, 5));
    assertThat(time.scheduled).isEmpty();
    assertThat(counts.sent()).isEqualTo(5);
    assertThat(counts.dropped()).isZero();
  }

  @Test
  void aFullBatchDoesNotWait() throws Exception {
    offer(0, SpanSender.MAX_BATCH);
    time.scheduled.take().executor.submit(() -> {}).get(); // behind the batch
    assertThat(requests).containsExactly(names(0, SpanSender.MAX_BATCH));
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503, 504})
  void aBatchThatFailsForNowIsSentAgainBeforeLaterOnes(int status) throws Exception {
    statuses.addAll(List.of(status, status));
    offer(0, 3);
    time.runNext();
    offer(3, 5);
    assertThat(time.runNext()).isEqualTo(1_000);
    assertThat(time.runNext()).isEqualTo(2_000);
    assertThat(requests).containsExactly(names(0, 3), names(0, 5), names(0, 5));
    assertThat(time.scheduled).isEmpty();
    assertThat(counts.sent()).isEqualTo(5);
    assertThat(counts.dropped()).isZero();
  }

  @Test
  void nothingIsSentBeforeTheTimeOfTheNextAttempt() throws Exception {
    statuses.add(503);
    offer(0, 1);
    time.runNext();
    offer(1, SpanSender.MAX_BATCH);
    Ticks.Task again = time.scheduled.take();
    again.executor.submit(() -> {}).get(); // behind anything that was executed
    assertThat(requests).hasSize(1);
    again.executor.submit(again.task).get();
    assertThat(requests).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 413, 500, 501})
  void aBatchThatIsRefusedIsDroppedAndTheNextOneSent(int status) throws Exception {
    statuses.add(status);
    offer(0, 600);
    time.runNext();
    assertThat(requests).containsExactly(names(0, 512), names(512, 600));
    assertThat(counts.dropped()).isEqualTo(512);
    assertThat(counts.sent()).isEqualTo(88);
  }

  @Test
  void spansThatATakenBatchLostAreCountedAndNotSentAgain() throws Exception {
    answer = "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"too old\"}}";
    offer(0, 3);
    time.runNext();
    assertThat(requests).containsExactly(names(0, 3));
    assertThat(time.scheduled).isEmpty();
    assertThat(counts.sent()).isEqualTo(3);
    assertThat(counts.rejectedSpans()).isEqualTo(2);
    assertThat(counts.dropped()).isZero();
  }

  /** More than it reads, so a part of the object is missing. */
  @Test
  void aLongAnswerIsReadToItsEnd() throws Exception {
    answer =
        "{\"partialSuccess\":{\"rejectedSpans\":1,\"errorMessage\":\""
            + "x".repeat(1 << 20)
            + "\"}}";
    offer(0, 1);
    time.runNext();
    offer(1, 2);
    time.runNext();
    assertThat(counts.sent()).isEqualTo(2);
    assertThat(counts.rejectedSpans()).isEqualTo(2);
  }

  @Test
  void theOldestSpansMakeRoomAndAreCounted() throws Exception {
    statuses.add(503);
    offer(0, 2);
    time.runNext();
    offer(2, SpanSender.MAX_WAITING + 3);
    assertThat(counts.dropped()).isEqualTo(3);
    time.runNext();
    List<String> sent = new ArrayList<>();
    requests.subList(1, requests.size()).forEach(sent::addAll);
    assertThat(sent).isEqualTo(names(3, SpanSender.MAX_WAITING + 3));
    assertThat(counts.sent()).isEqualTo(SpanSender.MAX_WAITING);
    assertThat(counts.dropped()).isEqualTo(3);
  }

  @Test
  void theEndSendsWhatWaitsAndTakesNothingAnyMore() {
    offer(0, 500);
    sender.close();
    assertThat(requests).containsExactly(names(0, 500));
    offer(500, 501);
    assertThat(counts.sent()).isEqualTo(500);
    assertThat(counts.dropped()).isEqualTo(1);
  }

  @Test
  void theEndTriesOnceMoreAndDropsTheRest() throws Exception {
    statuses.addAll(List.of(503, 503));
    offer(0, 500);
    time.runNext();
    offer(500, 600);
    sender.close();
    assertThat(requests).containsExactly(names(0, 500), names(0, 512));
    assertThat(counts.dropped()).isEqualTo(600);
  }

  @Test
  void theEndDoesNotDisturbACollectorThatAskedForTime() throws Exception {
    retryAfter = "30";
    statuses.add(503);
    offer(0, 500);
    time.runNext();
    sender.close();
    assertThat(requests).hasSize(1);
    assertThat(counts.dropped()).isEqualTo(500);
  }
}

package io.loligo.server.trace;

import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to one collector, in batches, on a thread of its own. Thread-safe: any thread offers,
 * without a lock. A batch that the collector does not take now is sent again (OTLP specification,
 * OTLP/HTTP), before all later ones. Meanwhile spans wait in a bounded queue: the oldest ones are
 * dropped and counted, because a trace is worth less than the memory of the proxy.
 *
 * <pre>
 *   state        entered by                  left by
 *   IDLE         all is sent                 an offer
 *   GATHERING    the first offer             {@value #GATHER_MILLIS} ms, or a full batch: all is sent
 *   BACKING_OFF  a failure that may pass     the time to wait: all is sent
 * </pre>
 */
public final class SpanSender implements AutoCloseable {
  /** The most exchanges that wait or are being sent: {@value}, some 2 KB each. */
  static final int MAX_WAITING = 4_096;

  /** The most exchanges in one request: {@value}. */
  static final int MAX_BATCH = 512;

  private static final long GATHER_MILLIS = 1_000;
  private static final long PATIENCE_MILLIS = 5_000;
  private static final long CLOSE_MILLIS = 2_000;

  /** The statuses after which the same batch may be sent again. */
  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

  private static final Logger LOG = LoggerFactory.getLogger(SpanSender.class);

  private enum State {
    IDLE,
    GATHERING,
    BACKING_OFF
  }

  private final Collector collector;
  private final String version;
  private final SpanCounts counts;
  private final TimeSource time;
  private final Deque<String> waiting = new ConcurrentLinkedDeque<>();

  /** Exchanges in {@link #waiting} or in the batch that is being sent. */
  private final AtomicInteger count = new AtomicInteger();

  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final EventExecutor executor = new DefaultEventExecutor(this::newThread);
  private volatile @Nullable Thread thread;
  private volatile boolean closing;
  private volatile boolean over;

  // the following: on the thread
  private final RetryDelays delays;
  private final LogRateLimit failures;
  private final LogRateLimit rejections;
  private @Nullable HttpClient client;

  /** Whether the collector itself has named the time to wait. */
  private boolean asked;

  /**
   * The thread starts with the first offer.
   *
   * @param version of this program
   * @param counts also of earlier senders
   * @param time clock, the ticks of waits, and the limits of calls that block
   * @param random numbers from 0 to 1, on the sender's thread
   */
  public SpanSender(
      Collector collector,
      String version,
      SpanCounts counts,
      TimeSource time,
      DoubleSupplier random) {
    this.collector = collector;
    this.version = version;
    this.counts = counts;
    this.time = time;
    delays = new RetryDelays(random);
    failures = new LogRateLimit(time::nanos);
    rejections = new LogRateLimit(time::nanos);
  }

  private Thread newThread(Runnable work) {
    Thread made = new FastThreadLocalThread(work, "loligo-otlp");
    made.setDaemon(true);
    thread = made;
    return made;
  }

  /** Takes the spans of an exchange. */
  void offer(String spans) {
    if (closing) {
      counts.addDropped(1);
      return;
    }
    waiting.addLast(spans);
    int now = count.incrementAndGet();
    if (now > MAX_WAITING && waiting.pollFirst() != null) {
      count.decrementAndGet();
      counts.addDropped(1);
    }
    try {
      if (state.compareAndSet(State.IDLE, State.GATHERING)) {
        time.schedule(executor, this::gathered, GATHER_MILLIS);
      } else if (now == MAX_BATCH) {
        executor.execute(this::gathered);
      }
    } catch (RejectedExecutionException closed) {
      counts.addDropped(1);
    }
  }

  private void gathered() {
    if (state.get() == State.GATHERING) {
      sendAll();
    }
  }

  private void again() {
    state.set(State.GATHERING);
    sendAll();
  }

  private void sendAll() {
    while (!over) {
      List<String> batch = batch();
      if (!batch.isEmpty()) {
        if (!send(batch)) {
          return;
        }
      } else {
        state.set(State.IDLE);
        // one may have been offered before that was seen
        if (waiting.isEmpty() || !state.compareAndSet(State.IDLE, State.GATHERING)) {
          return;
        }
      }
    }
  }

  private List<String> batch() {
    List<String> batch = new ArrayList<>();
    while (batch.size() < MAX_BATCH) {
      String spans = waiting.pollFirst();
      if (spans == null) {
        break;
      }
      batch.add(spans);
    }
    return batch;
  }

  /** Whether the next batch may follow now. */
  private boolean send(List<String> batch) {
    asked = false;
    try {
      HttpResponse<String> response = post(batch);
      int status = response.statusCode();
      if (status / 100 == 2) {
        delays.reset();
        counts.addSent(batch.size());
        taken(PartialSuccess.of(response.body()));
        count.addAndGet(-batch.size());
        return true;
      }
      if (RETRYABLE.contains(status)) {
        String field = response.headers().firstValue("Retry-After").orElse(null);
        return later(batch, RetryDelays.asked(field, time.millis()), "status " + status);
      }
      return drop(batch, "status " + status);
    } catch (IOException e) {
      return later(batch, -1, e.getMessage() == null ? e.toString() : e.getMessage());
    } catch (InterruptedException e) {
      return drop(batch, "the proxy stops");
    } catch (RuntimeException e) {
      return drop(batch, e.toString());
    }
  }

  private HttpResponse<String> post(List<String> batch) throws IOException, InterruptedException {
    Duration patience = Duration.ofMillis(time.blockingMillis(PATIENCE_MILLIS));
    if (client == null) {
      client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(patience)
              .proxy(HttpClient.Builder.NO_PROXY)
              .build();
    }
    HttpRequest request =
        HttpRequest.newBuilder(collector.place())
            .timeout(patience)
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    SpanJson.request(batch, collector.host(), version)))
            .build();
    return client.send(request, answer -> text());
  }

  private static HttpResponse.BodySubscriber<String> text() {
    PartialSuccess.Content content = new PartialSuccess.Content();
    return HttpResponse.BodySubscribers.mapping(
        HttpResponse.BodySubscribers.ofByteArrayConsumer(content), end -> content.text());
  }

  /** The collector took a batch; null: all of its spans. */
  private void taken(@Nullable PartialSuccess partly) {
    if (partly == null) {
      return;
    }
    counts.addRejectedSpans(partly.rejectedSpans());
    if (rejections.permits()) {
      LOG.warn(
          "{} rejected {} spans, which are lost, and says: {}; next: look for the cause in its log"
              + " and its limits",
          collector.place(),
          partly.rejectedSpans(),
          partly.message().isEmpty() ? "nothing" : partly.message());
    }
  }

  /**
   * {@code batch} is the first to be sent again. Returns false.
   *
   * @param askedMillis the wait that the collector asks for; -1: none
   */
  private boolean later(List<String> batch, long askedMillis, String why) {
    if (closing) {
      drop(batch, why);
      return false;
    }
    for (int i = batch.size() - 1; i >= 0; i--) {
      waiting.addFirst(batch.get(i));
    }
    asked = askedMillis > 0;
    long millis = asked ? askedMillis : delays.next();
    state.set(State.BACKING_OFF);
    if (failures.permits()) {
      LOG.warn(
          "{} does not take spans ({}): those of {} exchanges wait, and are sent again in {} ms;"
              + " next: check that a collector with OTLP over HTTP listens there, or set"
              + " loligo_otlp off",
          collector.place(),
          why,
          count.get(),
          millis);
    }
    time.schedule(executor, this::again, millis);
    return false;
  }

  /** Returns true. */
  private boolean drop(List<String> batch, String why) {
    counts.addDropped(batch.size());
    count.addAndGet(-batch.size());
    if (failures.permits()) {
      LOG.warn(
          "spans of {} exchanges were dropped: {} does not take them ({}); next: check that a"
              + " collector with OTLP over HTTP listens there, or set loligo_otlp off",
          batch.size(),
          collector.place(),
          why);
    }
    return true;
  }

  /** Once; what waits because the collector asked for it is dropped. */
  private void sendLast() {
    boolean goesOn = !asked || state.get() != State.BACKING_OFF;
    for (List<String> batch = batch(); !batch.isEmpty(); batch = batch()) {
      if (goesOn && !over) {
        goesOn = send(batch);
      } else {
        drop(batch, "the proxy stops");
      }
    }
  }

  /** Sends spans that wait, for two seconds at most. Blocks. Takes none any more. */
  @Override
  public void close() {
    if (closing) {
      return;
    }
    closing = true;
    try {
      if (!executor.submit(this::sendLast).await(time.blockingMillis(CLOSE_MILLIS))) {
        over = true;
        Thread sending = thread;
        if (sending != null) {
          sending.interrupt();
        }
      }
    } catch (InterruptedException e) {
      over = true;
      Thread.currentThread().interrupt();
    }
    executor.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
  }
}

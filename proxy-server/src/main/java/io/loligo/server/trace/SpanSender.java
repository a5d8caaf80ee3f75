package io.loligo.server.trace;

import io.loligo.server.time.LogRateLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector, in batches, on a thread of its own. Thread-safe: any thread offers,
 * without a lock. Spans that do not fit the queue, or that the collector does not take, are dropped
 * and counted: a trace is worth less than the memory of the proxy.
 */
public final class SpanSender implements AutoCloseable {
  /** The most exchanges that wait: {@value}, some 2 KB each. */
  static final int MAX_WAITING = 4_096;

  /** The most exchanges in one request: {@value}. */
  static final int MAX_BATCH = 512;

  private static final long GATHER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long CLOSE_MILLIS = 2_000;
  private static final Logger LOG = LoggerFactory.getLogger(SpanSender.class);

  private final URI collector;
  private final String host;
  private final String version;
  private final Queue<String> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final LogRateLimit failures = new LogRateLimit(System::nanoTime);
  private final Thread thread;
  private volatile boolean closing;

  /**
   * Nothing is sent before {@link #start}.
   *
   * @param collector where spans are posted
   * @param host name of this proxy
   * @param version of this program
   */
  public SpanSender(URI collector, String host, String version) {
    this.collector = collector;
    this.host = host;
    this.version = version;
    thread = new Thread(this::run, "loligo-otlp");
    thread.setDaemon(true);
  }

  /** Begins to send. Once. */
  public void start() {
    thread.start();
  }

  /** Whether an exchange would be taken now; counts one that is not. */
  boolean hasRoom() {
    boolean room = count.get() < MAX_WAITING && !closing;
    if (!room) {
      dropped.incrementAndGet();
    }
    return room;
  }

  /** Takes the spans of an exchange, for which {@link #hasRoom}. */
  void offer(String spans) {
    waiting.add(spans);
    if (count.incrementAndGet() == MAX_BATCH) {
      LockSupport.unpark(thread);
    }
  }

  /** Exchanges whose spans the collector has taken. */
  public long sent() {
    return sent.get();
  }

  /** Exchanges whose spans were dropped. */
  public long dropped() {
    return dropped.get();
  }

  private void run() {
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
    while (!closing) {
      LockSupport.parkNanos(this, GATHER_NANOS);
      sendAll(client);
    }
  }

  private void sendAll(HttpClient client) {
    for (List<String> batch = batch(); !batch.isEmpty(); batch = batch()) {
      try {
        send(client, batch);
      } catch (IOException e) {
        failed(batch, e.getMessage() == null ? e.toString() : e.getMessage());
      } catch (InterruptedException e) {
        dropped.addAndGet(batch.size());
        return;
      } catch (RuntimeException e) {
        failed(batch, e.toString());
      }
    }
  }

  private List<String> batch() {
    List<String> batch = new ArrayList<>();
    for (int i = 0; i < MAX_BATCH; i++) {
      String spans = waiting.poll();
      if (spans == null) {
        break;
      }
      batch.add(spans);
    }
    count.addAndGet(-batch.size());
    return batch;
  }

  private void send(HttpClient client, List<String> batch)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(collector)
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(SpanJson.request(batch, host, version)))
            .build();
    int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status / 100 == 2) {
      sent.addAndGet(batch.size());
    } else {
      failed(batch, "status " + status);
    }
  }

  private void failed(List<String> batch, String why) {
    dropped.addAndGet(batch.size());
    if (failures.permits()) {
      LOG.warn(
          "spans of {} exchanges were dropped: {} does not take them ({}); next: check that a"
              + " collector with OTLP over HTTP listens there, or set loligo_otlp off",
          batch.size(),
          collector,
          why);
    }
  }

  /** Sends spans that wait, for two seconds at most. Blocks. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    try {
      thread.join(CLOSE_MILLIS);
      thread.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

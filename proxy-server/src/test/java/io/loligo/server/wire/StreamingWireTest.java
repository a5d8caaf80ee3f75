package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Long bodies and streams: bounded memory, flushed as they come. */
class StreamingWireTest extends WireTest {
  private static final int MIB = 1 << 20;

  /** Exchanges without progress after which a stream counts as blocked. */
  private static final int QUIET_EXCHANGES = 60;

  @Test
  void streamsALargeObjectWithoutHoldingIt() throws Exception {
    startProxy();
    long size = 256L * MIB;
    origin.on(
        "/large",
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: " + size + "\r\n\r\n");
          byte[] block = new byte[MIB];
          for (int i = 0; i < 256; i++) {
            block[0] = (byte) i;
            call.send(block);
          }
        });
    long before = PlatformDependent.usedDirectMemory();
    long most = 0;
    RawClient client = client().get(origin.url("/large"));
    client.responseHead();
    InputStream in = client.in();
    for (int i = 0; i < 256; i++) {
      byte[] block = in.readNBytes(MIB);
      assertThat(block).hasSize(MIB);
      assertThat(block[0]).isEqualTo((byte) i);
      most = Math.max(most, PlatformDependent.usedDirectMemory() - before);
    }
    assertThat(most).isLessThan(32L * MIB);
  }

  @Test
  void holdsNoMoreThanTheReadAheadGapForStalledClients() throws Exception {
    startProxy("read_ahead_gap 64 KB");
    AtomicLong progress = new AtomicLong();
    int clients = 20;
    origin.on(
        "/stall",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n\r\n");
          byte[] block = new byte[65_536];
          for (int i = 0; i < 4096; i++) {
            call.send(block);
            progress.addAndGet(block.length);
          }
        });
    origin.onOk("/barrier", "x");
    get("/barrier");
    long before = PlatformDependent.usedDirectMemory();
    List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      RawClient client = closing(RawClient.connect(proxy.port(), 8192)).get(origin.url("/stall"));
      client.responseHead();
      stalled.add(client);
    }
    untilQuiet(progress);
    assertThat(progress.get()).isLessThan(clients * 4096L * 65_536);
    assertThat(PlatformDependent.usedDirectMemory() - before)
        .isLessThan(clients * 2L * 65_536 + 16L * MIB);
    assertThat(proxy.transitBytes()).isLessThan(clients * 3L * 65_536);
    for (RawClient client : stalled) {
      client.reset();
    }
  }

  /** Exchanges until {@code progress} stands still through {@value #QUIET_EXCHANGES} of them. */
  private void untilQuiet(AtomicLong progress) throws Exception {
    long last = -1;
    for (int quiet = 0; quiet < QUIET_EXCHANGES; quiet++) {
      get("/barrier");
      if (progress.get() != last) {
        last = progress.get();
        quiet = 0;
      }
    }
  }

  @Test
  void flushesServerSentEventsAsTheyCome() throws Exception {
    startProxy();
    CountDownLatch[] seen = {new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1)};
    origin.on(
        "/events",
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\n"
                  + "Content-Type: text/event-stream\r\n"
                  + "Transfer-Encoding: chunked\r\n\r\n");
          for (CountDownLatch received : seen) {
            call.send("9\r\ndata: x\n\n\r\n");
            await(received);
          }
          call.send("0\r\n\r\n");
        });
    RawClient client = client().get(origin.url("/events"));
    String head = client.responseHead();
    for (CountDownLatch received : seen) {
      assertThat(client.readContent(head, 9)).isEqualTo("data: x\n\n");
      received.countDown();
    }
    assertThat(client.read(5)).isEqualTo("0\r\n\r\n");
  }

  @Test
  void flushesAHeadBeforeItsContentComes() throws Exception {
    startProxy();
    CountDownLatch received = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n\r\n");
          await(received);
          call.send("late");
          call.close();
        });
    RawClient client = client().get(origin.url("/slow"));
    String head = client.responseHead();
    received.countDown();
    assertThat(client.bodyBehind(head).text()).isEqualTo("late");
  }

  @Test
  void holdsBackAClientWhoseContentNobodyReads() throws Exception {
    startProxy();
    CountDownLatch release = new CountDownLatch(1);
    int size = 256 * MIB;
    origin.on(
        "/upload",
        call -> {
          await(release);
          long read = 0;
          for (byte[] part = call.in().readNBytes(65_536);
              read < size;
              part = read < size ? call.in().readNBytes(65_536) : part) {
            read += part.length;
          }
          call.send(ScriptedOrigin.response("200 OK", "got " + read, "Connection: close"));
          call.close();
        });
    origin.onOk("/barrier", "x");
    get("/barrier");
    long before = PlatformDependent.usedDirectMemory();
    RawClient client = client();
    AtomicLong progress = new AtomicLong();
    CompletableFuture<Void> sending =
        CompletableFuture.runAsync(
            () -> {
              try {
                client.send(
                    RawClient.head("POST", origin.url("/upload"), "Content-Length: " + size));
                byte[] block = new byte[65_536];
                for (int sent = 0; sent < size; sent += block.length) {
                  client.send(block);
                  progress.addAndGet(block.length);
                }
              } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    origin.awaitRequest("/upload");
    untilQuiet(progress);
    assertThat(progress.get()).isLessThan(size);
    assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(16L * MIB);
    release.countDown();
    assertThat(client.response().text()).isEqualTo("got " + size);
    sending.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Test
  void relaysEveryByteInOrder() throws Exception {
    startProxy();
    byte[] content = new byte[3 * MIB + 17];
    new java.util.Random(7).nextBytes(content);
    String raw = new String(content, ISO_8859_1);
    origin.on("/echo", call -> call.ok(call.whole().text(), "Cache-Control: max-age=1000"));
    assertThat(send("POST", "/echo", raw).body()).isEqualTo(content);
    origin.onOk("/get", raw, "Cache-Control: max-age=1000");
    assertThat(get("/get").body()).isEqualTo(content);
    assertThat(get("/get").body()).isEqualTo(content);
  }
}

package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.downstream.http2.Http2Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lines of cache_log about clients that break the rules of HTTP/2. */
class Http2LogWireTest extends WireTest {
  private final CapturedLog log = closing(new CapturedLog(Http2Connection.class));
  private final AtomicLong nanos = new AtomicLong();

  @BeforeEach
  void start() throws Exception {
    startProxy(
        new PassingTime() {
          @Override
          public long nanos() {
            return nanos.get();
          }
        },
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
  }

  private void breakTheRules() throws Exception {
    RawClient client = client();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.untilClose();
    try (Http2Client other = Http2Client.connect(proxy.port())) {
      other.data(1, "content of no stream", true);
      other.end();
    }
  }

  private List<String> endings() {
    return log.lines().stream()
        .map(line -> line.replaceAll("^127.0.0.1: |PROTOCOL_ERROR.*,", ""))
        .toList();
  }

  @Test
  void aClientThatConnectsAgainAndAgainDoesNotFillTheLog() throws Exception {
    for (int i = 0; i < 5; i++) {
      breakTheRules();
    }
    assertThat(endings()).containsExactly("the client does not speak HTTP/2, 1 so far");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
    breakTheRules();
    assertThat(endings())
        .containsExactly(
            "the client does not speak HTTP/2, 1 so far",
            "the client does not speak HTTP/2, 11 so far");
  }
}

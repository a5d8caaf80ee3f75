package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.Waiting;
import io.loligo.server.accesslog.StrictJson;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.ConnectionGauge;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The samples of concurrency, with real requests. */
class ConcurrencyWireTest extends WireTest {
  private static final int CLIENTS = 4;

  /**
   * Samples of the requests while the origin holds one: one more or less at each end counts little.
   */
  private static final int HELD_SAMPLES = 50;

  private Concurrency sampled;

  @Test
  void theMeanOfTheSamplesIsTheRateTimesTheMeanTime() throws Exception {
    startProxy(
        "http_access allow all",
        "access_log stdio:" + dir.resolve("access.log") + " logformat=loligo_json");
    sampled = proxy.sampleConcurrency();
    origin.otherwise(
        exchange -> {
          long until = sampled.count(Concurrency.Of.REQUESTS) + HELD_SAMPLES;
          Waiting.until("samples", () -> sampled.count(Concurrency.Of.REQUESTS) >= until);
          exchange.send(ScriptedOrigin.response("200 OK", "content", "Cache-Control: no-store"));
        });
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Callable<Void>> all = IntStream.range(0, CLIENTS).mapToObj(this::requests).toList();
      for (Future<Void> client : clients.invokeAll(all)) {
        client.get();
      }
    } finally {
      clients.shutdownNow();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.REQUEST_OPEN), 0);
    awaitCount(() -> proxy.open(ConnectionGauge.FORWARDED_OPEN), 0);
    long requests = sampled.sum(Concurrency.Of.REQUESTS);
    long forwarded = sampled.sum(Concurrency.Of.FORWARDED);
    double expected = millisOfAll() / Concurrency.REQUEST_MILLIS;
    assertThat((double) requests).isCloseTo(expected, within(expected / 10));
    assertThat((double) forwarded).isCloseTo(expected, within(expected / 10));
  }

  /** Requests, one after the other. */
  private Callable<Void> requests(int number) {
    return () -> {
      for (int i = 0; i < 3; i++) {
        assertThat(get("/" + number + '/' + i).status()).isEqualTo(200);
      }
      return null;
    };
  }

  private double millisOfAll() throws Exception {
    double micros = 0;
    for (String line : stopAndReadLog()) {
      Map<String, Object> logged = StrictJson.object(line.getBytes(ISO_8859_1));
      micros += ((BigDecimal) logged.get("micros")).doubleValue();
    }
    return micros / 1000;
  }

  @Test
  void nothingIsInProgressAfterEachKindOfEnd() throws Exception {
    startProxy("acl bad urlpath_regex ^/bad", "http_access deny bad", "http_access allow all");
    origin.onOk("/hit", "content", "Cache-Control: max-age=1000");
    get("/hit");
    get("/hit");
    get("/bad");
    try (RawClient client = client()) {
      client.get("http://127.0.0.1:" + ProxyProcess.freePort() + "/").response();
    }
    try (RawClient client = client()) {
      client.send("GET / HTTP/9.9.9\r\n\r\n").response();
    }
    awaitCount(() -> proxy.open(ConnectionGauge.REQUEST_OPEN), 0);
    awaitCount(() -> proxy.open(ConnectionGauge.FORWARDED_OPEN), 0);
  }
}

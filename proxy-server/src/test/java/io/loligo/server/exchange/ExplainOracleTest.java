package io.loligo.server.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.admin.ExplainText;
import io.loligo.server.exchange.ExchangeFixture.Outcome;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.Question;
import io.loligo.server.explain.StoredVariant;
import io.loligo.server.record.LogTag;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares each explanation with the response that the request then gets, ten thousand times. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainOracleTest {
  private static final int REQUESTS = 2500;

  /** One explanation in so many is compared value by value with that of the same request. */
  private static final int WHOLE_EVERY = 25;

  // reset before each test
  private int fromDisk;
  private boolean purging;

  /** Whether the content of memory may change between the explanation and the fetch. */
  private boolean evicting;

  /** Selects the port of each request; null: there is one port. */
  private Random ports;

  private int forOthers;

  private final Map<CacheDecision.Outcome, Integer> seen =
      new EnumMap<>(CacheDecision.Outcome.class);

  // sums over all tests
  private int variantsOffered;
  private int partsStored;
  private int answeredItself;

  @BeforeEach
  void begin() {
    fromDisk = 0;
    purging = false;
    evicting = false;
    ports = null;
    forOthers = 0;
    seen.clear();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 |",
        "2 | refresh_pattern h1 10 20% 100 override-expire ignore-reload",
        "3 | refresh_pattern . 1 50% 1000 ignore-no-store ignore-private refresh-ims store-stale",
        "4 | negative_ttl 2 minutes",
        "5 | offline_mode on",
        "6 | range_offset_limit 4 bytes",
      })
  void foretellsTheResponse(long seed, String line) {
    try (ExchangeFixture bench = new ExchangeFixture(line == null ? "" : line)) {
      foretells(bench, seed, REQUESTS);
    }
    assertThat(seen).as("all kinds of decisions").hasSizeGreaterThan(4);
  }

  @AfterAll
  void metEveryRareCase() {
    assertThat(partsStored).as("incomplete responses that were met").isPositive();
    assertThat(answeredItself).as("requests that the proxy answers itself").isPositive();
    assertThat(variantsOffered).as("requests with the tags of other variants").isPositive();
  }

  @Test
  void foretellsTheResponseOnAnAccelPort() {
    try (ExchangeFixture bench =
        new ExchangeFixture(
            "http_port 3128 accel vhost",
            "cache_peer 192.0.2.1 parent 80 0 originserver name=origin")) {
      foretells(bench, 6, REQUESTS);
    }
    assertThat(seen).as("all kinds of decisions").hasSizeGreaterThan(4);
  }

  /** The port decides which cache directives apply (RFC 9213). */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void foretellsTheResponseOnBothKindsOfPorts(boolean disk, @TempDir Path dir) {
    try (ExchangeFixture bench =
        new ExchangeFixture(
            "http_port 3128 accel vhost name=gateway",
            "http_port 3129 name=forward",
            "cache_peer 192.0.2.1 parent 80 0 originserver name=origin",
            "never_direct allow all",
            disk ? "maximum_object_size_in_memory 0 KB" : "",
            disk ? "cache_dir rock " + dir + " 32" : "")) {
      evicting = disk;
      ports = new Random(11);
      foretells(bench, 8, REQUESTS);
    }
    assertThat(seen).as("all kinds of decisions").hasSizeGreaterThan(4);
    assertThat(forOthers).as("stored responses that are not for the port").isPositive();
  }

  @Test
  void showsWhichPortsMayUseAStoredResponse() {
    try (ExchangeFixture bench =
        new ExchangeFixture(
            "http_port 3128 accel vhost name=gateway",
            "http_port 3129 name=forward",
            "cache_peer 192.0.2.1 parent 80 0 originserver name=origin",
            "never_direct allow all")) {
      bench.answers =
          request ->
              "HTTP/1.1 200 OK\r\nCDN-Cache-Control: max-age=99\r\nCache-Control: no-store\r\n"
                  + "Vary: X-Test\r\nETag: \"1\"\r\n\r\n";
      Question one = Question.get("http://h1.test/", List.of("X-Test: 1"));
      Question two = Question.get("http://h1.test/", List.of("X-Test: 2"));
      bench.send(by("gateway", one));
      Explanation gateway = bench.explain(by("gateway", one));
      assertThat(gateway.stored().get(0).selected()).isTrue();
      assertThat(gateway.stored().get(0).marks())
          .contains("for accel ports only, by CDN-Cache-Control");
      Explanation forward = bench.explain(by("forward", one));
      assertThat(forward.stored().get(0).selected()).isFalse();
      assertThat(forward.forecast().decision().reason()).isEqualTo(CacheReason.URI_MISS);
      assertThat(bench.explain(by("gateway", two)).forecast().offeredTags()).isOne();
      assertThat(bench.explain(by("forward", two)).forecast().offeredTags()).isZero();
    }
  }

  /** Responses that do not fit into memory, or may not be there, are on disk. */
  @ParameterizedTest
  @ValueSource(strings = {"maximum_object_size_in_memory 0 KB", "cache_mem 64 KB"})
  void foretellsTheResponseWithADisk(String line, @TempDir Path dir) {
    evicting = true;
    try (ExchangeFixture bench = new ExchangeFixture("cache_dir rock " + dir + " 32", line)) {
      foretells(bench, 7, REQUESTS / 2);
    }
    assertThat(seen).as("all kinds of decisions").hasSizeGreaterThan(4);
    if (line.startsWith("maximum")) {
      assertThat(fromDisk).as("answers from disk").isPositive();
    }
  }

  private void foretells(ExchangeFixture bench, long seed, int requests) {
    RandomTraffic traffic = new RandomTraffic(seed);
    bench.answers = request -> traffic.answer(request, bench.nowMillis);
    for (int i = 0; i < requests; i++) {
      if (i % 40 == 39) {
        bench.purge(traffic.purge());
        purging = true;
      }
      bench.nowMillis += traffic.pause();
      Question question = traffic.request(bench.nowMillis);
      if (ports != null) {
        question = by(ports.nextBoolean() ? "gateway" : "forward", question);
      }
      Explanation explanation = bench.explain(question);
      changesNothing(explanation, bench.explain(question), i % WHOLE_EVERY == 0);
      try {
        compare(explanation, bench.send(question));
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed "
                + seed
                + ", request "
                + i
                + ": "
                + question
                + "\n"
                + ExplainText.of(explanation),
            e);
      }
    }
  }

  /** Compares the texts, and sometimes each value: that takes as long as a hundred requests. */
  private static void changesNothing(Explanation first, Explanation second, boolean whole) {
    assertThat(ExplainText.of(second))
        .as("asking changes nothing")
        .isEqualTo(ExplainText.of(first));
    if (whole) {
      assertThat(second).as("asking changes nothing").usingRecursiveComparison().isEqualTo(first);
    }
  }

  private static Question by(String port, Question question) {
    return new Question(
        question.url(), question.method(), question.fieldLines(), question.content(), null, port);
  }

  private void compare(Explanation explanation, Outcome outcome) {
    assertThat(outcome.aborted).isNull();
    if (explanation.refusal() != null) {
      assertThat(explanation.refusal()).startsWith(outcome.record.status + ", ");
      assertThat(outcome.asked).isZero();
      answeredItself++;
      return;
    }
    Forecast forecast = explanation.forecast();
    CacheDecision decision = forecast.decision();
    seen.merge(decision.outcome(), 1, Integer::sum);
    switch (decision.outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE, UNSATISFIABLE -> {
        assertThat(outcome.asked).isLessThan(decision.revalidates() ? 3 : 1);
        fromStore(forecast, outcome);
      }
      default -> fetched(forecast, outcome);
    }
    for (StoredVariant variant : explanation.stored()) {
      partsStored += variant.meta().part() == null ? 0 : 1;
      forOthers += variant.meta().has(StoredMeta.FOR_ONE_KIND) && !variant.selected() ? 1 : 0;
      // a soft purge ends the freshness lifetime that the rules computed
      assertThat(purging || variant.freshness().asStored).isTrue();
      if (variant.selected()) {
        assertThat(variant.freshness().currentAgeSeconds).isEqualTo(decision.ageSeconds());
        assertThat(variant.freshness().remainingSeconds()).isEqualTo(decision.ttlSeconds());
      }
    }
  }

  private void fromStore(Forecast forecast, Outcome outcome) {
    fromDisk += outcome.record.fromDisk ? 1 : 0;
    assertThat(outcome.record.decision).isEqualTo(forecast.decision());
    assertThat(outcome.record.status).isEqualTo(forecast.status());
    assertThat(outcome.record.tag).isEqualTo(forecast.tag());
  }

  private void fetched(Forecast forecast, Outcome outcome) {
    boolean offering = forecast.offeredTags() > 0;
    boolean validating =
        forecast.decision().outcome() == CacheDecision.Outcome.VALIDATE || offering;
    if (forecast.fetchesWhole() && forecast.decision().reason() != CacheReason.INCOMPLETE) {
      assertThat(outcome.rangeAsked).isFalse();
    }
    if (offering && !evicting) {
      assertThat(outcome.tagsAsked).isEqualTo(forecast.offeredTags());
      variantsOffered++;
    }
    if (forecast.decision().outcome() == CacheDecision.Outcome.VALIDATE) {
      assertThat(outcome.conditionAsked).isTrue();
    }
    boolean completing = forecast.decision().reason() == CacheReason.INCOMPLETE;
    // twice if a 304 or 206 did not apply to the stored response
    assertThat(outcome.asked).isBetween(1, validating || completing ? 2 : 1);
    assertThat(outcome.whenAsked).isEqualTo(forecast.decision());
    assertThat(forecast.status()).isZero();
    int answered = outcome.record.serverStatus;
    LogTag tag = outcome.record.tag;
    if (tag == LogTag.TCP_REFRESH_FAIL_OLD) {
      assertThat(forecast.staleOnError()).isTrue();
    } else if (answered == 0) {
      assertThat(forecast.staleOnError()).isFalse();
      assertThat(outcome.record.status).isIn(502, 504);
    } else if (tag == LogTag.TCP_REFRESH_UNMODIFIED) {
      assertThat(validating).isTrue();
      assertThat(answered).isEqualTo(304);
    } else {
      assertThat(tag).isEqualTo(forecast.tag());
      assertSameKind(outcome.record.status, answered);
    }
  }

  /**
   * A range may be cut out of a whole response, and a whole response may be joined from two parts.
   */
  private static void assertSameKind(int status, int answered) {
    if (answered == 200 || answered == 206) {
      assertThat(status).isIn(200, 206, 416);
    } else {
      assertThat(status).isEqualTo(answered);
    }
  }
}

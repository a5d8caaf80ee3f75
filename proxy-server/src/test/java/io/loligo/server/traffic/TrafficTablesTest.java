package io.loligo.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.management.ThreadMXBean;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.traffic.Traffic.Misses;
import io.loligo.server.traffic.Traffic.Sums;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TrafficTablesTest {
  private static final long START = 1_795_239_303_000L;
  private static final long MINUTE = 60_000;

  private final AtomicLong clock = new AtomicLong(START);
  private final TrafficTables tables =
      new TrafficTables(List.of(Runnable::run, Runnable::run), Runnable::run, clock::get, 7);

  private Traffic traffic() {
    clock.addAndGet(1_000);
    return tables.snapshot().join();
  }

  private ExchangeRecord miss(String url, String client) {
    ExchangeRecord record = SampleRecord.of("GET " + url + " HTTP/1.1", "Host: a");
    record.decision = new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
    record.clientText = client;
    record.endMillis = clock.get();
    return record;
  }

  private ExchangeRecord hit(String url, String client) {
    ExchangeRecord record = miss(url, client);
    record.tag = LogTag.TCP_MEM_HIT;
    record.hitClass = HitClass.MEMORY_HIT;
    return record;
  }

  private static ExchangeRecord took(long millis, ExchangeRecord record) {
    record.stage(Stage.TOTAL, millis * 1_000_000);
    return record;
  }

  @Test
  void addsUpTheLoops() {
    tables.loop(0).finished(miss("http://a/1", "192.0.2.1"));
    tables.loop(1).finished(hit("http://a/2", "192.0.2.2"));
    ExchangeRecord failed = took(3_000, miss("http://b:81/", "192.0.2.1"));
    failed.status = 503;
    failed.user = "anna";
    tables.loop(1).finished(failed);
    Traffic traffic = traffic();
    assertThat(traffic.origins().rows())
        .containsExactly(
            new Sums("b:81", 1, 0, 1, 1, 311, 3_000_000_000L),
            new Sums("a:80", 2, 1, 1, 0, 622, 3_800_000));
    assertThat(traffic.clients().rows())
        .extracting(Sums::name, Sums::requests)
        .containsExactly(tuple("192.0.2.1", 2L), tuple("192.0.2.2", 1L));
    assertThat(traffic.users().rows()).extracting(Sums::name).containsExactly("anna");
    assertThat(traffic.misses()).containsExactly(new Misses(CacheReason.URI_MISS, 2, 622));
    assertThat(traffic.origins().others().requests()).isZero();
    assertThat(traffic.sinceMillis()).isEqualTo(START);
    assertThat(traffic.untilMillis()).isEqualTo(clock.get());
  }

  @Test
  void showsTheLastMinutes() {
    tables.loop(0).finished(miss("http://old/", "192.0.2.1"));
    clock.addAndGet(5 * MINUTE);
    tables.loop(0).finished(miss("http://young/", "192.0.2.1"));
    assertThat(traffic().origins().rows()).hasSize(2);
    clock.addAndGet(5 * MINUTE);
    assertThat(traffic().origins().rows()).extracting(Sums::name).containsExactly("young:80");
    clock.addAndGet(5 * MINUTE);
    Traffic none = traffic();
    assertThat(none.origins().rows()).isEmpty();
    assertThat(none.slowest()).isEmpty();
    assertThat(none.misses()).isEmpty();
  }

  @Test
  void deniedRequestsNameNoOrigin() {
    ExchangeRecord denied = miss("http://anything/", "192.0.2.1");
    denied.hitClass = HitClass.OWN_ANSWER;
    denied.status = 403;
    tables.loop(0).finished(denied);
    assertThat(traffic().origins().rows()).isEmpty();
    assertThat(traffic().clients().rows()).extracting(Sums::requests).containsExactly(1L);
  }

  @Test
  void aWrongPasswordNamesNoUser() {
    ExchangeRecord refused = miss("http://a/", "192.0.2.1");
    refused.user = "guessed";
    refused.status = 407;
    tables.loop(0).finished(refused);
    assertThat(traffic().users().rows()).isEmpty();
  }

  @Test
  void showsTheSlowestFirstWithStagesThatAddUp() {
    for (int i = 1; i <= 100; i++) {
      ExchangeRecord record = took(i, miss("http://a/" + i, "192.0.2.1"));
      record.stage(Stage.DNS, i * 400_000L);
      record.stage(Stage.PROXY_REPLY, i * 600_000L);
      record.stage(Stage.SERVER_LAST_BYTE, i * 900_000L); // overlaps others
      tables.loop(i % 2).finished(record);
    }
    List<SlowRequest> slowest = traffic().slowest();
    assertThat(slowest).hasSize(SlowestRequests.KEPT);
    assertThat(slowest).extracting(SlowRequest::url).startsWith("http://a/100", "http://a/99");
    assertThat(slowest).extracting(SlowRequest::url).endsWith("http://a/69");
    assertThat(slowest.get(0).stages())
        .containsExactly(
            Map.entry(Stage.DNS, 40_000_000L), Map.entry(Stage.PROXY_REPLY, 60_000_000L));
    assertThat(slowest.get(0).nanos()).isEqualTo(100_000_000);
    assertThat(slowest.get(0).reason()).isEqualTo(CacheReason.URI_MISS);
  }

  @Test
  void aTunnelIsNoSlowRequest() {
    ExchangeRecord tunnel = took(3_600_000, miss("http://a/", "192.0.2.1"));
    tunnel.hitClass = HitClass.TUNNEL;
    tables.loop(0).finished(tunnel);
    assertThat(traffic().slowest()).isEmpty();
    assertThat(traffic().origins().rows()).hasSize(1);
  }

  @Test
  void showsClientsAndUrlsAsTheLogDoes() {
    tables.show(
        new TrafficView(address -> address.replaceFirst("[0-9]+$", "0"), /* stripQuery= */ true));
    tables.loop(0).finished(miss("http://a/?secret=1", "192.0.2.1"));
    tables.loop(1).finished(miss("http://a/?secret=2", "192.0.2.2"));
    Traffic masked = traffic();
    assertThat(masked.clients().rows())
        .extracting(Sums::name, Sums::requests)
        .containsExactly(tuple("192.0.2.0", 2L));
    assertThat(masked.slowest())
        .extracting(SlowRequest::client, SlowRequest::url)
        .containsOnly(tuple("192.0.2.0", "http://a/?"));
    tables.show(TrafficView.WHOLE);
    assertThat(tables.snapshot().join().clients().rows()).hasSize(2);
  }

  @Test
  void textsOfPeersAreCut() {
    ExchangeRecord record = miss("http://a/" + "x".repeat(4_000), "192.0.2.1");
    record.user = "u".repeat(10_000);
    record.method = "M".repeat(10_000);
    tables.loop(0).finished(record);
    SlowRequest slow = traffic().slowest().get(0);
    assertThat(slow.url()).hasSize(SlowRequest.MAX_URL).startsWith("http://a/xxx");
    assertThat(slow.method()).hasSize(SlowRequest.MAX_WORD);
    assertThat(slow.user()).hasSize(SlowRequest.MAX_WORD);
    assertThat(traffic().users().rows().get(0).name()).hasSize(SlowRequest.MAX_WORD);
  }

  @Test
  void aStormOfNamesIsBoundedAndHidesNoBusyOne() {
    ExchangeSink loop = tables.loop(0);
    int storm = 50 * TrafficSums.ROWS;
    for (int i = 0; i < storm; i++) {
      ExchangeRecord one = miss("http://h" + i + "/", "2001:db8::" + Integer.toHexString(i));
      one.user = "u" + i;
      loop.finished(one);
      if (i % 10 == 0) {
        ExchangeRecord busy = miss("http://busy/", "192.0.2.1");
        busy.user = "busy";
        loop.finished(busy);
      }
    }
    Traffic traffic = traffic();
    long all = storm + storm / 10;
    for (Traffic.Ranking table : List.of(traffic.origins(), traffic.clients(), traffic.users())) {
      assertThat(table.rows()).hasSize(TrafficMerge.SHOWN);
      Sums first = table.rows().get(0);
      assertThat(first.name()).isIn("busy:80", "192.0.2.1", "busy");
      assertThat(first.requests()).isGreaterThan(storm / 20);
      long shown = table.rows().stream().mapToLong(Sums::requests).sum();
      assertThat(shown + table.others().requests()).isEqualTo(all);
    }
  }

  @Test
  void aKnownExchangeAllocatesNothing() {
    ExchangeSink loop = tables.loop(0);
    ExchangeRecord[] known = new ExchangeRecord[64];
    for (int i = 0; i < known.length; i++) {
      known[i] = took(i + 2, hit("http://h" + i + ":8080/", "192.0.2." + i));
      known[i].user = "u" + i;
    }
    finish(loop, known, 2_000); // compiled, and the slowest are known
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (ExchangeRecord one : known) {
      took(1, one);
    }
    finish(loop, known, 1);
    long before = threads.getCurrentThreadAllocatedBytes();
    finish(loop, known, 1_000);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(bytes).isLessThan(known.length * 1_000); // less than a byte for each
  }

  private static void finish(ExchangeSink loop, ExchangeRecord[] records, int times) {
    for (int i = 0; i < times; i++) {
      for (ExchangeRecord record : records) {
        loop.finished(record);
      }
    }
  }

  @Test
  void oneSnapshotAnswersAllOfASecond() {
    tables.loop(0).finished(miss("http://a/", "192.0.2.1"));
    Traffic first = traffic();
    tables.loop(0).finished(miss("http://a/", "192.0.2.1"));
    clock.addAndGet(999);
    assertThat(tables.snapshot().join()).isSameAs(first);
    clock.addAndGet(1);
    assertThat(tables.snapshot().join()).isNotSameAs(first);
  }

  @Test
  void aLoopThatHasEndedFailsTheSnapshot() {
    Executor ended =
        task -> {
          throw new RejectedExecutionException("ended");
        };
    CompletableFuture<Traffic> snapshot =
        new TrafficTables(List.of(Runnable::run, ended), Runnable::run, clock::get, 7).snapshot();
    assertThatThrownBy(snapshot::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }
}

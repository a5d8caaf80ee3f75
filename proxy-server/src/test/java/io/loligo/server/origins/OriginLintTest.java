package io.loligo.server.origins;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.server.origins.OriginReport.Cost;
import io.loligo.server.origins.OriginReport.Origin;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OriginLintTest {
  private static final long START = 1_795_239_303_000L;
  private static final long MINUTE = 60_000;

  private final AtomicLong clock = new AtomicLong(START);
  private final OriginLint lint =
      new OriginLint(List.of(Runnable::run, Runnable::run), Runnable::run, clock::get, 7);

  private OriginReport report() {
    clock.addAndGet(1_000);
    return lint.report().join();
  }

  /** A miss with this response. */
  private ExchangeRecord fetched(String host, String... fields) {
    ExchangeRecord record = SampleRecord.of("GET http://" + host + "/ HTTP/1.1", "Host: a");
    record.reply = SampleRecord.reply("HTTP/1.1 200 OK", fields);
    record.endMillis = clock.get();
    return record;
  }

  @Test
  void addsUpTheLoopsAndSortsByCost() {
    lint.loop(0).finished(fetched("a", "A: b"));
    lint.loop(1).finished(fetched("a", "A: b"));
    ExchangeRecord large = fetched("b:81", "ETag: \"v\"", "Vary: *");
    large.serverContentBytesIn = 1_000_000;
    lint.loop(1).finished(large);
    assertThat(report().origins())
        .containsExactly(
            new Origin("b:81", List.of(new Cost(OriginFault.VARIES_TOO_MUCH, 1, 1_000_000))),
            new Origin("a:80", List.of(new Cost(OriginFault.NO_VALIDATOR, 2, 10))));
  }

  @Test
  void findsQueriesInAnotherOrderOnAnyLoop() {
    lint.loop(0).finished(stored("/p?x=1&y=2"));
    lint.loop(1).finished(stored("/p?y=2&x=1"));
    lint.loop(1).finished(stored("/p?y=2&x=1"));
    assertThat(report().origins())
        .containsExactly(new Origin("a:80", List.of(new Cost(OriginFault.QUERY_ORDER, 1, 5))));
  }

  /** A miss whose response is stored. */
  private ExchangeRecord stored(String path) {
    ExchangeRecord record = SampleRecord.of("GET http://a" + path + " HTTP/1.1", "Host: a");
    record.reply = SampleRecord.reply("HTTP/1.1 200 OK", "ETag: \"v\"");
    record.endMillis = clock.get();
    return record;
  }

  @Test
  void forgetsFindingsOfMoreThanAnHour() {
    lint.loop(0).finished(fetched("a", "A: b"));
    clock.addAndGet(30 * MINUTE);
    assertThat(report().origins()).hasSize(1);
    clock.addAndGet(30 * MINUTE);
    assertThat(report().origins()).isEmpty();
  }

  @Test
  void theFetchOfAnotherRequestCountsOnce() {
    ExchangeRecord joined = fetched("a", "Date: Sat, 21 Nov 2020 05:35:03 GMT");
    joined.serverContentBytesIn = -1;
    joined.serverStatus = 0;
    lint.loop(0).finished(joined);
    assertThat(report().origins()).isEmpty();
  }

  @Test
  void aFetchThatItsClientLeftIsCountedAtItsOwnEnd() {
    ExchangeRecord left = fetched("a", "A: b");
    left.leftFetch = true;
    lint.loop(0).finished(left);
    assertThat(report().origins()).isEmpty();
  }

  @Test
  void aStormOfOriginsIsBoundedAndHidesNoBusyOne() {
    int storm = 50 * LintSums.ROWS;
    for (int i = 0; i < storm; i++) {
      lint.loop(0).finished(fetched("h" + i, "A: b"));
      if (i % 10 == 0) {
        lint.loop(0).finished(fetched("busy", "A: b"));
      }
    }
    OriginReport report = report();
    assertThat(report.origins()).hasSize(ReportMerge.SHOWN);
    assertThat(report.origins().get(0).name()).isEqualTo("busy:80");
    long shown = report.origins().stream().mapToLong(one -> one.findings().get(0).requests()).sum();
    assertThat(shown + report.others().get(0).requests()).isEqualTo(storm + storm / 10);
  }

  /** The node that fetched it counts it, and a client's node would count each of its hits. */
  @Test
  void aResponseOfAnotherNodeIsJudgedThereAndAllocatesNothingHere() {
    ExchangeRecord record = fetched("a", "A: b");
    record.hierarchy = HierarchyCode.CLUSTER_OWNER;
    ExchangeSink loop = lint.loop(0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    loop.finished(record);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      loop.finished(record);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    assertThat(report().origins()).isEmpty();
  }

  /** Its two orders may have two owners, so only the node of the client sees both. */
  @Test
  void findsQueriesInAnotherOrderAlsoWhereAnotherNodeResponds() {
    ExchangeRecord one = stored("/p?x=1&y=2");
    ExchangeRecord other = stored("/p?y=2&x=1");
    one.hierarchy = HierarchyCode.CLUSTER_OWNER;
    other.hierarchy = HierarchyCode.CLUSTER_OWNER;
    lint.loop(0).finished(one);
    lint.loop(0).finished(other);
    assertThat(report().origins())
        .containsExactly(new Origin("a:80", List.of(new Cost(OriginFault.QUERY_ORDER, 1, 5))));
  }

  @Test
  void aHitAllocatesNothing() {
    ExchangeRecord hit = fetched("a", "A: b");
    hit.tag = LogTag.TCP_MEM_HIT;
    hit.hitClass = HitClass.MEMORY_HIT;
    ExchangeSink loop = lint.loop(0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    loop.finished(hit);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      loop.finished(hit);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
    assertThat(report().origins()).isEmpty();
  }
}

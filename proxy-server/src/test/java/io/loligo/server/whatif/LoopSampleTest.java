package io.loligo.server.whatif;

import static io.loligo.server.whatif.LoopSample.HELD;
import static io.loligo.server.whatif.LoopSample.IN_MEMORY;
import static io.loligo.server.whatif.LoopSample.USABLE;
import static io.loligo.server.whatif.LoopSample.WHOLE;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.whatif.LoopSample.Count;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class LoopSampleTest {
  private static final int NONE = -1;

  private final LoopSample sample = new LoopSample();

  private static ExchangeRecord miss(String method) {
    ExchangeRecord record = SampleRecord.of(method + " http://h/ HTTP/1.1", "Host: h");
    record.keyHigh = 1L << 40;
    record.keyLow = 9;
    record.hitClass = HitClass.MISS;
    record.tag = LogTag.TCP_MISS;
    record.decision = new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
    return record;
  }

  private static ExchangeRecord hit(String method, HitClass of) {
    ExchangeRecord record = miss(method);
    record.hitClass = of;
    record.tag = LogTag.TCP_MEM_HIT;
    record.decision = new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 1, 60);
    return record;
  }

  /** The flags of the sampled request; {@link #NONE}: it was not sampled. */
  private int flags(ExchangeRecord record) {
    sample.finished(record);
    sample.ring().look();
    if (!sample.ring().hasNext()) {
      return NONE;
    }
    long number = sample.ring().number();
    assertThat(number >> LoopSample.FLAG_BITS).isEqualTo(record.clientBytesOut);
    assertThat(sample.ring().hash()).isEqualTo(record.keyHigh);
    assertThat(sample.ring().millis()).isEqualTo(record.endMillis);
    sample.ring().next();
    return (int) number & ((1 << LoopSample.FLAG_BITS) - 1);
  }

  @Test
  void aHitAndAColdMissTellTheSizeOfTheResponse() {
    assertThat(flags(miss("GET"))).isEqualTo(WHOLE | USABLE);
    assertThat(flags(hit("GET", HitClass.MEMORY_HIT))).isEqualTo(WHOLE | USABLE | HELD | IN_MEMORY);
    assertThat(flags(hit("GET", HitClass.DISK_HIT))).isEqualTo(WHOLE | USABLE | HELD);
  }

  @Test
  void aResponseWithoutItsWholeContentDoesNotTellTheSize() {
    assertThat(flags(miss("HEAD"))).isEqualTo(USABLE);
    assertThat(flags(hit("HEAD", HitClass.MEMORY_HIT))).isEqualTo(USABLE | HELD | IN_MEMORY);
    for (int status : new int[] {206, 304, 412, 416}) {
      ExchangeRecord part = hit("GET", HitClass.NOT_MODIFIED_HIT);
      part.status = status;
      assertThat(flags(part)).as("status " + status).isEqualTo(USABLE | HELD | IN_MEMORY);
    }
    ExchangeRecord aborted = miss("GET");
    aborted.aborted = true;
    assertThat(flags(aborted)).isEqualTo(USABLE);
  }

  @Test
  void aStoredResponseThatMayNotBeUsedIsAMissOfAnyCache() {
    for (CacheReason reason :
        new CacheReason[] {
          CacheReason.STALE, CacheReason.REQUEST_NO_CACHE, CacheReason.VARY_MISS
        }) {
      ExchangeRecord changed = miss("GET");
      changed.decision = new CacheDecision(Outcome.VALIDATE, reason, 70, 60);
      assertThat(flags(changed)).as(reason.name()).isEqualTo(WHOLE);
    }
  }

  @Test
  void countsAllThatACacheCanInfluenceAndSamplesWhatItCanStore() {
    assertThat(flags(hit("GET", HitClass.DISK_HIT))).isNotEqualTo(NONE);
    assertThat(flags(hit("GET", HitClass.NEGATIVE_HIT))).isNotEqualTo(NONE);
    ExchangeRecord fromDisk = hit("GET", HitClass.IMS_HIT);
    fromDisk.fromDisk = true;
    assertThat(flags(fromDisk)).isEqualTo(WHOLE | USABLE | HELD);
    for (HitClass of : new HitClass[] {HitClass.UNCACHEABLE, HitClass.ERROR}) {
      ExchangeRecord record = miss("POST");
      record.hitClass = of;
      assertThat(flags(record)).as(of.name()).isEqualTo(NONE);
    }
    for (HitClass of : new HitClass[] {HitClass.TUNNEL, HitClass.OWN_ANSWER}) {
      ExchangeRecord record = miss("GET");
      record.hitClass = of;
      assertThat(flags(record)).as(of.name()).isEqualTo(NONE);
    }
    long bytes = miss("GET").clientBytesOut;
    assertThat(sample.count(Count.REQUESTS)).isEqualTo(5);
    assertThat(sample.count(Count.BYTES)).isEqualTo(5 * bytes);
    assertThat(sample.count(Count.HITS)).isEqualTo(3);
    assertThat(sample.count(Count.HIT_BYTES)).isEqualTo(3 * bytes);
    assertThat(sample.count(Count.MEMORY_HITS)).isEqualTo(1);
    assertThat(sample.count(Count.MEMORY_HIT_BYTES)).isEqualTo(bytes);
  }

  @Test
  void aNodeLeavesOutWhatAnotherNodeAnswersAndKeepsWhatItStoresItself() {
    for (HierarchyCode code : HierarchyCode.values()) {
      ExchangeRecord record = miss("GET");
      record.hierarchy = code;
      boolean leftOut = code == HierarchyCode.CLUSTER_OWNER || code == HierarchyCode.CLUSTER_SECOND;
      assertThat(flags(record)).as(code.name()).isEqualTo(leftOut ? NONE : WHOLE | USABLE);
    }
    assertThat(sample.count(Count.REQUESTS)).isEqualTo(HierarchyCode.values().length - 2);
  }

  @Test
  void samplesKeysBelowTheThresholdOnly() {
    ExchangeRecord record = miss("GET");
    sample.threshold(SizeTrial.position(record.keyHigh));
    assertThat(flags(record)).isEqualTo(NONE);
    assertThat(sample.count(Count.REQUESTS)).isEqualTo(1);
    sample.threshold(SizeTrial.position(record.keyHigh) + 1);
    assertThat(flags(record)).isNotEqualTo(NONE);
    record.keyHigh = 0;
    record.keyLow = 0;
    assertThat(flags(record)).as("no key").isEqualTo(NONE);
  }

  @Test
  void allocatesNothing() {
    ExchangeRecord record = hit("GET", HitClass.MEMORY_HIT);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 1_000; i++) {
      sample.finished(record);
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 100_000; i++) {
      sample.finished(record);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }
}

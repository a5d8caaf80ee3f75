package io.loligo.bench.micro;

import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import io.loligo.server.time.TimeSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What do the stage timers and counters of one memory hit cost: a record cleared, the clock read
 * wherever a stage of a hit ends, the stages kept, and all of it counted at the end? (A promise of
 * 0.2 us.)
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar MetricsBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class MetricsBenchmark extends AbstractBenchmark {
  private final LoopMetrics metrics = new ProxyMetrics(1).loop(0);
  private final ExchangeRecord record = new ExchangeRecord();

  @Benchmark
  public void hit() {
    record.clear();
    record.startNanos = TimeSource.SYSTEM.nanos();
    record.stage(Stage.ACL, TimeSource.SYSTEM.nanos() - record.startNanos);
    record.stage(
        Stage.LOOKUP, TimeSource.SYSTEM.nanos() - record.startNanos - record.stage(Stage.ACL));
    long answered = TimeSource.SYSTEM.nanos();
    record.tag = LogTag.TCP_MEM_HIT;
    record.hitClass = HitClass.MEMORY_HIT;
    record.status = 200;
    record.clientBytesIn = 100;
    record.clientBytesOut = 1300;
    long end = TimeSource.SYSTEM.nanos();
    record.stage(Stage.PROXY_REPLY, end - answered);
    record.stage(Stage.TOTAL, end - record.startNanos);
    metrics.finished(record);
  }
}

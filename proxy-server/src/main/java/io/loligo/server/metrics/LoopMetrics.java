package io.loligo.server.metrics;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.record.TlsFailure;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Counters and stage histograms of one event loop. Written on that loop only, without a lock, a
 * fence or an allocation (except for a histogram's first duration); read by any thread.
 */
public final class LoopMetrics implements ExchangeSink {
  private static final Stage[] STAGES = Stage.values();
  private static final HitClass[] CLASSES = HitClass.values();
  private static final Protocol[] PROTOCOLS = Protocol.values();

  private final LongCells counters = new LongCells(Counter.values().length);
  private final LongCells gauges = new LongCells(ConnectionGauge.values().length);
  private final LongCells[] families = new LongCells[CounterFamily.values().length];
  private final @Nullable LatencyHistogram[] histograms =
      new @Nullable LatencyHistogram[STAGES.length * CLASSES.length * PROTOCOLS.length];
  private final ConnectionCounters connections;

  private final OriginMisses misses = new OriginMisses();
  private final LoopLag lag = new LoopLag(System::nanoTime);

  private final AtomicReferenceArray<@Nullable RequestExamples> examples =
      new AtomicReferenceArray<>(CLASSES.length * PROTOCOLS.length);
  private volatile boolean keepsExamples;

  /**
   * @param maxHeadBytes limit of the Java heap for heads of clients
   */
  LoopMetrics(long maxHeadBytes) {
    connections =
        new ConnectionCounters(
            gauges,
            counters,
            this::responseRefused,
            this::shed,
            this::tlsFailed,
            this::count,
            maxHeadBytes);
    for (CounterFamily family : CounterFamily.values()) {
      families[family.ordinal()] = new LongCells(family.labelValues().size());
    }
  }

  private void responseRefused(ParseFailure failure) {
    count(CounterFamily.RESPONSE_REFUSAL, failure.ordinal());
  }

  private void shed(Shed why) {
    count(CounterFamily.SHED, why.ordinal());
  }

  private void tlsFailed(TlsFailure why) {
    count(CounterFamily.TLS_FAILURE, why.ordinal());
  }

  /** Counters of the loop's connections. */
  public ConnectionCounters connections() {
    return connections;
  }

  /** How long work waits for the loop. */
  public LoopLag lag() {
    return lag;
  }

  /** Causes of misses by origin. */
  OriginMisses misses() {
    return misses;
  }

  @Override
  public void finished(ExchangeRecord record) {
    if (record.ofNode) {
      finishedOfNode(record);
      return;
    }
    counters.add(Counter.CLIENT_BYTES_IN.ordinal(), record.clientBytesIn);
    counters.add(Counter.CLIENT_BYTES_OUT.ordinal(), record.clientBytesOut);
    counters.add(Counter.SERVER_BYTES_IN.ordinal(), record.serverBytesIn);
    counters.add(Counter.SERVER_BYTES_OUT.ordinal(), record.serverBytesOut);
    if (record.tag.hit()) {
      counters.add(Counter.HITS.ordinal(), 1);
      counters.add(Counter.HIT_BYTES_OUT.ordinal(), record.clientBytesOut);
    }
    count(Counter.COLLAPSED, record.collapsed);
    count(Counter.ABORTED, record.aborted);
    count(Counter.TIMED_OUT, record.timedOut);
    count(Counter.CLIENT_TOO_SLOW, record.tookTooSlowly);
    count(Counter.DISK_LATE, record.diskLate);
    count(Counter.INVALIDATION_LATE, record.invalidationLate);
    count(CounterFamily.CLASS, record.hitClass.ordinal());
    count(CounterFamily.RESULT, record.tag.ordinal());
    count(CounterFamily.STATUS, Math.max(0, Math.min(5, record.status / 100)));
    count(CounterFamily.HIERARCHY, record.hierarchy.ordinal());
    if (!record.tag.hit() && record.decision != null && record.target != null) {
      count(CounterFamily.MISS, record.decision.reason().ordinal());
      misses.count(record);
    }
    if (record.tunnel != null) {
      count(CounterFamily.TUNNEL, record.tunnel.action().ordinal());
    }
    if (record.errorCode != null) {
      count(CounterFamily.ERROR, error(record.errorCode));
    }
    if (record.requestFailure != null) {
      count(CounterFamily.REQUEST_REFUSAL, record.requestFailure.ordinal());
    }
    if (record.shed != null) {
      shed(record.shed);
    }
    recordStages(record);
  }

  /** The bytes of origins are counted here; the client is that of the other node. */
  private void finishedOfNode(ExchangeRecord record) {
    counters.add(Counter.NODE_REQUESTS.ordinal(), 1);
    counters.add(Counter.SERVER_BYTES_IN.ordinal(), record.serverBytesIn);
    counters.add(Counter.SERVER_BYTES_OUT.ordinal(), record.serverBytesOut);
    count(CounterFamily.HIERARCHY, record.hierarchy.ordinal());
  }

  private void recordStages(ExchangeRecord record) {
    Protocol protocol = Protocol.of(record);
    for (int left = record.stages(); left != 0; left &= left - 1) {
      Stage stage = STAGES[Integer.numberOfTrailingZeros(left)];
      long nanos = record.stage(stage);
      if (nanos >= 0) {
        histogram(index(stage, record.hitClass, protocol)).record(nanos);
      }
    }
    if (keepsExamples) {
      keep(record, protocol);
    }
  }

  /** Keeps exchanges as examples from now on. Any thread. */
  void keepExamples() {
    keepsExamples = true;
  }

  private void keep(ExchangeRecord record, Protocol protocol) {
    long nanos = record.stage(Stage.TOTAL);
    if (nanos >= 0) {
      int index = record.hitClass.ordinal() * PROTOCOLS.length + protocol.ordinal();
      RequestExamples kept = examples.getPlain(index);
      if (kept == null) {
        kept = new RequestExamples(StageCollector.BOUNDS_NANOS);
        examples.set(index, kept);
      }
      kept.set(record, nanos);
    }
  }

  /** The examples of the whole time of a class; null: none. */
  @Nullable RequestExamples examples(HitClass hitClass, Protocol protocol) {
    return examples.get(hitClass.ordinal() * PROTOCOLS.length + protocol.ordinal());
  }

  private static int index(Stage stage, HitClass hitClass, Protocol protocol) {
    int ofClass = stage.ordinal() * CLASSES.length + hitClass.ordinal();
    return ofClass * PROTOCOLS.length + protocol.ordinal();
  }

  private LatencyHistogram histogram(int index) {
    LatencyHistogram histogram = histograms[index];
    return histogram != null ? histogram : begin(index);
  }

  private synchronized LatencyHistogram begin(int index) {
    LatencyHistogram fresh = new LatencyHistogram();
    histograms[index] = fresh;
    return fresh;
  }

  private static int error(String code) {
    List<String> known = CounterFamily.ERROR.labelValues();
    for (int i = 1; i < known.size(); i++) {
      if (known.get(i).equals(code)) {
        return i;
      }
    }
    return 0;
  }

  private void count(Counter counter, boolean happened) {
    if (happened) {
      counters.add(counter.ordinal(), 1);
    }
  }

  private void count(CounterFamily family, int index) {
    families[family.ordinal()].add(index, 1);
  }

  long value(Counter counter) {
    return counters.get(counter.ordinal());
  }

  long value(CounterFamily family, int index) {
    return families[family.ordinal()].get(index);
  }

  long value(ConnectionGauge gauge) {
    return gauges.get(gauge.ordinal());
  }

  synchronized void addTo(
      LatencySnapshot snapshot, Stage stage, HitClass hitClass, Protocol protocol) {
    LatencyHistogram histogram = histograms[index(stage, hitClass, protocol)];
    if (histogram != null) {
      histogram.addTo(snapshot);
    }
  }
}

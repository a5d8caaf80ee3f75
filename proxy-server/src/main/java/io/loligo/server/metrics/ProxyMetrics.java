package io.loligo.server.metrics;

import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The metrics of all event loops, merged on demand. Thread-safe: any thread reads; each {@link
 * #loop} writes its own part.
 */
public final class ProxyMetrics {
  /** Heads of clients may take the {@value}th part of the Java heap. */
  private static final int HEADS_SHARE = 4;

  private static final HitClass[] CLASSES = HitClass.values();
  private static final Protocol[] PROTOCOLS = Protocol.values();

  private final LoopMetrics[] loops;
  private final MemoryOwners ledger = new MemoryOwners();
  private final GcPauses gcPauses = new GcPauses();

  /**
   * @param loops number of event loops
   */
  public ProxyMetrics(int loops) {
    this.loops = new LoopMetrics[loops];
    long maxHeadBytes = Runtime.getRuntime().maxMemory() / HEADS_SHARE / loops;
    for (int i = 0; i < loops; i++) {
      this.loops[i] = new LoopMetrics(maxHeadBytes);
    }
  }

  /** Metrics of event loop number {@code loop}, from 0. */
  public LoopMetrics loop(int loop) {
    return loops[loop];
  }

  /** Event loops. */
  public int loops() {
    return loops.length;
  }

  /** The longest lag of the loops, in nanoseconds. */
  public long lagNanos() {
    long longest = 0;
    for (LoopMetrics loop : loops) {
      longest = Math.max(longest, loop.lag().nanos());
    }
    return longest;
  }

  /** Pauses of the garbage collectors. */
  public GcPauses gcPauses() {
    return gcPauses;
  }

  /** CacheOwners of memory. */
  public MemoryOwners ledger() {
    return ledger;
  }

  /** Sum over the loops. */
  public long value(Counter counter) {
    long sum = 0;
    for (LoopMetrics loop : loops) {
      sum += loop.value(counter);
    }
    return sum;
  }

  /** Sum over the loops. */
  public long value(CounterFamily family, int index) {
    long sum = 0;
    for (LoopMetrics loop : loops) {
      sum += loop.value(family, index);
    }
    return sum;
  }

  /** Sum over the loops. */
  public long value(ConnectionGauge gauge) {
    long sum = 0;
    for (LoopMetrics loop : loops) {
      sum += loop.value(gauge);
    }
    return sum;
  }

  /** Exchanges finished. */
  public long exchanges() {
    long sum = 0;
    for (int i = 0; i < CounterFamily.CLASS.labelValues().size(); i++) {
      sum += value(CounterFamily.CLASS, i);
    }
    return sum;
  }

  /**
   * Misses by origin and cause, the origins with the most first, {@value OriginMisses#OTHER} last
   * for all beyond {@value OriginMisses#SHOWN}. A new map.
   */
  public Map<String, Map<String, Long>> originMisses() {
    Map<String, Map<String, Long>> all = new HashMap<>();
    for (LoopMetrics loop : loops) {
      loop.misses().addTo(all);
    }
    return OriginMisses.top(all);
  }

  /** Keeps finished exchanges as {@link #examples} from now on. */
  void keepExamples() {
    for (LoopMetrics loop : loops) {
      loop.keepExamples();
    }
  }

  /** The last exchange of this class and protocol in each bucket that has one, over the loops. */
  List<RequestExamples.Example> examples(HitClass hitClass, Protocol protocol) {
    List<RequestExamples.Example> last = new ArrayList<>();
    for (int bucket = 0; bucket <= StageCollector.BOUNDS_NANOS.length; bucket++) {
      RequestExamples.Example found = null;
      for (LoopMetrics loop : loops) {
        RequestExamples kept = loop.examples(hitClass, protocol);
        RequestExamples.Example one = kept == null ? null : kept.get(bucket);
        if (one != null && (found == null || one.endMillis() > found.endMillis())) {
          found = one;
        }
      }
      if (found != null) {
        last.add(found);
      }
    }
    return last;
  }

  /** Durations of one stage and class, by all protocols. Returns a new snapshot. */
  public LatencySnapshot latency(Stage stage, HitClass hitClass) {
    return latency(stage, hitClass, PROTOCOLS);
  }

  /** Durations of one stage and class, by one of {@code protocols}. Returns a new snapshot. */
  public LatencySnapshot latency(Stage stage, HitClass hitClass, Protocol... protocols) {
    LatencySnapshot snapshot = new LatencySnapshot();
    addLatency(stage, hitClass, snapshot, protocols);
    return snapshot;
  }

  /** Adds the durations of one stage and class, by all protocols, to {@code snapshot}. */
  public void addLatency(Stage stage, HitClass hitClass, LatencySnapshot snapshot) {
    addLatency(stage, hitClass, snapshot, PROTOCOLS);
  }

  /** Adds the whole time of exchanges by {@code protocol}, of all classes, to {@code snapshot}. */
  public void addLatency(Protocol protocol, LatencySnapshot snapshot) {
    for (HitClass one : CLASSES) {
      addLatency(Stage.TOTAL, one, snapshot, protocol);
    }
  }

  private void addLatency(
      Stage stage, HitClass hitClass, LatencySnapshot snapshot, Protocol... protocols) {
    for (LoopMetrics loop : loops) {
      for (Protocol protocol : protocols) {
        loop.addTo(snapshot, stage, hitClass, protocol);
      }
    }
  }
}

package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  private static final long MILLI = 1_000_000;

  private final ProxyMetrics metrics = new ProxyMetrics(2);
  private final AtomicLong clock = new AtomicLong();
  private final DiskTimes disk = new DiskTimes(clock::get);
  private final Concurrency sampled = new Concurrency(metrics, disk, 0);

  @Test
  void aMissedSampleCountsAsTheNextOne() {
    metrics.loop(1).connections().requestBegan();
    sampled.sample(9 * MILLI);
    assertThat(sampled.count(Concurrency.Of.REQUESTS)).isZero();
    sampled.sample(35 * MILLI);
    metrics.loop(1).connections().requestEnded();
    sampled.sample(41 * MILLI);
    assertThat(sampled.count(Concurrency.Of.REQUESTS)).isEqualTo(4);
    assertThat(sampled.sum(Concurrency.Of.REQUESTS)).isEqualTo(3);
  }

  @Test
  void samplesOfTheDiskNeedNobodyWhoLooks() {
    clock.set(3 * MILLI);
    disk.began(DiskOperation.READ); // not at the sample of 2 ms
    disk.began(DiskOperation.READ);
    clock.set(7 * MILLI); // at those of 4 and 6 ms
    disk.ended(DiskOperation.READ, 0, 0);
    assertThat(disk.inProgress(DiskOperation.READ)).isEqualTo(1);
    clock.set(9 * MILLI); // one at that of 8 ms
    assertThat(sampled.sum(Concurrency.Of.DISK_READS)).isEqualTo(5);
    assertThat(sampled.count(Concurrency.Of.DISK_READS)).isEqualTo(4);
    assertThat(sampled.sum(Concurrency.Of.DISK_WRITES)).isZero();
    assertThat(sampled.count(Concurrency.Of.DISK_WRITES)).isEqualTo(4);
  }

  @Test
  void connectionsToNextHopsCountWhileTheyAreInUse() {
    ConnectionCounters connections = metrics.loop(0).connections();
    connections.serverOpened();
    connections.serverOpened();
    connections.serverIdle();
    connections.forwardingBegan();
    sampled.sample(10 * MILLI);
    assertThat(sampled.sum(Concurrency.Of.NEXT_HOPS)).isEqualTo(1);
    assertThat(sampled.sum(Concurrency.Of.FORWARDED)).isEqualTo(1);
    assertThat(sampled.sum(Concurrency.Of.REQUESTS)).isZero();
  }

  /** Random arrivals for 200 seconds: the mean of the samples is the rate times the mean time. */
  @Test
  void littlesLawHolds() {
    double requests = littleOf(Concurrency.Of.REQUESTS, 400, 25);
    double writes = littleOf(Concurrency.Of.DISK_WRITES, 150, 4);
    assertThat(requests).isCloseTo(1, within(0.1));
    assertThat(writes).isCloseTo(1, within(0.1));
  }

  /** The mean of the samples, as a share of what the law says. */
  private double littleOf(Concurrency.Of of, int perSecond, int meanMillis) {
    ProxyMetrics numbers = new ProxyMetrics(1);
    AtomicLong time = new AtomicLong();
    DiskTimes times = new DiskTimes(time::get);
    Concurrency samples = new Concurrency(numbers, times, 0);
    ConnectionCounters connections = numbers.loop(0).connections();
    Random random = new Random(7);
    PriorityQueue<Long> ends = new PriorityQueue<>();
    long totalNanos = 0;
    double arrival = 0;
    for (long now = 0; now < 200_000 * MILLI; now += MILLI / 5) {
      time.set(now);
      while (arrival <= now) {
        long nanos = (long) (-Math.log(1 - random.nextDouble()) * meanMillis * MILLI);
        ends.add(now + nanos);
        totalNanos += nanos;
        connections.requestBegan();
        times.began(DiskOperation.WRITE);
        arrival += -Math.log(1 - random.nextDouble()) * 1000 * MILLI / perSecond;
      }
      while (!ends.isEmpty() && ends.peek() <= now) {
        ends.poll();
        connections.requestEnded();
        times.ended(DiskOperation.WRITE, 0, 0);
      }
      samples.sample(now);
    }
    double mean = samples.sum(of) / (double) samples.count(of);
    return mean / (totalNanos / (double) (200_000 * MILLI));
  }
}

package io.loligo.server.shaping;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Buckets and the bytes that wait for them, on a clock that stands still. */
class PacedBytesTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopTimer timer = new LoopTimer(channel.eventLoop());
  private final LoopPaces loop = new LoopPaces(timer, new LoopClock(new Time()));
  private final PoolCounts counts = new PoolCounts("a");
  private long nanos;

  PacedBytesTest() {
    channel.freezeTime();
  }

  private final class Time implements TimeSource {
    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long millis() {
      return nanos / 1_000_000;
    }
  }

  private final class Stream implements PacedBytes.Outlet {
    private final PacedBytes paced = new PacedBytes(loop, this);
    private @Nullable Allowance allowance;
    private long bytes;
    private int ends;

    Stream(Bucket... buckets) {
      allowance = Allowance.of(counts, List.of(buckets));
    }

    void add(int bytes) {
      paced.add(Unpooled.wrappedBuffer(new byte[bytes]));
      paced.pump();
    }

    @Override
    public @Nullable Allowance allowance() {
      return allowance;
    }

    @Override
    public void pass(ByteBuf piece) {
      bytes += piece.readableBytes();
      piece.release();
    }

    @Override
    public void passedAll() {
      ends++;
    }
  }

  private static Bucket bucket(long perSecond, long most, long level) {
    return new Bucket(new Rate(perSecond, most), level, 0);
  }

  private void pass(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      nanos += TimeUnit.MILLISECONDS.toNanos(100);
      channel.advanceTimeBy(100, TimeUnit.MILLISECONDS);
      channel.runPendingTasks();
    }
  }

  @Test
  void passesTheLevelAtOnceAndTheRestAtTheRate() {
    Stream stream = new Stream(bucket(1_000, 1_000, 300));
    stream.add(10_000);
    assertThat(stream.bytes).isEqualTo(300);
    long before = 300;
    for (int second = 1; second <= 9; second++) {
      pass(1_000);
      assertThat(stream.bytes).isBetween(before + 700, 300 + second * 1_000L);
      before = 300 + second * 1_000L - 300;
      assertThat(stream.ends).isZero();
    }
    pass(1_000);
    assertThat(stream.bytes).isEqualTo(10_000);
    assertThat(stream.ends).isEqualTo(1);
    assertThat(counts.value(PoolCount.PASSED)).isEqualTo(10_000);
    assertThat(counts.value(PoolCount.WAITS)).isPositive();
  }

  @Test
  void aQuietBucketHoldsNoMoreThanItsMaximum() {
    Bucket bucket = bucket(1_000, 2_000, 0);
    pass(60_000);
    Stream stream = new Stream(bucket);
    stream.add(10_000);
    assertThat(stream.bytes).isEqualTo(2_000);
  }

  @Test
  void theSlowestBucketHolds() {
    Bucket wide = bucket(100_000, 100_000, 100_000);
    Stream stream = new Stream(wide, bucket(1_000, 1_000, 0));
    stream.add(10_000);
    pass(4_000);
    assertThat(stream.bytes).isBetween(3_500L, 4_000L);
    assertThat(wide.level(nanos)).isGreaterThan(99_000);
  }

  @Test
  void streamsOfOneBucketGetEqualShares() {
    Bucket bucket = bucket(8_000, 8_000, 0);
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Stream stream = new Stream(bucket);
      streams.add(stream);
      stream.add(100_000);
    }
    pass(20_000);
    for (Stream stream : streams) {
      assertThat(stream.bytes).isBetween(38_000L, 41_000L);
    }
    assertThat(counts.value(PoolCount.PASSED)).isBetween(157_000L, 160_000L);
    Stream late = new Stream(bucket);
    late.add(100_000);
    pass(5_000);
    assertThat(late.bytes).isBetween(7_000L, 9_000L);
  }

  @Test
  void aStreamThatEndsGivesBackWhatItTook() {
    Bucket bucket = bucket(1_000, 1_000, 0);
    Stream first = new Stream(bucket);
    first.add(10_000);
    long debt = bucket.level(nanos);
    assertThat(debt).isNegative();
    first.paced.close();
    assertThat(bucket.level(nanos)).isZero();
    pass(5_000);
    assertThat(first.bytes).isZero();
    first.add(1);
    assertThat(first.bytes).isZero();
  }

  @Test
  void aBucketThatIsNotFilledLetsNothingPass() {
    Stream stream = new Stream(bucket(0, 0, 0));
    stream.add(10);
    pass(60_000);
    assertThat(stream.bytes).isZero();
    stream.allowance = null;
    pass(1_200);
    assertThat(stream.bytes).isEqualTo(10);
  }

  @Test
  void nothingWaitsAtTheEndOfTheProcess() {
    Stream stream = new Stream(bucket(1_000, 1_000, 0));
    stream.add(10_000);
    loop.end();
    assertThat(stream.bytes).isEqualTo(10_000);
    assertThat(stream.ends).isEqualTo(1);
    Stream later = new Stream(bucket(1_000, 1_000, 0));
    later.add(10_000);
    assertThat(later.ends).isEqualTo(1);
  }

  @Test
  void aLevelAboveTheMaximumIsUsedUpFirst() {
    Bucket bucket = bucket(1_000, 1_000, 2_500);
    pass(2_000);
    assertThat(bucket.level(nanos)).isEqualTo(2_500);
    bucket.take(2_500);
    pass(500);
    assertThat(bucket.level(nanos)).isEqualTo(500);
  }

  @Test
  void fractionsAreNotLost() {
    Bucket bucket = bucket(3, 1_000, 0);
    for (int i = 0; i < 1_000; i++) {
      nanos += 10_000_000;
      bucket.level(nanos);
    }
    assertThat(bucket.level(nanos)).isBetween(29L, 30L);
  }

  @Test
  void aFullTableHasNoFreshBuckets() {
    Rate rate = new Rate(1, 100);
    BucketTable<Integer> table = new BucketTable<>(rate, 50, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(table.of(i, nanos).level(nanos)).isEqualTo(50);
    }
    Bucket used = table.of(3, nanos);
    used.take(40);
    for (int i = 4; i < 100; i++) {
      assertThat(table.of(i, nanos).level(nanos)).isZero();
      assertThat(table.buckets()).hasSize(4);
    }
  }

  @Test
  void aFullBucketGivesWayFirst() {
    BucketTable<Integer> table = new BucketTable<>(new Rate(1, 100), 100, 4);
    List<Bucket> used = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      used.add(table.of(i, nanos));
      if (i != 2) {
        used.get(i).take(50);
      }
    }
    assertThat(table.of(9, nanos).level(nanos)).isEqualTo(100);
    for (int i = 0; i < 4; i++) {
      if (i != 2) {
        assertThat(table.of(i, nanos)).isSameAs(used.get(i));
      }
    }
  }
}

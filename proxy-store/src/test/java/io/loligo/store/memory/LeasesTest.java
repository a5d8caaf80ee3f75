package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.stripes.Stripes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("races")
final class LeasesTest {
  private static final int LOOPS = 64;
  private static final int MIB = 1 << 20;
  private static final int OBJECT_BYTES = 4_800;

  /** The steps of one fetch of a small response: reservation, block, and all of it back. */
  private static int writesOfFetches(MemoryLedger ledger, int loops, int rounds) {
    int writes = 0;
    for (int round = 0; round < rounds; round++) {
      for (int loop = 0; loop < loops; loop++) {
        long before = ledger.taken();
        assertThat(ledger.tryReserve(loop, 8 << 10)).isTrue();
        writes += before == ledger.taken() ? 0 : 1;
        before = ledger.taken();
        ledger.release(loop, 8 << 10);
        writes += before == ledger.taken() ? 0 : 1;
      }
    }
    return writes;
  }

  /** Writes to the cache line that all threads share, by 64 loops with 1,000 fetches each. */
  @Test
  void loopsThatFetchDoNotWriteSharedLines() {
    MemoryLedger alone = new MemoryLedger(256 * MIB);
    MemoryLedger leased = new MemoryLedger(256 * MIB, new Stripes(LOOPS));
    int fetches = LOOPS * 1_000;
    int one = 0;
    for (int i = 0; i < fetches; i++) {
      one += writesOfFetches(alone, 1, 1);
    }
    assertThat(one).isEqualTo(2 * fetches);
    // each loop takes a lease once
    assertThat(writesOfFetches(leased, LOOPS, 1_000)).isEqualTo(LOOPS);
    assertThat(leased.used()).isZero();
  }

  /**
   * Loops store, the maintenance thread evicts: bytes that go one way are written a lease at a
   * time.
   */
  @Test
  void bytesEnteredByOneThreadAndStruckOutByAnotherAreWrittenByTheLease() {
    MemoryLedger ledger = new MemoryLedger(1L << 30, new Stripes(LOOPS));
    int writes = 0;
    int objects = 100_000;
    for (int i = 0; i < objects; i++) {
      long before = ledger.taken();
      assertThat(ledger.tryReserve(i % LOOPS, OBJECT_BYTES)).isTrue();
      writes += before == ledger.taken() ? 0 : 1;
      before = ledger.taken();
      ledger.release(LOOPS, OBJECT_BYTES);
      writes += before == ledger.taken() ? 0 : 1;
    }
    assertThat(ledger.used()).isZero();
    assertThat(writes).isLessThan(2 * objects / 10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 64})
  void theLimitHoldsExactly(int loops) {
    long limit = 64L * MIB + 123;
    MemoryLedger ledger = new MemoryLedger(limit, new Stripes(loops));
    long entered = 0;
    for (int refused = 0, i = 0; refused < loops; i++) {
      if (ledger.tryReserve(i % loops, OBJECT_BYTES)) {
        entered += OBJECT_BYTES;
        refused = 0;
      } else {
        refused++;
      }
      assertThat(ledger.used()).isEqualTo(entered).isLessThanOrEqualTo(limit);
    }
    assertThat(entered).isEqualTo(limit / OBJECT_BYTES * OBJECT_BYTES);
    assertThat(ledger.tryReserve(0, limit - entered + 1)).isFalse();
    assertThat(ledger.tryReserve(loops - 1, limit - entered)).isTrue();
  }

  @Test
  void leasesOfOthersRefuseNobody() {
    MemoryLedger ledger = new MemoryLedger(256 * MIB, new Stripes(LOOPS));
    for (int loop = 0; loop < LOOPS; loop++) {
      assertThat(ledger.tryReserve(loop, 1)).isTrue();
    }
    assertThat(ledger.taken()).isGreaterThan(MIB);
    assertThat(ledger.used()).isEqualTo(LOOPS);
    assertThat(ledger.tryReserve(0, 256 * MIB - LOOPS)).isTrue();
    assertThat(ledger.used()).isEqualTo(256 * MIB);
    assertThat(ledger.tryReserve(1, 1)).isFalse();
    ledger.release(2, 1);
    assertThat(ledger.tryReserve(3, 1)).isTrue();
  }

  @Test
  void takenBytesAreAtMostASixtyFourthMore() {
    for (int loops : new int[] {2, 8, 64}) {
      MemoryLedger ledger = new MemoryLedger(64 * MIB, new Stripes(loops));
      Random random = new Random(loops);
      long[] held = new long[loops];
      for (int i = 0; i < 20_000; i++) {
        int loop = random.nextInt(loops);
        int other = random.nextInt(loops);
        if (ledger.tryReserve(loop, OBJECT_BYTES)) {
          held[loop]++;
        }
        if (held[other] > 0 && random.nextBoolean()) {
          held[other]--;
          ledger.release(random.nextInt(loops), OBJECT_BYTES);
        }
        assertThat(ledger.taken() - ledger.used())
            .isBetween(0L, 64L * MIB / MemoryLedger.LEASES_SHARE);
      }
    }
  }

  @Test
  void isScarceFromTheSamePointOnButForTheLeases() {
    MemoryLedger ledger = new MemoryLedger(64 * MIB, new Stripes(2));
    assertThat(ledger.tryReserve(0, 47 * MIB)).isTrue();
    assertThat(ledger.isScarce()).isFalse();
    assertThat(ledger.readable(65_536)).isEqualTo(65_536);
    assertThat(ledger.tryReserve(1, MIB + 1)).isTrue();
    assertThat(ledger.isScarce()).isTrue();
    assertThat(ledger.isCrowded()).isFalse();
    assertThat(ledger.readable(65_536)).isEqualTo(4_096);
    ledger.force(20 * MIB);
    assertThat(ledger.readable(65_536)).isEqualTo(512);
    assertThat(ledger.isCrowded()).isTrue();
    ledger.release(68 * MIB + 1);
    assertThat(ledger.used()).isZero();
    assertThat(ledger.isScarce()).isFalse();
  }

  @Test
  void leasesGoWithASmallerLimit() {
    MemoryLedger ledger = new MemoryLedger(64 * MIB, new Stripes(2));
    assertThat(ledger.tryReserve(0, 100)).isTrue();
    assertThat(ledger.taken()).isGreaterThan(100);
    ledger.limit(1_000);
    assertThat(ledger.tryReserve(1, 900)).isTrue();
    assertThat(ledger.tryReserve(0, 1)).isFalse();
    assertThat(ledger.used()).isEqualTo(1_000);
    ledger.release(0, 100);
    ledger.release(1, 900);
    assertThat(ledger.taken()).isZero();
  }

  /** Threads enter and strike out as they like: never beyond the limit, nothing lost. */
  @Test
  void threadsDoNotLoseAByte() throws Exception {
    int threads = 4;
    long limit = 4 * MIB;
    MemoryLedger ledger = new MemoryLedger(limit, new Stripes(threads));
    AtomicLong entered = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Long>> left = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int stripe = thread;
        left.add(pool.submit(() -> churn(ledger, stripe, entered, limit)));
      }
      long sum = 0;
      for (Future<Long> one : left) {
        sum += one.get(60, TimeUnit.SECONDS);
      }
      assertThat(ledger.used()).isEqualTo(sum);
      assertThat(ledger.tryReserve(0, limit - sum)).isTrue();
      assertThat(ledger.tryReserve(1, 1)).isFalse();
    } finally {
      pool.shutdownNow();
    }
  }

  /** How many bytes stay entered. */
  private static long churn(MemoryLedger ledger, int stripe, AtomicLong entered, long limit) {
    Random random = new Random(stripe);
    List<Integer> held = new ArrayList<>();
    long sum = 0;
    for (int i = 0; i < 200_000; i++) {
      int bytes = 1 + random.nextInt(i % 10 == 0 ? 200_000 : 5_000);
      if (random.nextInt(5) < 3 && ledger.tryReserve(stripe, bytes)) {
        // behind the entry and before the removal, so never more than is entered
        assertThat(entered.addAndGet(bytes)).isLessThanOrEqualTo(limit);
        held.add(bytes);
        sum += bytes;
      } else if (!held.isEmpty()) {
        int gone = held.remove(held.size() - 1);
        entered.addAndGet(-gone);
        ledger.release(stripe, gone);
        sum -= gone;
      }
    }
    return sum;
  }
}

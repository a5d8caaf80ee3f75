package io.loligo.store.memory;

import io.loligo.store.Interleavings;
import io.loligo.store.stripes.Stripes;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A ledger with leases, in every interleaving: never beyond its limit, nothing lost or counted
 * twice, and afterwards there is room for exactly the missing bytes. The test does not check
 * whether a request is refused while another thread puts back a lease.
 */
@Tag("interleavings")
final class LeasesInterleavingsTest {
  @Test
  void noByteIsLostOrEnteredTwice() {
    new ModelCheckingOptions()
        .iterations(12)
        .invocationsPerIteration(Interleavings.of(200))
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(Leases.class);
  }

  /** A ledger with room for a few leases. Made by Lincheck, once for each interleaving. */
  @Param(name = "stripe", gen = IntGen.class, conf = "0:2")
  @Param(name = "thousands", gen = IntGen.class, conf = "1:9")
  public static final class Leases {
    private static final Stripes STRIPES = new Stripes(3);
    private static final int LEASE_BYTES = 4 << 10;
    private static final long LIMIT =
        2L * MemoryLedger.LEASES_SHARE * STRIPES.count() * LEASE_BYTES;
    private static final long ROOM = 4 * LEASE_BYTES;
    private static final int HELD = 7_000;

    private final MemoryLedger ledger = new MemoryLedger(LIMIT, STRIPES);
    private final long[] entered = new long[STRIPES.count()];

    /** Three stripes hold some, each beside a lease of its own. */
    public Leases() {
      for (int stripe = 0; stripe < 3; stripe++) {
        enter(stripe, HELD - 1_000);
        enter(stripe, 1_000);
      }
      entered[3] = LIMIT - ROOM - 3 * HELD;
      ledger.force(entered[3]);
    }

    private synchronized void add(int stripe, long bytes) {
      entered[stripe] += bytes;
    }

    private void enter(int stripe, int bytes) {
      if (ledger.tryReserve(stripe, bytes)) {
        add(stripe, bytes);
      }
      if (ledger.taken() > LIMIT) {
        throw new IllegalStateException("beyond the limit: " + ledger.taken());
      }
    }

    @Operation
    public void tryReserve(
        @Param(name = "stripe") int stripe, @Param(name = "thousands") int thousands) {
      enter(stripe, thousands * 1_000);
    }

    /** By any thread: the bytes entered at the beginning. */
    @Operation(runOnce = true)
    public void release(@Param(name = "stripe") int stripe) {
      ledger.release(stripe, HELD);
      add(stripe, -HELD);
    }

    /** There is room for the missing bytes to the limit, and for nothing more. */
    @Validate
    public void check() {
      long sum = 0;
      for (long each : entered) {
        sum += each;
      }
      boolean exact = ledger.used() == sum;
      if (!exact || !ledger.tryReserve(0, LIMIT - sum) || ledger.tryReserve(1, 1)) {
        throw new IllegalStateException(sum + " bytes entered, used: " + ledger.used());
      }
    }
  }
}

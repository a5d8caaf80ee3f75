package io.loligo.store.memory;

import io.loligo.store.Interleavings;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The ledger in which all loops enter their memory: never beyond its limit, nothing lost or counted
 * twice. The share of a single fetch, and the credit of its readers, are confined to one loop.
 */
@Tag("interleavings")
final class LedgerInterleavingsTest {
  @Test
  void isAsIfOneCameAfterTheOther() {
    new ModelCheckingOptions()
        .iterations(12)
        .invocationsPerIteration(Interleavings.of(125))
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(2)
        .check(Ledger.class);
  }

  /** A ledger with room for a few. Made by Lincheck, once for each interleaving. */
  @Param(name = "bytes", gen = IntGen.class, conf = "1:3")
  public static final class Ledger {
    private final MemoryLedger ledger = new MemoryLedger(104);

    public Ledger() {
      ledger.force(100);
    }

    @Operation
    public boolean tryReserve(@Param(name = "bytes") int bytes) {
      return ledger.tryReserve(bytes);
    }

    @Operation
    public void force(@Param(name = "bytes") int bytes) {
      ledger.force(bytes);
    }

    @Operation
    public void release(@Param(name = "bytes") int bytes) {
      ledger.release(bytes);
    }

    @Operation
    public long used() {
      return ledger.used();
    }
  }
}

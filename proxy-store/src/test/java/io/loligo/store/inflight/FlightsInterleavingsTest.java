package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.store.Interleavings;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.ImmediateEventExecutor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The table of fetches, asked and changed by several loops at once: the result is always as if one
 * had come after the other.
 */
@Tag("interleavings")
final class FlightsInterleavingsTest {
  private static final int SCENARIOS = 6;

  // made here, as the tool does not know how hashes are made
  private static final KeyProbe[] PROBES = {
    null, StoreFixture.probe("http://a/1"), StoreFixture.probe("http://a/2")
  };
  private static final CacheKey[] KEYS = {null, PROBES[1].toKey(), PROBES[2].toKey()};

  @Test
  void isAsIfOneCameAfterTheOther() {
    new ModelCheckingOptions()
        .iterations(SCENARIOS)
        .invocationsPerIteration(Interleavings.of(25))
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(2)
        .check(Table.class);
  }

  /** The operations on the table. Made by Lincheck, once for each interleaving. */
  @Param(name = "url", gen = IntGen.class, conf = "1:2")
  public static final class Table {
    private final Flights flights =
        new Flights(
            UnpooledByteBufAllocator.DEFAULT,
            new MemoryLedger(Long.MAX_VALUE / 2),
            1 << 20,
            StoreFixture.GAP);

    private InFlight at(int url) {
      return flights.find(PROBES[url], StoreFixture.noFields());
    }

    /** Whether it is the caller's own that was begun. */
    @Operation
    public boolean joinOrBegin(@Param(name = "url") int url) {
      SilentWriter mine = new SilentWriter();
      InFlight flight =
          flights.joinOrBegin(
              KEYS[url],
              StoreFixture.noFields(),
              null,
              ImmediateEventExecutor.INSTANCE,
              mine,
              null);
      return flight.writer() == mine;
    }

    /** One that others may find unless there is one: whether they do. */
    @Operation
    public void begin(@Param(name = "url") int url) {
      flights.begin(KEYS[url], true, ImmediateEventExecutor.INSTANCE, new SilentWriter(), null);
    }

    /** The writer ends one; its loop does nothing else meanwhile. */
    @Operation(nonParallelGroup = "writer")
    public boolean end(@Param(name = "url") int url) {
      InFlight flight = at(url);
      if (flight != null) {
        flights.forget(flight);
      }
      return flight != null;
    }

    @Operation(nonParallelGroup = "writer")
    public void invalidate(@Param(name = "url") int url) {
      flights.invalidate(KEYS[url]);
    }

    @Operation
    public boolean isUnderWay(@Param(name = "url") int url) {
      return at(url) != null;
    }
  }
}

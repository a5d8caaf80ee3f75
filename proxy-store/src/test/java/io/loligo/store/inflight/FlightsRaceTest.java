package io.loligo.store.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.Meeting;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two loops that ask for one cold object at the same moment, very often. The few interleavings that
 * {@link FlightsInterleavingsTest} tries do not all meet between the look and the change.
 */
@Tag("races")
final class FlightsRaceTest {
  private static final int ROUNDS = 20_000;
  private static final int GUARD_SECONDS = 60;
  private static final CacheKey KEY = StoreFixture.key("http://a/1");

  private final Flights flights =
      new Flights(
          UnpooledByteBufAllocator.DEFAULT,
          new MemoryLedger(Long.MAX_VALUE / 2),
          1 << 20,
          StoreFixture.GAP);

  private final Meeting meeting = new Meeting();

  @Test
  void exactlyOneBegins() throws Exception {
    CompletableFuture<InFlight[]> other = CompletableFuture.supplyAsync(this::ask);
    InFlight[] mine = ask();
    InFlight[] others = other.get(GUARD_SECONDS, TimeUnit.SECONDS);
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(mine[round]).as("round %s", round).isSameAs(others[round]);
    }
  }

  /** Joins or begins in each round, and has the fetch ended before the next. */
  private InFlight[] ask() {
    InFlight[] found = new InFlight[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      meeting.arrive(4 * round + 2);
      found[round] =
          flights.joinOrBegin(
              KEY,
              StoreFixture.noFields(),
              null,
              ImmediateEventExecutor.INSTANCE,
              new SilentWriter(),
              null);
      meeting.arrive(4 * round + 4);
      flights.forget(found[round]);
    }
    return found;
  }
}

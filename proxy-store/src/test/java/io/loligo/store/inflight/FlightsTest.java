package io.loligo.store.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FlightsTest {
  private static final String URL = "http://a/1";
  private static final CacheKey KEY = StoreFixture.key(URL);

  private final Flights flights =
      new Flights(
          UnpooledByteBufAllocator.DEFAULT,
          new MemoryLedger(Long.MAX_VALUE / 2),
          1 << 20,
          StoreFixture.GAP);

  private InFlight begin(boolean joinable) {
    return flights.begin(
        KEY, joinable, ImmediateEventExecutor.INSTANCE, new SilentWriter(), /* landing= */ null);
  }

  private List<InFlight> begin(int count, boolean joinable) {
    List<InFlight> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(begin(joinable));
    }
    return all;
  }

  /** The oldest of a long list is the deepest. */
  @Test
  void forgetsTheOldestOfTensOfThousands() {
    InFlight oldest = begin(/* joinable= */ true);
    oldest.notJoinable();
    for (int i = 0; i < 20_000; i++) {
      begin(/* joinable= */ true).notJoinable();
    }
    flights.forget(oldest);
    assertThat(flights.size()).isEqualTo(20_000);
  }

  /** Each would copy all others: 4 * 10^10 steps. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void forgetsTensOfThousandsThatCannotBeJoined() {
    List<InFlight> all = begin(200_000, /* joinable= */ false);
    assertThat(flights.size()).isEqualTo(200_000);
    all.forEach(flights::forget);
    assertThat(flights.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 8, 9, 10, 30})
  void knowsAllUntilTheyAreForgotten(int count) {
    for (int seed = 0; seed < 10; seed++) {
      Random random = new Random(seed);
      InFlight joinable = begin(/* joinable= */ true);
      List<InFlight> others = begin(count, /* joinable= */ false);
      Collections.shuffle(others, random);
      InFlight invalidated = others.get(0);
      flights.invalidate(KEY, joinable);
      assertThat(others).noneMatch(InFlight::mayStore);
      assertThat(flights.find(StoreFixture.probe(URL), StoreFixture.noFields())).isSameAs(joinable);
      flights.forget(invalidated);
      flights.forget(invalidated);
      assertThat(flights.size()).isEqualTo(count);
      flights.forget(joinable);
      assertThat(flights.find(StoreFixture.probe(URL), StoreFixture.noFields())).isNull();
      for (int i = 1; i < count; i++) {
        flights.forget(others.get(i));
        assertThat(flights.size()).isEqualTo(count - 1 - i);
      }
      assertThat(flights.landed().getCount()).isZero();
    }
  }
}

package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WindowTinyLfuTest {
  private static final int MOST = 4096;

  private static boolean request(WindowTinyLfu keys, int id, int weight) {
    int entry = keys.find(id);
    if (entry == WindowTinyLfu.NONE) {
      keys.put(id, 0, weight);
      return false;
    }
    keys.request(entry);
    return true;
  }

  private static boolean request(Cache<Integer, Integer> cache, int id, int weight) {
    if (cache.getIfPresent(id) != null) {
      return true;
    }
    cache.put(id, weight);
    return false;
  }

  /** Hit ratios of traces of Zipf, with popular objects that change, of one and two megabytes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 16})
  void hasTheHitRatioOfCaffeine(int megabytes) {
    Trace trace = Trace.changing(16_000, 150_000, 3);
    long maximum = (long) megabytes << 20;
    WindowTinyLfu keys = new WindowTinyLfu(maximum, MOST);
    Cache<Integer, Integer> cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(maximum)
            .weigher((Integer id, Integer weight) -> weight)
            .build();
    double hits = 0;
    double caffeineHits = 0;
    for (int object : trace.requests()) {
      int id = (int) Trace.hash(object, 7);
      int weight = (int) Math.min(trace.sizes()[object], 1 << 19);
      hits += request(keys, id, weight) ? 1 : 0;
      caffeineHits += request(cache, id, weight) ? 1 : 0;
    }
    assertThat(hits / trace.requests().length)
        .isCloseTo(caffeineHits / trace.requests().length, within(0.008));
    assertThat(keys.used()).isBetween(maximum * 9 / 10, maximum);
  }

  @Test
  void aScanDoesNotEvictFrequentKeys() {
    WindowTinyLfu keys = new WindowTinyLfu(10_000, MOST);
    for (int round = 0; round < 10; round++) {
      for (int object = 0; object < 80; object++) {
        request(keys, (int) Trace.hash(object, 1), 100);
      }
    }
    for (int object = 1000; object < 3000; object++) {
      request(keys, (int) Trace.hash(object, 1), 100);
    }
    int left = 0;
    for (int object = 0; object < 80; object++) {
      left += keys.find((int) Trace.hash(object, 1)) == WindowTinyLfu.NONE ? 0 : 1;
    }
    assertThat(left).isGreaterThan(75);
  }

  @Test
  void aKeyHeavierThanAllIsGone() {
    WindowTinyLfu keys = new WindowTinyLfu(1000, MOST);
    assertThat(keys.put(5, 0, 1001)).isEqualTo(WindowTinyLfu.NONE);
    assertThat(keys.entries()).isZero();
    assertThat(keys.put(5, 0, 1000)).isNotEqualTo(WindowTinyLfu.NONE);
    assertThat(keys.put(5, 0, 1001)).as("it has grown").isEqualTo(WindowTinyLfu.NONE);
    assertThat(keys.used()).isZero();
  }

  @Test
  void aMarkLastsUntilTheKeyIsPutAgain() {
    WindowTinyLfu keys = new WindowTinyLfu(1000, MOST);
    int entry = keys.put(5, 0, 10);
    assertThat(keys.isMarked(entry)).isFalse();
    keys.mark(entry);
    keys.request(entry);
    keys.put(6, 0, 10);
    assertThat(keys.isMarked(keys.find(5))).isTrue();
    assertThat(keys.isMarked(keys.put(5, 0, 20))).isFalse();
    assertThat(keys.used()).isEqualTo(30);
  }

  /** Against a map of what was put and not removed. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void itsWeightIsThatOfItsKeys(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    WindowTinyLfu keys = new WindowTinyLfu(20_000, 500);
    Map<Integer, Integer> put = new HashMap<>();
    int limit = KeyRank.ALL;
    for (int i = 0; i < 50_000; i++) {
      long hash = Trace.hash(random.nextInt(2000), seed);
      int id = KeyRank.id(hash);
      int entry = keys.find(id);
      if (entry != WindowTinyLfu.NONE && random.nextInt(10) == 0) {
        keys.remove(entry);
      } else if (entry != WindowTinyLfu.NONE && random.nextInt(3) > 0) {
        keys.request(entry);
      } else if (keys.entries() < 500 && KeyRank.of(hash) < limit) {
        int weight = 1 + random.nextInt(200);
        put.put(id, weight);
        keys.put(id, KeyRank.of(hash), weight);
      }
      if (i % 10_000 == 9_999) {
        double before = KeyRank.share(limit);
        limit -= 3;
        keys.keep(limit, KeyRank.share(limit) / before);
        int below = limit;
        assertThat(keys.entriesWhere(any -> true).count()).isEqualTo(keys.entries());
        for (int object = 0; object < 2000; object++) {
          long other = Trace.hash(object, seed);
          assertThat(
                  keys.find(KeyRank.id(other)) == WindowTinyLfu.NONE || KeyRank.of(other) < below)
              .isTrue();
        }
      }
    }
    long sum = 0;
    int found = 0;
    for (Map.Entry<Integer, Integer> each : put.entrySet()) {
      if (keys.find(each.getKey()) != WindowTinyLfu.NONE) {
        sum += each.getValue();
        found++;
      }
    }
    assertThat(keys.entries()).isEqualTo(found);
    assertThat(keys.used()).isEqualTo(sum).isLessThanOrEqualTo(keys.maximum());
  }
}

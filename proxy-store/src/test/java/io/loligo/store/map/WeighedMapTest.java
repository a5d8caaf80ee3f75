package io.loligo.store.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.HashedKey;
import io.loligo.store.stripes.Stripes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeighedMapTest {
  private static final class Value implements HashedKey {
    private final long high;
    private final int weight;

    /** Of how many maps it is in. */
    private final AtomicInteger mapped = new AtomicInteger();

    Value(long number, int weight) {
      this.high = hash(number);
      this.weight = weight;
    }

    @Override
    public long high() {
      return high;
    }

    @Override
    public long low() {
      return ~high;
    }
  }

  private static long hash(long number) {
    long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
    return mixed ^ (mixed >>> 32);
  }

  private static Value key(long number) {
    return new Value(number, 0);
  }

  private final List<Value> evicted = new ArrayList<>();
  private final List<Value> others = new ArrayList<>();

  private WeighedMap<Value> map(long maximum) {
    return new WeighedMap<>(
        Stripes.ONE,
        maximum,
        value -> value.weight,
        (value, wasEvicted) -> (wasEvicted ? evicted : others).add(value),
        Runnable::run);
  }

  private static Value put(WeighedMap<Value> map, long number, int weight) {
    Value value = new Value(number, weight);
    assertThat(map.compute(value, before -> value)).isSameAs(value);
    return value;
  }

  @Test
  void hasTheLastValueOfEachKey() {
    WeighedMap<Value> map = map(1_000_000);
    Map<Long, Value> expected = new HashMap<>();
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 200_000; i++) {
      long number = random.nextInt(20_000);
      if (random.nextInt(3) == 0) {
        assertThat(map.remove(key(number))).isSameAs(expected.remove(number));
      } else {
        expected.put(number, put(map, number, 1));
      }
    }
    assertThat(expected).hasSizeGreaterThan(10_000);
    for (long number = 0; number < 20_000; number++) {
      assertThat(map.peek(key(number))).isSameAs(expected.get(number));
      assertThat(map.get(key(number))).isSameAs(expected.get(number));
    }
    assertThat(map).containsExactlyInAnyOrderElementsOf(expected.values());
    assertThat(evicted).isEmpty();
  }

  @Test
  void tellsOfEachDepartureOnce() {
    WeighedMap<Value> map = map(10);
    Value first = put(map, 1, 1);
    Value second = put(map, 1, 1);
    assertThat(others).containsExactly(first);
    assertThat(map.compute(second, before -> before)).isSameAs(second);
    assertThat(others).containsExactly(first);
    assertThat(map.remove(first)).isSameAs(second);
    assertThat(map.remove(first)).isNull();
    assertThat(map.computeIfPresent(first, before -> first)).isNull();
    assertThat(others).containsExactly(first, second);
    assertThat(evicted).isEmpty();
  }

  @Test
  void aFailedChangeChangesNothing() {
    WeighedMap<Value> map = map(10);
    Value value = put(map, 1, 1);
    IllegalStateException failure = new IllegalStateException();
    assertThatThrownBy(
            () ->
                map.compute(
                    value,
                    before -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(map.peek(value)).isSameAs(value);
    assertThat(others).isEmpty();
  }

  @Test
  void aFirstValueForWhichThereIsNoRoomHasLeft() {
    OutOfMemoryError failure = new OutOfMemoryError();
    WeighedMap<Value> map =
        new WeighedMap<>(
            Stripes.ONE,
            10,
            value -> {
              throw failure;
            },
            (value, wasEvicted) -> others.add(value),
            Runnable::run);
    Value value = new Value(1, 1);
    assertThatThrownBy(() -> map.compute(value, before -> value)).isSameAs(failure);
    assertThat(map.peek(value)).isNull();
    assertThat(map).isEmpty();
    assertThat(others).containsExactly(value);
    assertThat(map.usedSlots()).isZero();
  }

  @Test
  void aFailedDepartureKeepsNoSlot() {
    IllegalStateException failure = new IllegalStateException();
    WeighedMap<Value> map =
        new WeighedMap<>(
            Stripes.ONE,
            10,
            value -> value.weight,
            (value, wasEvicted) -> {
              throw failure;
            },
            Runnable::run);
    Value value = put(map, 1, 1);
    assertThatThrownBy(() -> map.remove(value)).isSameAs(failure);
    assertThat(map.peek(value)).isNull();
    assertThat(map.usedSlots()).isZero();
  }

  @Test
  void aValueUnderAnotherKeyIsRefused() {
    WeighedMap<Value> map = map(10);
    assertThatThrownBy(() -> map.compute(key(1), before -> key(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(map).isEmpty();
    assertThat(map.peek(key(1))).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 50})
  void neverWeighsMoreThanItsMaximum(int heaviest) {
    WeighedMap<Value> map = map(5000);
    SplittableRandom random = new SplittableRandom(heaviest);
    for (int i = 0; i < 50_000; i++) {
      long number = random.nextInt(20_000);
      if (map.get(key(number)) == null) {
        put(map, number, 1 + random.nextInt(heaviest));
      }
      if (i % 5000 == 0) {
        assertThat(weight(map)).isLessThanOrEqualTo(5000);
      }
    }
    assertThat(weight(map)).isBetween(4900L, 5000L);
    map.maximum(1000);
    map.evictAll();
    assertThat(weight(map)).isBetween(900L, 1000L);
    assertThat(map.maximum()).isEqualTo(1000);
    for (Value value : evicted) {
      assertThat(map.peek(value)).isNotSameAs(value);
    }
  }

  private static long weight(WeighedMap<Value> map) {
    long weight = 0;
    for (Value value : map) {
      weight += value.weight;
    }
    return weight;
  }

  @Test
  void aReplacedValueWeighsNothing() {
    WeighedMap<Value> map = map(100);
    for (int i = 0; i < 1000; i++) {
      put(map, i % 10, 1 + i % 10);
    }
    assertThat(evicted).isEmpty();
    assertThat(weight(map)).isEqualTo(55);
  }

  @Test
  void keepsWhatIsRequested() {
    WeighedMap<Value> map = map(1000);
    for (int round = 0; round < 20; round++) {
      for (int number = 0; number < 500; number++) {
        if (map.get(key(number)) == null) {
          put(map, number, 1);
        }
      }
    }
    for (int number = 1000; number < 20_000; number++) {
      put(map, number, 1);
    }
    int left = 0;
    for (int number = 0; number < 500; number++) {
      left += map.peek(key(number)) == null ? 0 : 1;
    }
    assertThat(left).isGreaterThan(450);
  }

  @Test
  void aChangeEvictsAFewValuesAndMaintenanceTheOthers() {
    ArrayDeque<Runnable> maintenance = new ArrayDeque<>();
    WeighedMap<Value> map =
        new WeighedMap<>(
            Stripes.ONE,
            1000,
            value -> value.weight,
            (value, wasEvicted) -> evicted.add(value),
            maintenance::add);
    for (int number = 0; number < 1000; number++) {
      put(map, number, 1);
    }
    assertThat(maintenance).isEmpty();
    put(map, 5000, 900);
    assertThat(evicted).hasSizeLessThan(50);
    assertThat(maintenance).hasSize(1);
    maintenance.remove().run();
    assertThat(weight(map)).isLessThanOrEqualTo(1000);
    put(map, 1, 1);
    assertThat(maintenance).isEmpty();
  }

  /** A full map; the next eviction waits for {@code once} on another thread, if there is one. */
  private static WeighedMap<Value> full(AtomicReference<Runnable> once, Queue<Runnable> tasks) {
    WeighedMap<Value> map =
        new WeighedMap<>(
            Stripes.ONE,
            1000,
            value -> value.weight,
            (value, wasEvicted) -> {
              Runnable task = once.getAndSet(null);
              if (task != null) {
                CompletableFuture.runAsync(task).join();
              }
            },
            tasks::add);
    for (int number = 0; number < 1000; number++) {
      put(map, number, 1);
    }
    return map;
  }

  private static int values(WeighedMap<Value> map) {
    int values = 0;
    for (Value ignored : map) {
      values++;
    }
    return values;
  }

  /** Another thread changes the map while a request evicts, and finds the lock taken. */
  @Test
  void aRequestWorksOffTheNotesOfOthers() {
    AtomicReference<Runnable> once = new AtomicReference<>();
    WeighedMap<Value> map = full(once, new ArrayDeque<>());
    put(map, 5000, 900);
    once.set(() -> map.remove(key(5000)));
    Value requested = map.iterator().next();
    while (once.get() != null) {
      map.get(requested);
    }
    assertThat(map.usedSlots()).isEqualTo(values(map));
  }

  @Test
  void manyNotesAreLeftToMaintenance() {
    int many = 10_000;
    AtomicReference<Runnable> once = new AtomicReference<>();
    Queue<Runnable> maintenance = new ArrayDeque<>();
    WeighedMap<Value> map = full(once, maintenance);
    once.set(
        () -> {
          for (int number = 0; number < many; number++) {
            map.remove(put(map, 6000 + number, 1));
          }
        });
    put(map, 5000, 1);
    assertThat(map.usedSlots()).isGreaterThan(many / 2);
    assertThat(maintenance).hasSize(1);
    maintenance.remove().run();
    assertThat(map.usedSlots()).isEqualTo(values(map));
  }

  @Test
  void maintenanceLetsLargeFrequenciesGrow() {
    Queue<Runnable> maintenance = new ArrayDeque<>();
    WeighedMap<Value> map =
        new WeighedMap<>(
            Stripes.ONE,
            60_000,
            value -> value.weight,
            (value, wasEvicted) -> {},
            maintenance::add);
    for (int number = 0; number < 40_000; number++) {
      put(map, number, 1);
    }
    assertThat(maintenance).hasSize(1);
    maintenance.remove().run();
    put(map, 40_000, 1);
    assertThat(maintenance).isEmpty();
  }

  /** Values of one key come, go and are evicted by several threads at once. */
  @ParameterizedTest
  @ValueSource(ints = {40, 400, 40_000})
  void eachValueLeavesOnce(int maximum) throws Exception {
    int threads = 4;
    Stripes stripes = new Stripes(threads);
    AtomicLong departures = new AtomicLong();
    WeighedMap<Value> map =
        new WeighedMap<>(
            stripes,
            maximum,
            value -> value.weight,
            (value, wasEvicted) -> {
              assertThat(value.mapped.decrementAndGet()).isZero();
              departures.incrementAndGet();
            },
            Runnable::run);
    AtomicLong arrivals = new AtomicLong();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch begin = new CountDownLatch(threads);
    List<Future<?>> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int own = thread;
      all.add(
          pool.submit(
              () -> {
                stripes.enter(own);
                begin.countDown();
                begin.await();
                SplittableRandom random = new SplittableRandom(own);
                for (int i = 0; i < 150_000; i++) {
                  Value key = new Value(random.nextInt(600), 1 + random.nextInt(4));
                  int what = random.nextInt(8);
                  if (what < 5) {
                    Value found = map.get(key);
                    assertThat(found == null || found.high == key.high).isTrue();
                  } else if (what < 7) {
                    map.compute(
                        key,
                        before -> {
                          key.mapped.incrementAndGet();
                          arrivals.incrementAndGet();
                          return key;
                        });
                  } else {
                    map.remove(key);
                  }
                }
                return null;
              }));
    }
    for (Future<?> one : all) {
      one.get();
    }
    pool.shutdown();
    map.evictAll();
    long left = 0;
    for (Value value : map) {
      assertThat(value.mapped).hasValue(1);
      assertThat(map.peek(value)).isSameAs(value);
      left++;
    }
    assertThat(weight(map)).isLessThanOrEqualTo(maximum);
    assertThat(arrivals.get() - departures.get()).isEqualTo(left);
    for (Value value : map) {
      map.remove(value);
    }
    assertThat(map).isEmpty();
    assertThat(departures).hasValue(arrivals.get());
    assertThat(map.usedSlots()).as("each slot is free again").isZero();
  }
}

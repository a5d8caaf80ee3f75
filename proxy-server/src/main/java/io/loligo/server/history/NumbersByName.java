package io.loligo.server.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * The numbers of things of one kind, such as parents, which come and go with the configuration. A
 * number has a series for each thing: {@code peer_requests.NAME}. Thread-safe: any thread reads.
 *
 * <p>The series are bounded: the first {@value #MAX_NAMES} names since the start, or another number
 * of them, have their own, all later ones together those with the name {@value #OTHERS}. The places
 * of all of them are reserved at the start, so a thing that a reload adds needs no new arrays.
 */
final class NumbersByName<T> {
  /** Names with series of their own, of each kind of thing. */
  static final int MAX_NAMES = 32;

  /** The name for all further things. */
  static final String OTHERS = "others";

  /**
   * One number of each thing. Immutable.
   *
   * @param prefix of the name of its series
   * @param suffix of that name
   */
  record Measurement<T>(Series.Kind kind, String prefix, String suffix, ToLongFunction<T> value) {}

  private final SeriesList list;
  private final List<Measurement<T>> numbers;
  private final int maxNames;
  private final Function<T, String> name;
  private final Supplier<? extends List<? extends T>> things;

  /** The series of one thing, and their last values. */
  private record Known(List<Series> series, long[] values) {}

  /** Guarded by this; by the name of the thing. */
  private final Map<String, Known> known = new HashMap<>();

  /** Reserves places in {@code list}, and adds series for the present things. */
  NumbersByName(
      SeriesList list,
      List<Measurement<T>> numbers,
      Function<T, String> name,
      Supplier<? extends List<? extends T>> things) {
    this(list, numbers, MAX_NAMES, name, things);
  }

  /** The same, where {@code maxNames} names have series of their own. */
  NumbersByName(
      SeriesList list,
      List<Measurement<T>> numbers,
      int maxNames,
      Function<T, String> name,
      Supplier<? extends List<? extends T>> things) {
    this.maxNames = maxNames;
    this.list = list;
    this.numbers = List.copyOf(numbers);
    this.name = name;
    this.things = things;
    numbers.forEach(number -> list.reserve(number.kind(), maxNames + 1));
    things.get().forEach(this::known);
  }

  /**
   * Reads all numbers, by the index of their series. A counter of a thing that is gone stays as it
   * was, and its gauges are 0.
   */
  synchronized void read(long[] counters, long[] gauges) {
    List<? extends T> now = things.get();
    known.values().forEach(this::clearGauges);
    now.forEach(thing -> Arrays.fill(known(thing).values, 0));
    for (T thing : now) {
      long[] values = known(thing).values;
      for (int i = 0; i < values.length; i++) {
        values[i] += numbers.get(i).value.applyAsLong(thing);
      }
    }
    for (Known one : known.values()) {
      for (int i = 0; i < one.values.length; i++) {
        Series series = one.series.get(i);
        long[] into = series.kind() == Series.Kind.COUNTER ? counters : gauges;
        into[series.index()] = one.values[i];
      }
    }
  }

  private void clearGauges(Known one) {
    for (int i = 0; i < one.values.length; i++) {
      if (numbers.get(i).kind == Series.Kind.GAUGE) {
        one.values[i] = 0;
      }
    }
  }

  private synchronized Known known(T thing) {
    String own = name.apply(thing);
    Known there = known.get(own);
    if (there == null && (known.size() >= maxNames || own.equals(OTHERS))) {
      own = OTHERS;
      there = known.get(own);
    }
    if (there == null) {
      there = new Known(added(own), new long[numbers.size()]);
      known.put(own, there);
    }
    return there;
  }

  private List<Series> added(String thing) {
    List<Series> added = new ArrayList<>(numbers.size());
    for (Measurement<T> number : numbers) {
      added.add(list.addReserved(number.kind, number.prefix + '.' + thing + number.suffix));
    }
    return List.copyOf(added);
  }
}

package io.loligo.server.history;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The series of a history, by name. Thread-safe. Series are only added: a later one changes the
 * place of no other, so a record that was written before it stays readable.
 */
final class SeriesList {
  private final Map<String, Series> byName = new LinkedHashMap<>();
  private final Map<Series.Kind, Integer> counts = new EnumMap<>(Series.Kind.class);
  private final Map<Series.Kind, Integer> reserved = new EnumMap<>(Series.Kind.class);

  /**
   * Adds a series.
   *
   * @throws IllegalArgumentException if there is one with this name
   */
  synchronized Series add(Series.Kind kind, String name) {
    Series added = new Series(kind, name, counts.getOrDefault(kind, 0));
    if (byName.putIfAbsent(name, added) != null) {
      throw new IllegalArgumentException("two series have the name " + name);
    }
    counts.put(kind, added.index() + 1);
    return added;
  }

  /** Keeps {@code more} places for series of this kind that are not known yet. */
  synchronized void reserve(Series.Kind kind, int more) {
    reserved.merge(kind, more, Integer::sum);
  }

  /** Adds a series in a place that was reserved, so {@link #room} stays as it is. */
  synchronized Series addReserved(Series.Kind kind, String name) {
    int left = reserved.getOrDefault(kind, 0);
    if (left == 0) {
      throw new IllegalStateException("no place is reserved for " + name);
    }
    Series added = add(kind, name);
    reserved.put(kind, left - 1);
    return added;
  }

  /** Places for series of one kind: of those that are there, and of those reserved. */
  synchronized int room(Series.Kind kind) {
    return counts.getOrDefault(kind, 0) + reserved.getOrDefault(kind, 0);
  }

  /** All, in the order added. A copy. */
  synchronized List<Series> all() {
    return List.copyOf(byName.values());
  }

  /** The series with this name, or null. */
  synchronized @Nullable Series named(String name) {
    return byName.get(name);
  }

  /** For each place of this kind the one in {@code other}; -1 where it has none of that name. */
  int[] placesIn(SeriesList other, Series.Kind kind) {
    int[] places = new int[room(kind)];
    if (other == this) {
      Arrays.setAll(places, place -> place);
      return places;
    }
    Arrays.fill(places, -1);
    for (Series one : all()) {
      if (one.kind() == kind) {
        Series there = other.named(one.name());
        places[one.index()] = there == null || there.kind() != kind ? -1 : there.index();
      }
    }
    return places;
  }
}

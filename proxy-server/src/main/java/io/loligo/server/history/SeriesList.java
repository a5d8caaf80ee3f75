package io.loligo.server.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The series of a history, by name. Immutable once it is complete. */
final class SeriesList {
  private final Map<String, Series> byName = new LinkedHashMap<>();
  private final Map<Series.Kind, Integer> counts = new EnumMap<>(Series.Kind.class);

  /**
   * Adds a series.
   *
   * @throws IllegalArgumentException if there is one with this name
   */
  Series add(Series.Kind kind, String name) {
    Series added = new Series(kind, name, count(kind));
    if (byName.putIfAbsent(name, added) != null) {
      throw new IllegalArgumentException("two series have the name " + name);
    }
    counts.put(kind, added.index() + 1);
    return added;
  }

  /** Series of one kind. */
  int count(Series.Kind kind) {
    return counts.getOrDefault(kind, 0);
  }

  /** All, in the order added. */
  List<Series> all() {
    return Collections.unmodifiableList(new ArrayList<>(byName.values()));
  }

  /** The series with this name, or null. */
  @Nullable Series named(String name) {
    return byName.get(name);
  }

  /** For each of this kind its place in {@code other}; -1 where it has none of that name. */
  int[] placesIn(SeriesList other, Series.Kind kind) {
    int[] places = new int[count(kind)];
    for (Series one : byName.values()) {
      if (one.kind() == kind) {
        Series there = other.named(one.name());
        places[one.index()] = there == null || there.kind() != kind ? -1 : there.index();
      }
    }
    return places;
  }
}

package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryPlacesTest {
  /** Two bytes each, and four. */
  @ParameterizedTest
  @ValueSource(ints = {65_535, 65_536, 1 << 30})
  void hasEachPlaceBelowItsLimit(int most) {
    EntryPlaces places = EntryPlaces.of(3, most);
    assertThat(places.length()).isEqualTo(3);
    assertThat(places.get(0)).isEqualTo(EntryPlaces.NONE);
    places.set(0, most - 1);
    places.set(1, 0);
    places.set(2, 7);
    places.set(2, EntryPlaces.NONE);
    EntryPlaces grown = places.grown(5);
    assertThat(grown.length()).isEqualTo(5);
    assertThat(grown.get(0)).isEqualTo(most - 1);
    assertThat(grown.get(1)).isZero();
    assertThat(grown.get(2)).isEqualTo(EntryPlaces.NONE);
    assertThat(grown.get(4)).isEqualTo(EntryPlaces.NONE);
  }
}

package io.loligo.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeavyKeysTest {
  private static final int ROWS = 16;

  private final HeavyKeys keys = new HeavyKeys(42, ROWS, 8, 2);

  private void add(String text, int number, long weight) {
    int row = keys.row(text, number, weight);
    keys.add(row, 0, 1);
    keys.add(row, 1, weight);
  }

  private Map<String, HeavyKeys.Row> rows() {
    Map<String, HeavyKeys.Row> rows = new HashMap<>();
    keys.rows().forEach(row -> rows.put(row.text() + ' ' + row.number(), row));
    return rows;
  }

  @Test
  void tellsKeysApartByTextAndNumber() {
    add("a", 80, 1);
    add("a", 81, 1);
    add("b", 80, 1);
    add("a", 80, 1);
    assertThat(rows()).containsOnlyKeys("a 80", "a 81", "b 80");
    assertThat(rows().get("a 80").sum(0)).isEqualTo(2);
    assertThat(rows().get("a 80").weight()).isEqualTo(2);
  }

  @Test
  void aTextCountsUpToItsLimit() {
    add("12345678", 0, 1);
    add("123456789", 0, 1);
    add("12345678" + "x".repeat(100_000), 0, 1);
    assertThat(rows()).containsOnlyKeys("12345678 0");
    assertThat(rows().get("12345678 0").sum(0)).isEqualTo(3);
  }

  @Test
  void aStormOfKeysLosesNoSumAndKeepsTheHeavyOnes() {
    Random random = new Random(1);
    long total = 0;
    for (int i = 0; i < 100_000; i++) {
      boolean heavy = random.nextInt(4) == 0;
      add(heavy ? "h" + random.nextInt(3) : "s" + i, 0, 1);
      total++;
    }
    // each of the three has a twelfth of the weight
    assertThat(rows()).hasSize(ROWS).containsKeys("h0 0", "h1 0", "h2 0");
    long kept = keys.rows().stream().mapToLong(row -> row.sum(0)).sum();
    assertThat(kept + keys.others()[0]).isEqualTo(total);
    for (String heavy : List.of("h0 0", "h1 0", "h2 0")) {
      assertThat(rows().get(heavy).sum(0)).isGreaterThan(8_000);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 7, Long.MIN_VALUE, 0x5dee_ce66_d123L})
  void agreesWithAPlainModel(long seed) {
    HeavyKeys tested = new HeavyKeys(seed, ROWS, 8, 1);
    Map<String, long[]> model = new HashMap<>(); // weight, sum
    long others = 0;
    int replaced = 0;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      String text = Integer.toString(random.nextInt(40));
      int number = -text.hashCode(); // all of them share one slot, so each is searched
      long weight = 1 + random.nextInt(5);
      if (!model.containsKey(text) && model.size() == ROWS) {
        long least = model.values().stream().mapToLong(row -> row[0]).min().orElseThrow();
        Set<String> before = texts(tested);
        tested.add(tested.row(text, number, weight), 0, weight);
        if (texts(tested).equals(before)) {
          others += weight;
        } else {
          before.removeAll(texts(tested));
          assertThat(before).hasSize(1);
          long[] left = model.remove(before.iterator().next());
          assertThat(left[0]).isEqualTo(least);
          others += left[1];
          model.put(text, new long[] {least + weight, weight});
          replaced++;
        }
      } else {
        tested.add(tested.row(text, number, weight), 0, weight);
        long[] row = model.computeIfAbsent(text, ignored -> new long[2]);
        row[0] += weight;
        row[1] += weight;
      }
    }
    assertThat(replaced).isBetween(50, 2_000);
    assertThat(tested.others()).containsExactly(others);
    assertThat(tested.rows()).hasSize(model.size());
    for (HeavyKeys.Row row : tested.rows()) {
      assertThat(new long[] {row.weight(), row.sum(0)}).isEqualTo(model.get(row.text()));
    }
  }

  private static Set<String> texts(HeavyKeys keys) {
    Set<String> texts = new HashSet<>();
    keys.rows().forEach(row -> texts.add(row.text()));
    return texts;
  }

  @Test
  void forgetsEverything() {
    for (int i = 0; i < 100; i++) {
      add("k" + i, 0, 1);
    }
    keys.clear();
    assertThat(keys.rows()).isEmpty();
    assertThat(keys.others()).containsExactly(0, 0);
    add("k1", 0, 1);
    assertThat(rows().get("k1 0").weight()).isEqualTo(1);
    assertThat(rows().get("k1 0").sum(1)).isEqualTo(1);
  }

  @Test
  void collisionsUnderOneSecretAreNoneUnderAnother() {
    // a peer without the secret: texts that collide in the cells of one table
    KeyedHash known = new KeyedHash(1);
    List<String> chosen =
        new Random(2)
            .longs(200_000)
            .mapToObj(Long::toHexString)
            .filter(text -> (known.of(text, text.length(), 0) & 0x3ff) == 5)
            .toList();
    assertThat(chosen).hasSizeGreaterThan(100);
    KeyedHash other = new KeyedHash(0x7123_4567_89ab_cdefL);
    long cells =
        chosen.stream().map(text -> other.of(text, text.length(), 0) & 0x3ff).distinct().count();
    assertThat(cells).isGreaterThan(chosen.size() / 2);
  }

  @Test
  void textsOfStringHashAreNoCollisions() {
    // "Aa" and "BB" have one String.hashCode(): 2^10 texts with it
    KeyedHash hash = new KeyedHash(3);
    Set<Long> hashes = new HashSet<>();
    for (int i = 0; i < 1024; i++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 10; bit++) {
        text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      hashes.add(hash.of(text.toString(), text.length(), 80));
    }
    assertThat(hashes).hasSize(1024);
  }
}

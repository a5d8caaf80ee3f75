package io.loligo.store.disk.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Any operations in any order have a hash map's results. */
final class RecordMapModelTest {
  private static final long RECORDS = 200;

  private enum Kind {
    PUT,
    GET,
    REMOVE
  }

  private record Step(Kind kind, long low) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(40, Kind.PUT), Tuple.of(20, Kind.GET), Tuple.of(20, Kind.REMOVE));
    return Combinators.combine(kinds, Arbitraries.longs().between(0, 60))
        .as(Step::new)
        .list()
        .ofMaxSize(300);
  }

  @Property(tries = 60)
  void isAMap(@ForAll("steps") List<Step> steps) throws IOException {
    Map<Long, Long> model = new HashMap<>();
    RecordMap map = ChronicleRecordMap.create(RECORDS);
    try {
      long version = 0;
      for (Step step : steps) {
        version++;
        long low = step.low();
        switch (step.kind()) {
          case PUT -> {
            assertThat(TestRecord.put(map, low, version)).isTrue();
            model.put(low, version);
          }
          case GET ->
              assertThat(TestRecord.get(map, low))
                  .isEqualTo(model.getOrDefault(low, TestRecord.ABSENT));
          case REMOVE ->
              assertThat(map.remove(TestRecord.high(low), low))
                  .isEqualTo(model.remove(low) != null);
        }
        assertThat(map.size()).isEqualTo(model.size());
      }
      for (long low = 0; low <= 60; low++) {
        assertThat(map.contains(TestRecord.high(low), low)).isEqualTo(model.containsKey(low));
      }
    } finally {
      map.close();
    }
  }
}

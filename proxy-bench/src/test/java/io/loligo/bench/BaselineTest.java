package io.loligo.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code AllocationTest} and {@code TimesCheck} rest on. */
class BaselineTest {
  @TempDir Path temp;
  private Baseline baseline;

  /** The names that were measured last; none: all. */
  private Set<String> again = Set.of();

  @BeforeEach
  void write() throws Exception {
    Path file = temp.resolve("some.txt");
    Files.writeString(file, "# some\n2.000\tA.a\n3.000\tB.b x=1\n");
    String name = temp.resolve("some").toString();
    baseline = new Baseline(name, "some", "%.3f", figure -> figure * 1.5);
  }

  private void measured(Map<String, Double> first, Map<String, Double> again) throws Exception {
    baseline.assertHolds(
        names -> {
          this.again = names;
          return new TreeMap<>(names.isEmpty() ? first : again);
        });
  }

  @Test
  void holdsUpToWhatIsAllowed() throws Exception {
    measured(Map.of("A.a", 3.0, "B.b x=1", 0.1), Map.of());
    assertThat(again).isEmpty();
  }

  @Test
  void holdsWhereOnlyTheFirstMeasureWasDisturbed() throws Exception {
    measured(Map.of("A.a", 4.0, "B.b x=1", 3.0), Map.of("A.a", 2.0, "B.b x=1", 9.0));
    assertThat(again).containsExactly("A.a");
  }

  @Test
  void failsWhereAFigureHasDoubled() {
    Map<String, Double> figures = Map.of("A.a", 4.0, "B.b x=1", 3.0);
    assertThatThrownBy(() -> measured(figures, figures))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("A.a: 4.0 instead of 2.0");
  }

  @Test
  void failsWhereAFigureIsMissingOrUnknown() {
    assertThatThrownBy(() -> measured(Map.of("A.a", 2.0), Map.of()))
        .isInstanceOf(AssertionError.class);
    Map<String, Double> more = Map.of("A.a", 2.0, "B.b x=1", 3.0, "C.c", 0.0);
    assertThatThrownBy(() -> measured(more, more)).isInstanceOf(AssertionError.class);
  }
}

package io.loligo.store.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The generated page as committed; {@code -Dloligo.reference.write=true} writes it anew. */
class AdmissionPageTest {
  private static final Path PAGE =
      Path.of("").toAbsolutePath().getParent().resolve("docs/admission.md");
  private static final Pattern RATIO = Pattern.compile("[0-9]\\.[0-9]{3}");

  /** Caffeine admits at random now and then, which the second table feels in every column. */
  private static final double NOISE = 0.008;

  private static final double TIERS_NOISE = 0.02;

  @Test
  void isCommittedAsGenerated() throws IOException {
    String generated = Results.page();
    if (Boolean.getBoolean("loligo.reference.write")) {
      Files.writeString(PAGE, generated);
    }
    String committed = Files.readString(PAGE);

    assertThat(RATIO.matcher(committed).replaceAll("#"))
        .isEqualTo(RATIO.matcher(generated).replaceAll("#"));
    List<Double> expected = ratios(generated);
    List<Double> written = ratios(committed);
    int tiersBegin = ratios(generated.substring(0, generated.indexOf("## Memory"))).size();
    for (int i = 0; i < expected.size(); i++) {
      double noise = i < tiersBegin ? NOISE : TIERS_NOISE;
      assertThat(written.get(i)).isCloseTo(expected.get(i), within(noise));
    }
  }

  private static List<Double> ratios(String page) {
    return RATIO.matcher(page).results().map(MatchResult::group).map(Double::valueOf).toList();
  }
}

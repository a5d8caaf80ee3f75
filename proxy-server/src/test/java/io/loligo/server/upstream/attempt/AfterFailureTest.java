package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AfterFailureTest {
  private static final Set<Kind> SILENT = EnumSet.of(Kind.NO_ANSWER, Kind.WRITE_FAILED);

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NOT_PROCESSED", "HTTP_1_REQUIRED", "REQUEST_HEAD_TOO_LARGE"})
  void sendsAgainOnlyWhereThePeerWasSilent(Kind kind) {
    boolean silent = SILENT.contains(kind);
    assertThat(after(kind, false, true, true, true))
        .isEqualTo(silent ? AfterFailure.RECONNECT : AfterFailure.GIVE_UP);
    assertThat(after(kind, false, true, true, false))
        .isEqualTo(silent ? AfterFailure.RECONNECT : AfterFailure.GIVE_UP);
    assertThat(after(kind, false, true, false, true))
        .isEqualTo(silent ? AfterFailure.NEXT_HOP : AfterFailure.GIVE_UP);
    assertThat(after(kind, false, true, false, false)).isEqualTo(AfterFailure.GIVE_UP);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"NOT_PROCESSED", "HTTP_1_REQUIRED", "REQUEST_HEAD_TOO_LARGE"})
  void sendsNothingTwiceThatMayNotBeRepeated(Kind kind) {
    assertThat(after(kind, false, false, true, true)).isEqualTo(AfterFailure.GIVE_UP);
    assertThat(after(kind, true, true, true, true)).isEqualTo(AfterFailure.GIVE_UP);
  }

  @Test
  void sendsAgainWhatThePeerHasNotLookedAt() {
    Kind refused = Kind.NOT_PROCESSED;
    assertThat(after(refused, false, false, true, false)).isEqualTo(AfterFailure.RECONNECT);
    assertThat(after(refused, false, false, false, true)).isEqualTo(AfterFailure.NEXT_HOP);
    assertThat(after(refused, false, false, false, false)).isEqualTo(AfterFailure.GIVE_UP);
    assertThat(after(Kind.HTTP_1_REQUIRED, false, false, false, true))
        .isEqualTo(AfterFailure.RECONNECT);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_PROCESSED", "HTTP_1_REQUIRED"})
  void sendsNothingAgainAfterAnAnswerOrPartsOfItsContent(Kind kind) {
    assertThat(after(kind, true, true, true, true)).isEqualTo(AfterFailure.GIVE_UP);
    assertThat(AfterFailure.of(new FetchFailure(kind, "test"), false, true, false, true, true))
        .isEqualTo(AfterFailure.GIVE_UP);
  }

  @Test
  void triesTheNextHopWithAHeadThatIsTooLargeForOne() {
    Kind tooLarge = Kind.REQUEST_HEAD_TOO_LARGE;
    assertThat(after(tooLarge, false, false, true, true)).isEqualTo(AfterFailure.NEXT_HOP);
    assertThat(after(tooLarge, false, true, true, false)).isEqualTo(AfterFailure.GIVE_UP);
    assertThat(AfterFailure.of(new FetchFailure(tooLarge, "test"), false, true, false, true, true))
        .isEqualTo(AfterFailure.GIVE_UP);
  }

  private static AfterFailure after(
      Kind kind, boolean answered, boolean repeatable, boolean reused, boolean hopsLeft) {
    return AfterFailure.of(
        new FetchFailure(kind, "test"), answered, repeatable, true, reused, hopsLeft);
  }
}

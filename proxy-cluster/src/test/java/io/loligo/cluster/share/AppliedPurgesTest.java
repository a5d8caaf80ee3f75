package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.NodeRun;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class AppliedPurgesTest {
  private static final NodeRun A = Members.run(0);
  private static final NodeRun B = Members.run(1);

  private final AppliedPurges here = new AppliedPurges(() -> true);
  private final AppliedPurges peer = new AppliedPurges(() -> true);

  @Test
  void withoutPurgesAResponseMayBeShared() {
    assertThat(isShared()).isTrue();
  }

  @Test
  void aPeerThatHasNotAppliedAPurgeGivesBytesForOneRequest() {
    here.applied(A, 1);
    assertThat(isShared()).isFalse();
    peer.begins(A, 1);
    assertThat(isShared()).isFalse();
    peer.applied(A, 1);
    assertThat(isShared()).isTrue();
  }

  @Test
  void aPurgeThatHasBegunHereCounts() {
    here.begins(B, 1);
    assertThat(isShared()).isFalse();
  }

  @Test
  void aPeerThatIsAheadGivesBytesForAll() {
    here.applied(A, 1);
    peer.applied(A, 2);
    peer.applied(B, 1);
    assertThat(isShared()).isTrue();
  }

  @Test
  void eachStreamCounts() {
    here.applied(A, 1);
    here.applied(B, 1);
    peer.applied(A, 9);
    assertThat(isShared()).isFalse();
  }

  @Test
  void anotherRunIsAnotherStream() {
    here.applied(new NodeRun(A.node(), 2), 1);
    peer.applied(A, 5);
    assertThat(isShared()).isFalse();
  }

  @Test
  void aPurgeThatIsNotPublishedForbidsSharing() {
    here.publishing();
    assertThat(here.claim()).isNull();
    here.applied(A, 1);
    here.publishing();
    here.published();
    assertThat(here.claim()).isNull();
    here.published();
    assertThat(isShared()).isFalse();
    peer.applied(A, 1);
    assertThat(isShared()).isTrue();
  }

  @Test
  void aNodeThatMissedPurgesSharesNothing() {
    AtomicBoolean caughtUp = new AtomicBoolean();
    AppliedPurges missing = new AppliedPurges(caughtUp::get);
    assertThat(isShared(missing, peer)).isFalse();
    caughtUp.set(true);
    assertThat(isShared(missing, peer)).isTrue();
  }

  @Test
  void aStreamWithoutPurgesDoesNotCount() {
    here.applied(A, 0);
    assertThat(claim().tag()).isEqualTo(peer.applied().tag());
  }

  @Test
  void equalVectorsAreOneHashOnTheWire() {
    for (int i = 0; i < 50; i++) {
      here.applied(Members.run(i), 3);
      peer.applied(Members.run(49 - i), 3);
    }
    String asked = claim().tag();
    assertThat(peer.applied().answer(asked)).isEqualTo(asked).hasSize(16);
    here.applied(A, 4);
    assertThat(peer.applied().answer(claim().tag())).hasSizeBetween(50 * 19, 50 * 20);
    assertThat(peer.applied().answer(null)).hasSizeGreaterThan(16);
  }

  @Test
  void aThousandStreamsHaveABoundedVector() {
    for (int i = 0; i < 1_000; i++) {
      here.applied(Members.run(i), 1);
      peer.applied(Members.run(i), 1);
    }
    peer.applied(Members.run(950), 2);
    assertThat(peer.applied().text().length()).isLessThan(4_000);
    assertThat(isShared()).isTrue();
    here.applied(Members.run(951), 2);
    assertThat(isShared()).isFalse();
  }

  @Test
  void malformedAnswersForbidSharing() {
    here.applied(A, 1);
    String good = here.applied().text();
    for (String bad :
        new String[] {
          "",
          "0",
          ";",
          good.substring(1),
          "0" + good.substring(1, 16),
          "x" + good.substring(1),
          "0000000000000000;",
          "0000000000000000;1:1",
          "0000000000000000," + good.substring(17),
          "0000000000000000" + good.substring(16) + ",",
          "0000000000000000;0000000000000000:zz"
        }) {
      assertThat(claim().isCoveredBy(bad)).as(bad).isFalse();
    }
    assertThat(claim().isCoveredBy(null)).isFalse();
    assertThat(claim().isCoveredBy("0000000000000000" + good.substring(16))).isTrue();
  }

  @Property(tries = 200)
  void theWireFormComparesLikeTheNumbers(@ForAll long seed) {
    Random random = new Random(seed);
    AppliedPurges one = new AppliedPurges(() -> true);
    AppliedPurges other = new AppliedPurges(() -> true);
    boolean covered = true;
    for (int i = 0; i < 4; i++) {
      int ours = random.nextInt(3);
      int theirs = random.nextInt(10) == 0 ? random.nextInt(3) : ours;
      one.applied(Members.run(i), ours);
      other.applied(Members.run(i), theirs);
      covered &= theirs >= ours;
    }
    assertThat(isShared(one, other)).isEqualTo(covered);
  }

  private PurgeVector claim() {
    return Objects.requireNonNull(here.claim());
  }

  private boolean isShared() {
    return isShared(here, peer);
  }

  private static boolean isShared(AppliedPurges here, AppliedPurges peer) {
    PurgeVector claim = here.claim();
    return claim != null && claim.isCoveredBy(peer.applied().answer(claim.tag()));
  }
}

package io.loligo.cluster.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class PeerRequestsTest {
  private static final long KEY = 7;
  private static final long SECOND = 1_000_000_000L;

  /** Node 1 owned every key, and drains. */
  private final Ring ring =
      Ring.empty()
          .next(Members.view(Members.member(1)), Members.run(0), 0)
          .next(Members.view(Members.member(0), Members.member(1, 100, true)), Members.run(0), 0);

  private final PeerRequests<String> requests =
      new PeerRequests<>(
          () -> ring, new AppliedPurges(() -> true), (peer, earlier) -> "", 10, 10, 0);

  /** Nobody else would try it for two seconds. */
  @Test
  void aPreviousOwnerThatIsNotAskedKeepsItsTry() {
    ClusterPeer previous = null;
    for (int i = 0; i < PreviousAnswers.MISSES; i++) {
      PeerRequest<String> request = Objects.requireNonNull(requests.first(KEY, 0));
      assertThat(request.rank()).isEqualTo(PeerRequest.Rank.PREVIOUS);
      request.answered(false);
      previous = request.peer();
    }
    ClusterPeerHealth health = Objects.requireNonNull(previous).health();
    for (int i = 0; i < ClusterPeerHealth.FAILURES_IN_A_ROW; i++) {
      health.failed(0, 0);
    }
    for (int i = 1; i < PreviousAnswers.ONE_IN; i++) {
      assertThat(requests.first(KEY, SECOND)).as("it has nothing").isNull();
    }
    assertThat(requests.first(KEY, SECOND)).as("one in 16 tries it").isNotNull();
    assertThat(requests.first(KEY, SECOND)).isNull();
    assertThat(health.mayAsk(SECOND)).as("it is being tried").isFalse();
  }
}

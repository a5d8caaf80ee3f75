package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.purges.PurgeJournal.Line;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RestoredTest {
  private static final NodeRun A = new NodeRun(new UUID(1, 2), 3);

  private final PurgeLog log = new PurgeLog(ReplicationLimits.USUAL, new MemoryJournal());

  @Test
  void purgesThatWereNotCarriedOutAreReplayed() {
    Restored.Rest rest = restore(entry(1), entry(2), new Line.Applied(A, 1), entry(3));
    assertThat(rest.replays()).extracting(Restored.Replay::number).containsExactly(2L, 3L);
    assertThat(rest.missing()).isEmpty();
    assertIs(1, 1, 3);
  }

  @Test
  void entriesBeforeAGapAreNotGivenToOthers() {
    Restored.Rest rest = restore(entry(1), entry(5), entry(6), new Line.Applied(A, 5));
    assertThat(rest.replays()).extracting(Restored.Replay::number).containsExactly(6L);
    assertThat(rest.missing()).isEmpty();
    assertIs(5, 5, 6);
  }

  /** Number 5 would otherwise count as carried out. */
  @Test
  void aGapBehindTheLastThatWasCarriedOutIsMissing() {
    Restored.Rest rest = restore(new Line.Applied(A, 3), entry(5), entry(6));
    assertThat(rest.replays()).isEmpty();
    assertThat(rest.missing()).isEqualTo(Map.of(A, 6L));
    assertIs(3, 4, 3);
  }

  @Test
  void aLineThatSaysMissingIsMissing() {
    Restored.Rest rest = restore(entry(1), new Line.Applied(A, 1), new Line.Missing(A, 4));
    assertThat(rest.missing()).isEqualTo(Map.of(A, 4L));
    assertIs(1, 2, 1);
  }

  @Test
  void whatIsMissingMayHaveBeenReplacedSince() {
    Restored.Rest rest = restore(new Line.Missing(A, 4), new Line.Applied(A, 9), entry(10));
    assertThat(rest.missing()).isEmpty();
    assertThat(rest.replays()).extracting(Restored.Replay::number).containsExactly(10L);
    assertIs(9, 10, 10);
  }

  @Test
  void entriesOlderThanWhatWasCarriedOutAreOfNoUse() {
    restore(entry(1), entry(2), new Line.Applied(A, 7));
    assertIs(7, 8, 7);
  }

  @Test
  void aForgottenStreamIsUnknown() {
    restore(entry(1), new Line.Applied(A, 1), new Line.Forgotten(A));
    assertThat(log.stream(A)).isNull();
  }

  private Restored.Rest restore(Line... lines) {
    return new Restored(log, 0).restore(new PurgeJournal.Kept(List.of(lines), false));
  }

  private void assertIs(long applied, long firstRetained, long received) {
    Stream stream = log.stream(A);
    assertThat(stream).isNotNull();
    assertThat(List.of(stream.applied(), stream.firstRetained(), stream.received()))
        .containsExactly(applied, firstRetained, received);
  }

  private static Line entry(int number) {
    return new Line.Entry(A, number, new byte[] {(byte) number});
  }
}

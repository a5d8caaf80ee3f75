package io.loligo.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.Lane;
import org.junit.jupiter.api.Test;

final class SegmentsTest {
  private static final int BYTES = 1 << 18;

  private final Segments segments = new Segments(8, BYTES);
  private long life;

  private Segment withRoom(int bytes, long after) {
    return segments.withRoom(bytes, Lane.PROBATION, after, false, ++life);
  }

  /** A segment that was open and has {@code rest} left; of life {@link #life}. */
  private Segment closed(Segments segments, int rest) {
    Segment segment = segments.openFree(Lane.PROBATION, false, ++life);
    segment.used = BYTES - rest;
    segments.share(segment);
    return segment;
  }

  /** The open segment, full. */
  private Segment full(int bytes) {
    Segment segment = withRoom(bytes, 0);
    segment.used = BYTES;
    segments.live(segment, bytes);
    return segment;
  }

  @Test
  void knowsWhatDiedAndGivesItToOneOnly() {
    Segment one = full(100);
    Segment two = full(100);
    full(100);
    assertThat(segments.dead()).isNull();
    segments.live(two, -100);
    segments.live(one, -100);
    assertThat(segments.dead()).isSameAs(two);
    assertThat(segments.dead()).isSameAs(one);
    assertThat(segments.dead()).isNull();
  }

  @Test
  void whatIsOpenDiesWhenItIsClosed() {
    Segment one = full(100);
    segments.live(one, -100);
    assertThat(segments.dead()).isNull();
    full(100);
    assertThat(segments.dead()).isSameAs(one);
  }

  @Test
  void whatIsPinnedDiesWithItsLastPin() {
    Segment one = full(100);
    full(100);
    one.pins = 2;
    segments.live(one, -100);
    assertThat(segments.dead()).isNull();
    one.pins = 1;
    segments.unpinned(one);
    assertThat(segments.dead()).isNull();
    one.pins = 0;
    segments.unpinned(one);
    assertThat(segments.dead()).isSameAs(one);
  }

  @Test
  void whatLivesAgainIsNotDead() {
    Segment one = full(100);
    full(100);
    segments.live(one, -100);
    segments.live(one, 50);
    assertThat(segments.dead()).isNull();
    segments.live(one, -50);
    assertThat(segments.dead()).isSameAs(one);
  }

  @Test
  void whatWasEmptiedMeanwhileIsNotDead() {
    Segment one = full(100);
    full(100);
    segments.live(one, -100);
    segments.condemn(one);
    assertThat(segments.dead()).isNull();
  }

  @Test
  void endsAreUsedForWhatFitsThemBest() {
    Segment large = closed(segments, 20_000);
    Segment small = closed(segments, 5_000);
    Segment open = withRoom(30_000, 0);
    assertThat(open).isNotSameAs(large);
    assertThat(withRoom(4_000, 0)).isSameAs(small);
    assertThat(withRoom(6_000, 0)).isSameAs(large);
    small.used += 4_000;
    assertThat(withRoom(4_000, 0)).isSameAs(large);
    assertThat(withRoom(21_000, 0)).isSameAs(open);
  }

  @Test
  void anEndOfAnOlderLifeIsNotForWhatIsWrittenAnew() {
    Segment older = closed(segments, 5_000);
    Segment newer = closed(segments, 6_000);
    assertThat(withRoom(4_000, older.generation)).isSameAs(older);
    assertThat(withRoom(4_000, newer.generation)).isSameAs(newer);
    assertThat(withRoom(4_000, newer.generation + 1)).isNotIn(older, newer);
  }

  @Test
  void theSmallestOfTooManyEndsIsGivenUp() {
    Segments many = new Segments(Rests.MAX_ENDS + 10, BYTES);
    closed(many, Rests.MIN_BYTES);
    for (int i = 0; i < Rests.MAX_ENDS; i++) {
      closed(many, 10_000 + i);
    }
    Segment least = many.withRoom(100, Lane.PROBATION, 0, false, ++life);
    assertThat(BYTES - least.used).isEqualTo(10_000);
    least.used = BYTES - Rests.MIN_BYTES + 1;
    Segment another = closed(many, 9_000);
    assertThat(many.withRoom(100, Lane.PROBATION, 0, false, ++life))
        .as("what is used up made room for it")
        .isSameAs(another);
  }

  @Test
  void allThatStreamsLeaveIsUsed() {
    int streams = 100;
    Segments many = new Segments(streams + 3, BYTES);
    for (int i = 0; i < streams; i++) {
      closed(many, BYTES / 2);
    }
    for (int i = 0; i < streams; i++) {
      Segment segment = many.withRoom(60_000, Lane.PROBATION, 0, false, ++life);
      assertThat(segment.number).isLessThan(streams);
      segment.used = BYTES;
    }
    assertThat(many.freeCount()).isEqualTo(3);
  }

  @Test
  void nobodyIsGivenAnythingInWhatIsEmptied() {
    Segment end = closed(segments, 5_000);
    Segment half = closed(segments, BYTES / 2);
    assertThat(segments.oldest(Lane.PROBATION)).isSameAs(end);
    segments.condemn(end);
    assertThat(segments.oldest(Lane.PROBATION)).isSameAs(half);
    segments.condemn(half);
    Segment given = withRoom(4_000, 0);
    assertThat(given.used).isLessThan(5_000);
  }
}

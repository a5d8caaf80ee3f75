package io.loligo.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.Lane;
import org.junit.jupiter.api.Test;

final class SegmentsTest {
  private static final int BYTES = 1 << 18;

  private final Segments segments = new Segments(8, BYTES);

  /** The open segment, full. */
  private Segment full(int bytes) {
    Segment segment = segments.withRoom(bytes, Lane.PROBATION, false, 1);
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
}

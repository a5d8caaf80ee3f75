package io.loligo.store.disk.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.SegmentHeader;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.SystemMedium;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which segments are given out, written, dead and emptied. */
final class SegmentsTest {
  private static final int BYTES = 1 << 18;
  private static final int PAGE = Block.PAGE_BYTES;
  private static final Lane LANE = Lane.PROBATION;

  @TempDir Path temp;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final AtomicLong ids = new AtomicLong(100);
  private final List<SegmentBuffer> full = new ArrayList<>();
  private final List<Segment> sealed = new ArrayList<>();
  private final List<Segments> made = new ArrayList<>();
  private Marks marks;
  private Journal journal;
  private Segments segments;

  @BeforeEach
  void begin() throws IOException {
    marks = Marks.lock(temp);
    SystemMedium.SYSTEM.allocate(marks.journal(0), 1 << 16);
    Journal.create(marks.journal(0), SystemMedium.SYSTEM, 7, 0);
    journal =
        new Journal(marks, SystemMedium.SYSTEM, 7, 0, Journal.HEADER_BYTES, ReentrantLock::new);
    segments = segments(8);
  }

  private Segments segments(int count) {
    Segments many =
        new Segments(
            count,
            BYTES,
            new BufferPool(allocator, BYTES),
            ids::incrementAndGet,
            journal,
            new Segments.Writing() {
              @Override
              public void flush(SegmentBuffer buffer) {
                full.add(buffer);
              }

              @Override
              public void foot(Segment segment) {
                sealed.add(segment);
              }
            });
    made.add(many);
    return many;
  }

  @AfterEach
  void end() throws IOException {
    made.forEach(Segments::giveUpBuffers);
    assertThat(allocator.metric().usedDirectMemory()).as("buffers").isZero();
    journal.close();
    marks.close();
  }

  // Stream segments

  private Segment of(long place) {
    return segments.get(SlabPlace.segment(place));
  }

  /** A response with a segment of its own. */
  private long fullSegment(int slot) {
    Extent extent = segments.allocate(BYTES, LANE, false);
    segments.hold(extent.place(), 100, slot);
    segments.unpin(extent.place());
    return extent.place();
  }

  @Test
  void givesEachDeadSegmentToOneCallerOnly() {
    long one = fullSegment(1);
    long two = fullSegment(2);
    fullSegment(3);
    assertThat(segments.dead()).isNull();
    segments.let(two, 100);
    segments.let(one, 100);
    assertThat(segments.dead()).isSameAs(of(two));
    assertThat(segments.dead()).isSameAs(of(one));
    assertThat(segments.dead()).isNull();
  }

  @Test
  void anOpenSegmentDiesWhenItIsClosed() {
    Extent one = segments.allocate(BYTES / 2, LANE, false);
    segments.hold(one.place(), 100, 1);
    segments.let(one.place(), 100);
    segments.unpin(one.place());
    assertThat(segments.dead()).isNull();
    segments.allocate(BYTES / 2 + PAGE, LANE, false);
    assertThat(segments.dead()).isSameAs(of(one.place()));
  }

  @Test
  void aPinnedSegmentDiesWithItsLastPin() {
    Extent one = segments.allocate(BYTES / 2, LANE, false);
    Extent two = segments.allocate(BYTES / 2, LANE, false);
    segments.allocate(BYTES / 2, LANE, false);
    assertThat(of(two.place())).isSameAs(of(one.place()));
    segments.unpin(one.place());
    assertThat(segments.dead()).isNull();
    assertThat(segments.oldest(LANE)).isNull();
    segments.unpin(two.place());
    assertThat(segments.dead()).isSameAs(of(one.place()));
  }

  @Test
  void aReusedSegmentIsNotDead() {
    long one = fullSegment(1);
    segments.let(one, 100);
    segments.hold(one, 50, 2);
    assertThat(segments.dead()).isNull();
    segments.let(one, 50);
    assertThat(segments.dead()).isSameAs(of(one));
  }

  @Test
  void aSegmentEmptiedMeanwhileIsNotDeadButFree() {
    long one = fullSegment(1);
    int free = segments.freeCount();
    segments.let(one, 100);
    segments.condemn(of(one));
    assertThat(segments.dead()).isNull();
    assertThat(segments.freeCount()).isEqualTo(free + 1);
  }

  @Test
  void aPinnedSegmentIsFreeAfterItsEmptying() {
    Extent one = segments.allocate(BYTES, LANE, false);
    int free = segments.freeCount();
    segments.condemn(of(one.place()));
    assertThat(segments.freeCount()).isEqualTo(free);
    segments.unpin(one.place());
    assertThat(segments.freeCount()).isEqualTo(free + 1);
    assertThat(of(one.place()).lane).isNull();
  }

  @Test
  void theOldestLifeIsEmptiedFirst() {
    long one = fullSegment(1);
    long two = fullSegment(2);
    assertThat(segments.oldest(LANE)).isSameAs(of(one));
    segments.condemn(of(one));
    assertThat(segments.oldest(LANE)).isSameAs(of(two));
    assertThat(segments.oldest(Lane.MAIN)).isNull();
  }

  /** A segment that was open and has {@code rest} left. */
  private Segment closed(Segments many, int rest) {
    Extent extent = many.allocate(BYTES - rest, LANE, false);
    many.unpin(extent.place());
    return many.get(SlabPlace.segment(extent.place()));
  }

  @Test
  void endsAreUsedForTheBestFit() {
    Segment large = closed(segments, 5 * PAGE);
    Segment small = closed(segments, 2 * PAGE);
    Segment open = of(segments.allocate(8 * PAGE, LANE, false).place());
    assertThat(open).isNotIn(large, small);
    assertThat(of(segments.allocate(2 * PAGE, LANE, false).place())).isSameAs(small);
    assertThat(of(segments.allocate(3 * PAGE, LANE, false).place())).isSameAs(large);
    assertThat(of(segments.allocate(2 * PAGE, LANE, false).place())).isSameAs(large);
    assertThat(of(segments.allocate(PAGE, LANE, false).place())).isSameAs(open);
    assertThat(of(segments.allocate(PAGE, Lane.MAIN, false).place()).lane).isSameAs(Lane.MAIN);
  }

  @Test
  void theSmallestOfTooManyEndsIsGivenUp() {
    Segments many = segments(Rests.MAX_ENDS + 10);
    closed(many, PAGE);
    for (int i = 0; i < Rests.MAX_ENDS; i++) {
      closed(many, (2 + i) * PAGE);
    }
    many.allocate(BYTES - PAGE, LANE, false);
    Extent least = many.allocate(PAGE, LANE, false);
    assertThat(BYTES - SlabPlace.offset(least.place())).isEqualTo(2 * PAGE);
  }

  @Test
  void allThatStreamsLeaveIsUsed() {
    int streams = 10;
    Segments many = segments(streams + Segments.RESERVE);
    for (int i = 0; i < streams; i++) {
      closed(many, BYTES / 2 - PAGE);
    }
    for (int i = 0; i < streams; i++) {
      assertThat(many.allocate(BYTES / 2 - PAGE, LANE, false)).isNotNull();
    }
    assertThat(many.allocate(PAGE, LANE, false)).isNull();
    assertThat(many.freeCount()).isEqualTo(Segments.RESERVE);
  }

  @Test
  void nothingIsAllocatedInASegmentBeingEmptied() {
    Segment end = closed(segments, 5 * PAGE);
    closed(segments, BYTES / 2);
    closed(segments, PAGE);
    assertThat(segments.oldest(LANE)).isSameAs(end);
    segments.condemn(end);
    assertThat(of(segments.allocate(4 * PAGE, LANE, false).place()).number)
        .isNotEqualTo(end.number);
  }

  @Test
  void unusedAllocationsAreFreeAgain() {
    Extent one = segments.allocate(10 * PAGE, LANE, false);
    segments.trim(one, 3 * PAGE);
    Extent two = segments.allocate(PAGE, LANE, false);
    assertThat(SlabPlace.offset(two.place())).isEqualTo(3 * PAGE);
    segments.trim(one, PAGE);
    assertThat(SlabPlace.offset(segments.allocate(PAGE, LANE, false).place())).isEqualTo(4 * PAGE);
  }

  @Test
  void theReserveIsForMoves() {
    for (int i = 0; i < 8 - Segments.RESERVE; i++) {
      fullSegment(i);
    }
    assertThat(segments.allocate(BYTES, LANE, false)).isNull();
    assertThat(segments.reserve(64, 32, LANE, false, true)).isNull();
    assertThat(segments.allocate(BYTES, Lane.MAIN, true)).isNotNull();
    Room room = segments.reserve(64, 32, Lane.MAIN, true, true);
    assertThat(room).isNotNull();
    segments.done(room);
    assertThat(segments.freeCount()).isZero();
    assertThat(segments.allocate(BYTES, Lane.MAIN, true)).isNull();
  }

  // Packed segments

  private Room reserve(int bytes) {
    return segments.reserve(bytes, Contents.ENTRY_BYTES, LANE, false, true);
  }

  private Room fill(int bytes) {
    Room room = reserve(bytes);
    room.block().writeBytes(new byte[bytes]);
    segments.done(room);
    return room;
  }

  @Test
  void blocksStandOneBehindTheOther() {
    Room one = reserve(640);
    Room two = reserve(64);
    Room three = segments.reserve(64, 32, Lane.MAIN, false, true);
    assertThat(one.offset()).isEqualTo(Geometry.SEGMENT_HEADER_BYTES);
    assertThat(two.offset()).isEqualTo(one.offset() + 640);
    assertThat(two.version()).isGreaterThan(one.version());
    assertThat(one.version()).isGreaterThan(one.generation());
    assertThat(SlabPlace.segment(three.place())).isNotEqualTo(SlabPlace.segment(one.place()));
    segments.done(one);
    segments.done(two);
    segments.done(three);
  }

  @Test
  void aBufferIsWrittenWhenItIsClosedAndItsWritersAreThrough() {
    Room one = reserve(640);
    Room two = reserve(64);
    segments.closeBuffers(true);
    segments.done(two);
    assertThat(full).isEmpty();
    segments.done(one);
    assertThat(full).hasSize(1);
    SegmentBuffer buffer = full.get(0);
    assertThat(buffer.start()).isZero();
    assertThat(buffer.content().readableBytes()).isEqualTo(PAGE);
    assertThat(SegmentHeader.isOf(buffer.content(), one.generation())).isTrue();
    assertThat(segments.flushed(buffer)).as("not sealed").isFalse();
    Room three = reserve(64);
    assertThat(three.offset()).as("whole pages are written").isEqualTo(PAGE);
    assertThat(three.generation()).isEqualTo(one.generation());
    segments.done(three);
  }

  @Test
  void aBufferWaitsFromOneTickToTheNext() {
    fill(640);
    segments.closeBuffers(false);
    assertThat(full).isEmpty();
    fill(640);
    segments.closeBuffers(false);
    assertThat(full).hasSize(1);
    segments.flushed(full.get(0));
    segments.closeBuffers(false);
    segments.closeBuffers(false);
    assertThat(full).as("an empty one is not written").hasSize(1);
  }

  @Test
  void bytesInABufferAreReadFromThereUntilTheyAreWritten() {
    Room room = reserve(64);
    room.block().writeLong(77);
    ByteBuf into = Unpooled.buffer(64);
    assertThat(segments.read(room.place(), into, 64)).isTrue();
    assertThat(into.getLong(0)).isEqualTo(77);
    assertThat(segments.read(room.place() + 64, into, 64)).as("not given out").isFalse();
    assertThat(segments.read(SlabPlace.of(5, room.offset()), into, 64)).isFalse();
    segments.done(room);
    segments.closeBuffers(true);
    assertThat(segments.read(room.place(), into, 64)).isTrue();
    segments.flushed(full.get(0));
    assertThat(segments.read(room.place(), into, 64)).isFalse();
  }

  @Test
  void aSegmentWithABufferThatIsNotWrittenIsNotEmptied() {
    Room room = fill(640);
    segments.hold(room.place(), 640, 1);
    segments.closeAll();
    segments.let(room.place(), 640);
    assertThat(segments.dead()).isNull();
    assertThat(segments.oldest(LANE)).isNull();
    segments.flushed(full.get(0));
    assertThat(segments.oldest(LANE)).isSameAs(of(room.place()));
    assertThat(segments.dead()).isSameAs(of(room.place()));
  }

  /** Each entry takes a page of the footer here, so that one too many is noticed. */
  @Test
  void aSegmentIsSealedWhenItsFooterWouldNotFitAnyMore() {
    Segment first = of(fillWithEntry(128).place());
    int entries = PAGE;
    int end = 0;
    for (Room room = fillWithEntry(128); of(room.place()) == first; room = fillWithEntry(128)) {
      end = room.offset() + 128;
      entries += PAGE;
      assertThat(end + Segments.footerBytes(entries)).isLessThanOrEqualTo(BYTES);
    }
    assertThat(end + 128 + Segments.footerBytes(entries + PAGE)).isGreaterThan(BYTES);
    assertThat(first.sealed).isTrue();
    assertThat(sealed).as("it is not written yet").isEmpty();
    assertThat(segments.flushed(full.get(0))).as("the footer is due").isTrue();
    assertThat(segments.oldest(LANE)).as("until it is written").isNull();
    segments.unpin(SlabPlace.of(first.number, 0));
    assertThat(segments.oldest(LANE)).isSameAs(first);
  }

  private Room fillWithEntry(int bytes) {
    Room room = segments.reserve(bytes, PAGE, LANE, false, true);
    room.block().writeBytes(new byte[bytes]);
    segments.done(room);
    return room;
  }

  /** All of it was written when it was sealed. */
  @Test
  void aSegmentThatWasWrittenBeforeItIsSealedIsGivenItsFooterToo() {
    int third = 85_000; // no end is left that could be used
    Segment first = of(fill(third).place());
    segments.closeBuffers(true);
    segments.flushed(full.get(0));
    assertThat(sealed).isEmpty();
    Room room = fill(third);
    for (int i = 0; of(room.place()) == first; i++) {
      segments.closeBuffers(true);
      segments.flushed(full.get(full.size() - 1));
      assertThat(i).isLessThan(5);
      room = fill(third);
    }
    assertThat(sealed).containsExactly(first);
    assertThat(first.pins).isOne();
  }

  /** Fills the open segment except for an end of some 14,000 bytes. */
  private Segment leaveAnEnd() {
    Segment segment = of(fill(60_000).place());
    for (int i = 1; i < 4; i++) {
      assertThat(of(fill(60_000).place())).isSameAs(segment);
    }
    return segment;
  }

  @Test
  void theEndOfTheSegmentBeforeIsUsedForBlocksThatFit() {
    Segment first = leaveAnEnd();
    Segment second = of(fill(60_000).place());
    assertThat(second).isNotSameAs(first);
    Room small = fill(10_048);
    assertThat(of(small.place())).isSameAs(first);
    assertThat(small.offset()).isEqualTo(Geometry.SEGMENT_HEADER_BYTES + 4 * 60_000);
    assertThat(of(fill(10_048).place())).as("no room any more").isSameAs(second);
    assertThat(of(fill(1_024).place())).isSameAs(first);
    assertThat(first.sealed).isFalse();
    assertThat(segments.oldest(LANE)).as("it is open").isNull();
    assertThat(segments.snapshot().states()).noneMatch(Segments.State::written);
    assertThat(segments.reserve(64, 32, Lane.MAIN, false, true))
        .as("the other lane has ends of its own")
        .satisfies(room -> assertThat(of(room.place())).isNotIn(first, second))
        .satisfies(segments::done);
  }

  @Test
  void aSegmentIsSealedWhenTheNextOneLeavesItsEnd() {
    Segment first = leaveAnEnd();
    Segment second = leaveAnEnd();
    assertThat(first.sealed).isFalse();
    assertThat(full).isEmpty();
    Segment third = of(fill(60_000).place());
    assertThat(List.of(first.sealed, second.sealed)).containsExactly(true, false);
    assertThat(full).extracting(SegmentBuffer::segment).containsExactly(first);
    assertThat(of(fill(1_024).place())).isSameAs(second);
    assertThat(segments.flushed(full.get(0))).as("the footer is due").isTrue();
    segments.closeAll();
    assertThat(full).extracting(SegmentBuffer::segment).contains(first, second, third);
  }

  @Test
  void anEndIsUsedAfterItsBufferIsWritten() {
    Segment first = leaveAnEnd();
    fill(60_000);
    segments.closeBuffers(true);
    full.forEach(segments::flushed);
    assertThat(segments.oldest(LANE)).as("it is open").isNull();
    assertThat(segments.snapshot().states()).noneMatch(Segments.State::written);
    Room small = fill(1_024);
    assertThat(of(small.place())).isSameAs(first);
    assertThat(small.offset() % PAGE).isZero();
  }

  /** Where all buffers are in use, the one of the end is written, so that it comes back. */
  @Test
  void anEndGivesItsBufferUpForTheOpenSegment() {
    segments = segments(12);
    Segment last = null;
    for (int i = 0; i < BufferPool.MAX; i++) {
      last = leaveAnEnd();
    }
    assertThat(full).extracting(SegmentBuffer::segment).doesNotContain(last);
    assertThat(segments.reserve(60_000, 32, LANE, false, false)).isNull();
    assertThat(full).extracting(SegmentBuffer::segment).contains(last);
    List.copyOf(full).forEach(segments::flushed);
    Room room = segments.reserve(60_000, 32, LANE, false, false);
    assertThat(of(room.place())).isNotSameAs(last);
    segments.done(room);
  }

  @Test
  void aDiskThreadAlwaysGetsABufferAndOthersDoNot() {
    List<Room> rooms = new ArrayList<>();
    for (int i = 0; i < BufferPool.MAX; i++) {
      rooms.add(segments.reserve(60_000, 32, LANE, false, false));
      segments.closeBuffers(true);
    }
    assertThat(rooms).doesNotContainNull();
    assertThat(segments.reserve(64, 32, LANE, false, false)).isNull();
    Room room = segments.reserve(64, 32, LANE, false, true);
    assertThat(room).isNotNull();
    rooms.forEach(segments::done);
    segments.done(room);
    assertThat(full).hasSize(BufferPool.MAX);
    full.forEach(segments::flushed);
  }

  // Segments found at a start

  private record Said(Journal.Type type, long segment, long generation) {}

  @Test
  void theJournalRecordsOpenedAndFreedSegments() throws IOException {
    Segment packed = of(fill(64).place());
    long packedLife = packed.generation;
    long stream = fullSegment(1);
    long streamLife = of(stream).generation;
    segments.let(stream, 100);
    segments.condemn(of(stream));
    journal.flush();
    List<Said> said = new ArrayList<>();
    Journal.read(
        marks.journal(0),
        7,
        0,
        Journal.HEADER_BYTES,
        (type, lane, kind, a, b, c) -> {
          if (type == Journal.Type.OPEN) {
            assertThat(lane).isEqualTo(LANE.ordinal());
            assertThat(kind).isEqualTo((int) a == packed.number ? 0 : 1);
          }
          said.add(new Said(type, a, b));
        });
    assertThat(said)
        .containsExactly(
            new Said(Journal.Type.OPEN, packed.number, packedLife),
            new Said(Journal.Type.OPEN, SlabPlace.segment(stream), streamLife),
            new Said(Journal.Type.FREE, SlabPlace.segment(stream), streamLife));
    assertThat(streamLife).isGreaterThan(packedLife);
  }

  @Test
  void aSnapshotTellsWrittenBlocksFromUncertainOnes() {
    Room room = fill(640);
    fullSegment(1);
    Segments.Snapshot snapshot = segments.snapshot();
    assertThat(snapshot.states()).hasSize(2);
    assertThat(snapshot.states())
        .filteredOn(state -> state.number() == SlabPlace.segment(room.place()))
        .singleElement()
        .returns(false, Segments.State::written)
        .returns(room.offset() + 640, Segments.State::used)
        .returns(room.generation(), Segments.State::generation);
    assertThat(snapshot.states())
        .filteredOn(state -> state.kind() == Segment.Kind.STREAM)
        .singleElement()
        .returns(true, Segments.State::written);
    assertThat(segments.isOlderThanCheckpoint(room.version())).isTrue();
    Room later = fill(64);
    assertThat(later.version()).isGreaterThan(snapshot.nextId());
    assertThat(segments.isOlderThanCheckpoint(later.version())).isFalse();
  }

  @Test
  void foundSegmentsAreEmptiedInTheOrderOfTheirLives() {
    segments.found(5, LANE, Segment.Kind.PACKED, 30, BYTES);
    segments.found(2, LANE, Segment.Kind.STREAM, 10, BYTES);
    segments.found(4, Lane.MAIN, Segment.Kind.PACKED, 20, BYTES);
    segments.hold(SlabPlace.of(5, 64), 100, 1);
    segments.hold(SlabPlace.of(4, 64), 100, 2);
    segments.settle();
    assertThat(segments.freeCount()).isEqualTo(5);
    assertThat(segments.oldest(LANE).number).isEqualTo(2);
    assertThat(segments.dead().number).as("nothing was found in it").isEqualTo(2);
    assertThat(segments.dead()).isNull();
    segments.condemn(segments.get(2));
    assertThat(segments.oldest(LANE).number).isEqualTo(5);
    assertThat(segments.oldest(Lane.MAIN).number).isEqualTo(4);
    assertThat(segments.liveBytes(LANE)).isEqualTo(100);
    assertThat(of(fill(64).place()).number).as("nothing is added").isNotIn(4, 5);
  }

  @Test
  void notesAreOfOneLife() {
    long one = fullSegment(7);
    Segment segment = of(one);
    long life = segment.generation;
    segments.hold(one, 50, 9);
    assertThat(segments.noted(segment.number, life)).containsExactly(7, 9);
    assertThat(segments.noted(segment.number, life - 1)).isEmpty();
    segments.condemn(segment);
    assertThat(segments.noted(segment.number, life)).isEmpty();
  }
}

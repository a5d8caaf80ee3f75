package io.loligo.store.inflight;

import static io.loligo.store.StoreFixture.GAP;
import static io.loligo.store.StoreFixture.STREAM_BUFFER;
import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.probe;
import static io.loligo.store.inflight.SpoolingFixture.MAX_KEPT;
import static io.loligo.store.inflight.SpoolingFixture.URL;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.ManualLoops;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A response that goes to disk while it arrives. */
final class SpoolingTest {
  private static final long EVERYTHING = Long.MAX_VALUE;
  private static final int LENGTH = 3 << 20;
  private static final int LARGE = 10 << 20;

  private final byte[] bytes = bytes(LENGTH);
  private final byte[] large = bytes(LARGE);
  private final SpoolingFixture fixture = new SpoolingFixture(16 << 20);
  private final ManualLoops loops = new ManualLoops();
  private final ManualLoops.Loop home = loops.add();
  private final ManualLoops.Loop away = loops.add();
  private final SilentWriter writer = new SilentWriter();
  private InFlight flight;
  private int sent;

  @AfterEach
  void nothingIsLeft() {
    loops.runAll();
    assertThat(home.timers()).isZero();
    fixture.close();
  }

  private void begin() {
    home.call(() -> flight = fixture.begin(home, writer));
  }

  private void head(StoredMeta meta, long contentLength) {
    ByteBuf fields = fixture.base.fields("A: b\r\n\r\n");
    home.call(() -> flight.head(StoreFixture.head(), meta, true, fields, contentLength));
  }

  private RecordingSpool beginSpooled() {
    begin();
    head(meta(), LENGTH);
    return fixture.spool();
  }

  private RecordingSpool beginLarge() {
    begin();
    head(meta(), LARGE);
    return fixture.spool();
  }

  private void send(int count) {
    send(bytes, count);
  }

  private void send(byte[] from, int count) {
    ByteBuf buffer = fixture.base.buffer(from, sent, sent + count);
    sent += count;
    home.call(() -> flight.content(buffer));
  }

  /** Sends while there is room, at most up to {@code upTo}. */
  private void sendUpTo(int upTo) {
    sendUpTo(bytes, upTo);
  }

  private void sendUpTo(byte[] from, int upTo) {
    while (sent < upTo && wantsMore()) {
      send(from, Math.min(STREAM_BUFFER, upTo - sent));
    }
  }

  /** Sends up to {@code upTo} with a disk that does its work. */
  private void sendThrough(RecordingSpool spool, int upTo) {
    while (sent < upTo) {
      sendUpTo(upTo);
      assertThat(flow(spool) || wantsMore() || sent == upTo).isTrue();
    }
    while (flow(spool)) {}
  }

  /** The disk writes, and gives nothing back. */
  private boolean flow(RecordingSpool spool) {
    long before = spool.taken;
    spool.grant(STREAM_BUFFER);
    return spool.writeOne() || spool.taken > before;
  }

  private boolean wantsMore() {
    boolean[] wants = new boolean[1];
    home.call(() -> wants[0] = flight.wantsMore());
    return wants[0];
  }

  private void end() {
    home.call(() -> flight.end(null));
  }

  private void fail(Object cause) {
    home.call(() -> flight.fail(cause));
  }

  private void purge() {
    away.call(() -> fixture.flights.invalidate(key(URL)));
  }

  private RecordingReader reader(ManualLoops.Loop loop, long credit) {
    RecordingReader reader = new RecordingReader(loop);
    assertThat(reader.join(flight, false)).isTrue();
    if (credit > 0) {
      reader.request(credit);
    }
    loops.runAll();
    return reader;
  }

  private void assertGotAll(RecordingReader reader) {
    assertGotPrefix(reader, LENGTH);
    assertThat(reader.ended).isTrue();
  }

  private void assertGotAllOfLarge(RecordingReader reader) {
    assertThat(reader.count()).isEqualTo(LARGE);
    assertThat(Arrays.equals(reader.got(), 0, LARGE, large, 0, LARGE)).isTrue();
    assertThat(reader.ended).isTrue();
  }

  private void assertGotPrefix(RecordingReader reader, int count) {
    assertThat(reader.count()).isEqualTo(count);
    assertThat(Arrays.equals(reader.got(), 0, count, bytes, 0, count)).isTrue();
  }

  private void assertWritten(RecordingSpool spool, int count) {
    assertThat(spool.readable).isEqualTo(count);
    assertThat(Arrays.equals(spool.written(), 0, count, bytes, 0, count)).isTrue();
  }

  @Nested
  class Choosing {
    @Test
    void spoolsAResponseAnnouncedTooLargeForMemory() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(home, EVERYTHING);
      sendThrough(spool, LENGTH);
      end();
      spool.flowAll(loops);
      assertGotAll(reader);
      assertWritten(spool, LENGTH);
      assertThat(spool.found).isTrue();
      assertThat(spool.readsDone).isZero();
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void keepsAResponseThatFitsMemory() {
      begin();
      head(meta(), MAX_KEPT);
      send(MAX_KEPT);
      end();
      assertThat(fixture.spools).isEmpty();
      assertThat(fixture.inMemory()).isNotNull().satisfies(Entry::release);
    }

    @Test
    void spoolsAResponseThatOutgrowsMemoryFromItsFirstByte() {
      begin();
      RecordingReader reader = reader(away, EVERYTHING);
      head(meta(), -1);
      send(MAX_KEPT);
      assertThat(fixture.spools).isEmpty();
      send(1);
      RecordingSpool spool = fixture.spool();
      sendThrough(spool, LENGTH);
      end();
      spool.flowAll(loops);
      assertGotAll(reader);
      assertWritten(spool, LENGTH);
      assertThat(spool.meta.contentLength()).isEqualTo(LENGTH);
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void spoolsSmallContentThatMemoryDoesNotAccept() {
      fixture.memoryAccepts = false;
      begin();
      head(meta(), 10);
      send(10);
      end();
      fixture.spool().flowAll(loops);
      assertWritten(fixture.spool(), 10);
      assertThat(fixture.spool().found).isTrue();
    }

    @Test
    void spoolsAnEmptyResponseToo() {
      fixture.memoryAccepts = false;
      begin();
      head(meta(), 0);
      end();
      assertThat(fixture.spool().isEnding()).as("without waiting for credit").isTrue();
      assertThat(fixture.spool().land()).isTrue();
    }

    @Test
    void spoolsAResponseThatTransitHasNoRoomToKeep() {
      begin();
      head(meta(), MAX_KEPT);
      sendUpTo((int) (Spooling.FLOOR_BYTES + GAP));
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      RecordingReader reader = reader(home, EVERYTHING);
      while (sent < MAX_KEPT) {
        send(8 << 10);
        fixture.spools.forEach(spool -> spool.flowAll(loops));
      }
      end();
      fixture.spool().flowAll(loops);
      assertWritten(fixture.spool(), MAX_KEPT);
      assertThat(fixture.spool().found).isTrue();
      assertThat(reader.ended).isTrue();
      fixture.base.transit.release(free);
    }

    @Test
    void passesOnWhereNothingCanBeSetAsideForTheDisk() {
      begin();
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      head(meta(), LENGTH);
      RecordingReader reader = reader(home, EVERYTHING);
      send(1_000);
      assertThat(fixture.spools).isEmpty();
      assertThat(reader.got()).hasSize(1_000);
      fail("over");
      fixture.base.transit.release(free);
    }

    @Test
    void spoolsNothingThatIsNotStored() {
      begin();
      head(null, LENGTH);
      fail("over");
      begin();
      purge();
      head(meta(), LENGTH);
      fail("over");
      assertThat(fixture.spools).isEmpty();
    }

    @Test
    void passesOnAResponseThatTheDiskDoesNotTake() {
      fixture.diskAccepts = false;
      begin();
      RecordingReader reader = reader(home, EVERYTHING);
      head(meta(), -1);
      sendUpTo(LENGTH);
      end();
      assertGotAll(reader);
      assertThat(fixture.rejected).isEqualTo(1);
    }
  }

  @Nested
  class Pacing {
    @Test
    void arrivesAtTheDisksPaceWhileItsOnlyReaderStalls() {
      RecordingSpool spool = beginSpooled();
      RecordingReader stalled = reader(away, 1);
      while (sent < LENGTH) {
        sendUpTo(LENGTH);
        assertThat(flow(spool) || wantsMore()).as("goes on").isTrue();
        assertThat(fixture.base.activeBuffers()).isLessThanOrEqualTo(4);
        assertThat(fixture.base.transit.used()).isLessThanOrEqualTo(3 * STREAM_BUFFER + GAP);
      }
      end();
      spool.flowAll(loops);
      assertThat(spool.found).isTrue();
      stalled.cancel();
    }

    @Test
    void pausesWhereNeitherReaderNorDiskTakes() {
      RecordingSpool spool = beginSpooled();
      RecordingReader stalled = reader(away, 0);
      sendUpTo(LENGTH);
      assertThat(sent).isEqualTo(GAP);
      spool.grant(1);
      assertThat(writer.resumed).isEqualTo(1);
      sendUpTo(LENGTH);
      assertThat(writer.resumed).isEqualTo(1);
      stalled.request(GAP + 1);
      loops.runAll();
      assertThat(writer.resumed).isEqualTo(2);
      fail("over");
      stalled.cancel();
    }

    @Test
    void doesNotWaitForTheDiskWithinTheWindow() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      sendUpTo(LENGTH);
      end();
      assertGotAll(fast);
      assertThat(spool.taken).isZero();
      assertThat(home.timers()).isZero();
      spool.flowAll(loops);
      assertThat(spool.found).isTrue();
    }

    @Test
    void goesAtTheDisksPaceWhereAllReadersLeft() {
      RecordingSpool spool = beginSpooled();
      reader(home, EVERYTHING).cancel();
      sendUpTo(LENGTH);
      assertThat(sent).isEqualTo(GAP);
      sendThrough(spool, LENGTH);
      end();
      spool.flowAll(loops);
      assertThat(spool.found).isTrue();
    }

    @Test
    void storesAResponseForAFastClientOnASlowDisk() {
      RecordingSpool spool = beginLarge();
      RecordingReader fast = reader(home, EVERYTHING);
      long greatestLag = 0;
      while (sent < LARGE) {
        sendUpTo(large, LARGE);
        greatestLag = Math.max(greatestLag, sent - spool.readable);
        assertThat(home.timers()).as("while held back only").isEqualTo(wantsMore() ? 0 : 1);
        if (!wantsMore()) {
          assertThat(flow(spool)).isTrue();
        }
      }
      end();
      spool.flowAll(loops);
      assertThat(greatestLag).isEqualTo(Spooling.WINDOW_BYTES);
      assertGotAllOfLarge(fast);
      assertThat(spool.written()).isEqualTo(large);
      assertThat(spool.found).isTrue();
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void givesUpADiskThatStandsStillAtTheFirstCheck() {
      RecordingSpool spool = beginLarge();
      RecordingReader fast = reader(home, EVERYTHING);
      RecordingReader slow = reader(home, 1);
      sendUpTo(large, LARGE);
      assertThat(sent).isEqualTo((int) Spooling.WINDOW_BYTES);
      assertThat(home.timers()).isEqualTo(1);
      assertThat(home.fireOne()).isTrue();
      assertThat(home.timers()).isZero();
      assertThat(spool.isClosed()).isTrue();
      assertThat(fixture.rejected).isEqualTo(1);
      assertThat(slow.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(writer.resumed).isEqualTo(1);
      sendUpTo(large, LARGE);
      end();
      assertGotAllOfLarge(fast);
    }

    @Test
    void storesAResponseIfTheDiskAdvancesBeforeTheCheck() {
      RecordingSpool spool = beginLarge();
      RecordingReader fast = reader(home, EVERYTHING);
      spool.grant(1000);
      sendUpTo(large, LARGE);
      spool.grant(1);
      assertThat(home.fireOne()).as("it took something").isTrue();
      assertThat(home.timers()).isEqualTo(1);
      assertThat(spool.writeOne()).isTrue();
      assertThat(wantsMore()).as("a chunk less than a window behind").isTrue();
      assertThat(home.timers()).as("not held back").isZero();
      sendUpTo(large, LARGE);
      assertThat(spool.writeOne()).isTrue();
      assertThat(home.timers()).as("a little is still wanting").isEqualTo(1);
      assertThat(home.fireOne()).as("it wrote something").isTrue();
      assertThat(spool.isClosed()).isFalse();
      assertThat(home.timers()).isEqualTo(1);
      while (sent < LARGE) {
        sendUpTo(large, LARGE);
        assertThat(flow(spool) || wantsMore()).isTrue();
      }
      end();
      spool.flowAll(loops);
      assertGotAllOfLarge(fast);
      assertThat(spool.written()).isEqualTo(large);
      assertThat(spool.found).isTrue();
    }

    @Test
    void looksAfterTheDiskOnlyWhileSomebodyWaitsForIt() {
      RecordingSpool spool = beginLarge();
      RecordingReader reader = reader(home, EVERYTHING);
      sendUpTo(large, (int) Spooling.WINDOW_BYTES - STREAM_BUFFER);
      reader.cancel();
      RecordingReader behind = reader(home, Spooling.WINDOW_BYTES - 1);
      sendUpTo(large, LARGE);
      assertThat(wantsMore()).isFalse();
      assertThat(home.timers()).as("it has not got all there is").isZero();
      behind.request(1);
      assertThat(home.timers()).isEqualTo(1);
      behind.cancel();
      assertThat(home.timers()).isZero();
      fail("over");
      assertThat(spool.isClosed()).isTrue();
    }

    @Test
    void looksNoMoreAfterTheEnd() {
      RecordingSpool spool = beginLarge();
      RecordingReader reader = reader(home, EVERYTHING);
      sendUpTo(large, LARGE);
      assertThat(home.timers()).isEqualTo(1);
      fail("over");
      assertThat(home.timers()).isZero();
      assertThat(spool.isClosed()).isTrue();
      assertThat(reader.failure).isEqualTo("over");
    }

    @Test
    void looksNoMoreAfterTheDiskFailed() {
      RecordingSpool spool = beginLarge();
      RecordingReader reader = reader(home, EVERYTHING);
      sendUpTo(large, LARGE);
      assertThat(home.timers()).isEqualTo(1);
      spool.fail();
      assertThat(home.timers()).isZero();
      sendUpTo(large, LARGE);
      end();
      assertGotAllOfLarge(reader);
    }

    @Test
    void waitsEarlierWhereMemoryIsCrowded() {
      long half = fixture.base.transit.limit() / 2;
      fixture.base.transit.force(half);
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      sendUpTo(LENGTH);
      assertThat(sent).isEqualTo((int) Spooling.MIN_WINDOW_BYTES);
      sendThrough(spool, LENGTH);
      end();
      spool.flowAll(loops);
      assertGotAll(fast);
      assertThat(spool.found).isTrue();
      fixture.base.transit.release(half);
    }

    @Test
    void doesNotWaitForContentKeptBefore() {
      long half = fixture.base.transit.limit() / 2;
      fixture.base.transit.force(half);
      begin();
      RecordingReader fast = reader(home, EVERYTHING);
      head(meta(), -1);
      sendUpTo(MAX_KEPT + 1);
      assertThat(fixture.spool().taken).isZero();
      assertThat(wantsMore()).isFalse();
      fixture.spool().grant(STREAM_BUFFER);
      assertThat(fixture.spool().writeOne()).isTrue();
      assertThat(wantsMore()).isTrue();
      fail("over");
      assertThat(fast.failure).isEqualTo("over");
      fixture.base.transit.release(half);
    }

    @Test
    void goesOnWithItsFloorWhereTransitIsFull() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      RecordingReader slow = reader(home, 1);
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      long most = 0;
      while (sent < LENGTH) {
        sendUpTo(LENGTH);
        most = Math.max(most, fixture.base.transit.used());
        assertThat(flow(spool) || wantsMore()).isTrue();
        home.fireOne();
      }
      assertThat(most - fixture.base.transit.limit())
          .as("one read at most")
          .isLessThanOrEqualTo(STREAM_BUFFER);
      end();
      slow.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(fast);
      assertGotAll(slow);
      assertThat(spool.found).isTrue();
      assertThat(fixture.rejected).isZero();
      fixture.base.transit.release(free);
    }

    @Test
    void severalGoOnWithTheirFloorsWhereTransitIsFull() {
      InFlight[] flights = new InFlight[3];
      RecordingReader[] fast = new RecordingReader[flights.length];
      int[] sentOf = new int[flights.length];
      for (int i = 0; i < flights.length; i++) {
        var key = key(URL + i);
        home.call(() -> flight = fixture.flights.begin(key, true, home, writer, fixture));
        head(meta(), LENGTH);
        flights[i] = flight;
        fast[i] = reader(home, EVERYTHING);
      }
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      long most = 0;
      boolean moved = true;
      while (moved) {
        moved = false;
        for (int i = 0; i < flights.length; i++) {
          flight = flights[i];
          sent = sentOf[i];
          sendUpTo(LENGTH);
          most = Math.max(most, fixture.base.transit.used());
          moved |= sent > sentOf[i];
          sentOf[i] = sent;
          moved |= flow(fixture.spools.get(i));
        }
        home.fireOne();
      }
      assertThat(sentOf).containsOnly(LENGTH);
      assertThat(most - fixture.base.transit.limit())
          .as("one read of each at most")
          .isLessThanOrEqualTo((long) flights.length * STREAM_BUFFER);
      for (int i = 0; i < flights.length; i++) {
        flight = flights[i];
        end();
        RecordingSpool spool = fixture.spools.get(i);
        spool.flowAll(loops);
        assertGotAll(fast[i]);
        assertWritten(spool, LENGTH);
        assertThat(spool.found).isTrue();
      }
      assertThat(fixture.rejected).isZero();
      fixture.base.transit.release(free);
    }

    @Test
    void storesAllOfAResponseThatEndedWhileTheDiskWasStalled() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      sendUpTo(LENGTH);
      end();
      assertGotAll(fast);
      assertThat(spool.taken).isZero();
      assertThat(spool.land()).as("nothing of it is there").isFalse();
      assertThat(fixture.isFound(flight)).isTrue();
      while (spool.taken < LENGTH) {
        assertThat(spool.isOpen()).isTrue();
        spool.grant(STREAM_BUFFER);
      }
      assertThat(spool.isEnding()).isTrue();
      spool.flowAll(loops);
      assertWritten(spool, LENGTH);
      assertThat(spool.found).isTrue();
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void givesUpADiskThatTakesNothingWhereTransitIsFull() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      sendUpTo(LENGTH);
      assertThat(sent).isLessThanOrEqualTo((int) GAP + 2 * STREAM_BUFFER);
      assertThat(home.fireOne()).isTrue();
      assertThat(spool.isClosed()).isTrue();
      assertThat(fixture.rejected).isEqualTo(1);
      sendUpTo(LENGTH);
      end();
      assertGotAll(fast);
      fixture.base.transit.release(free);
    }

    @Test
    void givesUpTheDiskOfAWriterThatDoesNotWaitWhereTransitIsFull() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      long most = 0;
      while (sent < LENGTH) {
        send(Math.min(1000, LENGTH - sent));
        most = Math.max(most, fixture.base.transit.used() - fixture.base.transit.limit());
      }
      assertThat(most).isBetween(1L, 2 * Spooling.MAX_FORCED_BYTES);
      assertThat(spool.isClosed()).isTrue();
      end();
      assertGotAll(fast);
      fixture.base.transit.release(free);
    }

    @Test
    void copiesBuffersThatPinMuchMemoryAlsoIfTransitIsFull() {
      RecordingSpool spool = beginSpooled();
      reader(home, EVERYTHING);
      long free = fixture.base.transit.limit() - fixture.base.transit.used();
      fixture.base.transit.force(free);
      while (sent < GAP + 3 * STREAM_BUFFER) {
        ByteBuf roomy = fixture.base.allocator.directBuffer(STREAM_BUFFER);
        roomy.writeBytes(bytes, sent, 100);
        sent += 100;
        home.call(() -> flight.content(roomy));
      }
      assertThat(fixture.base.transit.used() - fixture.base.transit.limit())
          .isBetween(1L, 2L * (3 * STREAM_BUFFER));
      fail("over");
      assertThat(spool.isClosed()).isTrue();
      fixture.base.transit.release(free);
    }
  }

  @Nested
  class FallingBehind {
    @Test
    void readsFromMemoryWithinTheGap() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(away, 1);
      for (int upTo = (int) GAP; upTo < LENGTH; upTo += (int) GAP) {
        sendThrough(spool, upTo);
        reader.request(GAP);
        loops.runAll();
      }
      assertThat(reader.count()).isEqualTo(sent);
      assertThat(spool.readsUnderWay()).isZero();
      fail("over");
      loops.runAll();
    }

    @Test
    void readsFromDiskOneReadAtATimeWithinTheCredit() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(away, 1);
      sendThrough(spool, LENGTH);
      reader.request(100);
      loops.runAll();
      assertThat(spool.readsUnderWay()).isEqualTo(1);
      reader.request(EVERYTHING);
      loops.runAll();
      assertThat(spool.readsUnderWay()).isEqualTo(1);
      assertThat(spool.largestRead).isEqualTo(100);
      assertThat(spool.answer(60)).isTrue();
      loops.runAll();
      assertGotPrefix(reader, 61);
      end();
      spool.flowAll(loops);
      assertGotAll(reader);
      assertThat(spool.largestRead).isEqualTo(64 << 10);
    }

    @Test
    void readsFromDiskOnlyFromItsStart() {
      RecordingSpool spool = beginSpooled();
      sendThrough(spool, LENGTH);
      RecordingReader reader = reader(away, 0);
      reader.startAt(LENGTH / 2);
      reader.request(100);
      loops.runAll();
      assertThat(spool.readsUnderWay()).isEqualTo(1);
      assertThat(spool.answer(Integer.MAX_VALUE)).isTrue();
      loops.runAll();
      assertThat(spool.readsDone).isEqualTo(1);
      assertThat(reader.got()).isEqualTo(Arrays.copyOfRange(bytes, LENGTH / 2, LENGTH / 2 + 100));
      reader.cancel();
      end();
      spool.flowAll(loops);
    }

    @Test
    void readsFromMemoryAgainOnceItHasCaughtUp() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(home, 1);
      sendThrough(spool, LENGTH / 2);
      reader.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotPrefix(reader, LENGTH / 2);
      int reads = spool.readsDone;
      assertThat(reads).isPositive();
      sendUpTo(LENGTH);
      end();
      assertGotAll(reader);
      assertThat(spool.readsUnderWay()).isZero();
      spool.flowAll(loops);
      assertThat(spool.readsDone).isEqualTo(reads);
    }

    @Test
    void takesUnwrittenBytesFromMemory() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(home, 1);
      spool.grant(EVERYTHING);
      sendUpTo(LENGTH);
      assertThat(spool.writeOne()).isTrue();
      end();
      reader.request(EVERYTHING);
      assertThat(spool.answer(Integer.MAX_VALUE)).isTrue();
      assertGotAll(reader);
      spool.flowAll(loops);
    }

    @Test
    void doesNotGetBytesFromMemoryDuringTheDeliveryOfARead() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(home, 1);
      sendThrough(spool, LENGTH / 2);
      send(1000);
      int[] depth = new int[1];
      reader.onContent =
          () -> {
            assertThat(depth[0]++).isZero();
            reader.subscription.request(EVERYTHING);
            depth[0]--;
          };
      reader.request(LENGTH / 2 - 1);
      while (spool.answer(Integer.MAX_VALUE)) {}
      assertThat(depth[0]).isZero();
      assertGotPrefix(reader, LENGTH / 2 + 1000);
      fail("over");
    }

    @Test
    void goesOnFromDiskAfterItWasStored() {
      RecordingSpool spool = beginSpooled();
      RecordingReader one = reader(home, 1);
      RecordingReader other = reader(away, 1);
      sendThrough(spool, LENGTH - 1000);
      spool.grant(1000);
      send(1000);
      end();
      assertThat(spool.land()).isTrue();
      assertThat(fixture.isFound(flight)).isFalse();
      assertThat(fixture.base.transit.used()).as("the fields").isEqualTo(16);
      one.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(one);
      assertThat(spool.isClosed()).isFalse();
      other.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(other);
      assertThat(spool.isClosed()).isTrue();
    }

    @Test
    void closesOnlyTheReaderWhoseReadFails() {
      RecordingSpool spool = beginSpooled();
      RecordingReader unlucky = reader(home, 1);
      RecordingReader other = reader(home, 2);
      sendThrough(spool, LENGTH);
      end();
      unlucky.request(EVERYTHING);
      other.request(EVERYTHING);
      assertThat(spool.answerNothing()).isTrue();
      spool.flowAll(loops);
      assertThat(unlucky.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(unlucky.count()).isEqualTo(1);
      assertGotAll(other);
      assertThat(spool.found).isTrue();
    }

    @Test
    void maySayGoodbyeWhileItsReadIsUnderWay() {
      RecordingSpool spool = beginSpooled();
      RecordingReader reader = reader(away, 1);
      sendThrough(spool, LENGTH);
      end();
      spool.land();
      reader.request(EVERYTHING);
      loops.runAll();
      assertThat(spool.readsUnderWay()).isEqualTo(1);
      reader.cancel();
      loops.runAll();
      assertThat(spool.isClosed()).as("its read is under way").isFalse();
      spool.answer(Integer.MAX_VALUE);
      assertThat(spool.isClosed()).isTrue();
      assertThat(reader.count()).isEqualTo(1);
    }
  }

  @Nested
  class Joining {
    @Test
    void isJoinableFromTheFirstByteUntilItIsOnDisk() {
      RecordingSpool spool = beginSpooled();
      RecordingReader first = reader(home, EVERYTHING);
      sendThrough(spool, LENGTH / 2);
      RecordingReader late = reader(away, EVERYTHING);
      sendThrough(spool, LENGTH);
      RecordingReader later = reader(home, EVERYTHING);
      end();
      assertThat(first.ended).as("without waiting for the disk").isTrue();
      assertThat(fixture.isFound(flight)).isTrue();
      assertThat(wantsMore()).isFalse();
      RecordingReader last = reader(away, EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(first);
      assertGotAll(late);
      assertGotAll(later);
      assertGotAll(last);
      assertThat(fixture.isFound(flight)).isFalse();
      assertThat(new RecordingReader(home).join(flight, false)).isFalse();
    }

    @Test
    void isJoinedAfterItsEndBeforeTheDiskHasAnything() {
      RecordingSpool spool = beginSpooled();
      reader(home, EVERYTHING);
      sendUpTo(LENGTH);
      end();
      RecordingReader late = reader(away, EVERYTHING);
      assertGotAll(late);
      late.cancel();
      assertThat(writer.deserted).isZero();
      spool.flowAll(loops);
    }

    @Test
    void tellsTheWriterOfDesertionWhileItArrivesOnly() {
      RecordingSpool spool = beginSpooled();
      reader(home, 1).cancel();
      assertThat(writer.deserted).isEqualTo(1);
      sendThrough(spool, LENGTH);
      RecordingReader late = reader(home, 1);
      end();
      late.cancel();
      assertThat(writer.deserted).isEqualTo(1);
      spool.flowAll(loops);
      assertThat(spool.found).isTrue();
    }
  }

  @Nested
  class GivingUp {
    @Test
    void failsAfterTheArrivedBytesAlsoForLaggingReaders() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH / 2);
      sendUpTo(LENGTH / 2 + 1000);
      fail("reset");
      assertThat(fixture.isFound(flight)).isFalse();
      behind.request(EVERYTHING);
      loops.runAll();
      while (spool.answer(Integer.MAX_VALUE)) {
        loops.runAll();
      }
      assertGotPrefix(behind, LENGTH / 2 + 1000);
      assertThat(behind.failure).isEqualTo("reset");
      assertThat(spool.isClosed()).isTrue();
      assertThat(spool.meta).as("never ended").isNull();
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void closesAtOnceIfNoReaderLags() {
      RecordingSpool spool = beginSpooled();
      RecordingReader near = reader(home, 1);
      send(1000);
      fail("reset");
      assertThat(spool.isClosed()).isTrue();
      near.request(EVERYTHING);
      assertGotPrefix(near, 1000);
      assertThat(near.failure).isEqualTo("reset");
    }

    @Test
    void finishesAPurgedFetchForItsReaders() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH / 2);
      purge();
      assertThat(fixture.isFound(flight)).isFalse();
      sendThrough(spool, LENGTH);
      end();
      behind.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(behind);
      assertThat(spool.meta).as("never ended").isNull();
      assertThat(spool.isClosed()).isTrue();
      assertThat(fixture.rejected).isZero();
    }

    @Test
    void storesNothingThatIsPurgedOnItsWayToDisk() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH);
      end();
      assertThat(spool.isEnding()).isTrue();
      purge();
      assertThat(spool.land()).isTrue();
      assertThat(spool.found).isFalse();
      behind.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(behind);
    }

    @Test
    void cutsNoWaiterOfAFetchInvalidatedBeforeItsHead() {
      begin();
      RecordingReader ahead = reader(home, EVERYTHING);
      RecordingReader behind = reader(away, 1);
      purge();
      head(meta(), LENGTH);
      RecordingSpool spool = fixture.spool();
      sendThrough(spool, LENGTH);
      end();
      behind.request(EVERYTHING);
      spool.flowAll(loops);
      assertGotAll(ahead);
      assertGotAll(behind);
      assertThat(spool.meta).as("never ended").isNull();
      assertThat(spool.isClosed()).isTrue();
    }

    @Test
    void storesNeitherLessNorMoreThanWasAnnounced() {
      RecordingSpool shorter = beginSpooled();
      sendThrough(shorter, LENGTH - 1);
      end();
      assertThat(shorter.meta).isNull();
      begin();
      head(meta(), LENGTH);
      RecordingSpool longer = fixture.spools.get(1);
      sent = 0;
      sendThrough(longer, LENGTH - 1);
      sent = 0;
      send(2);
      assertThat(longer.isClosed()).isTrue();
      end();
      assertThat(fixture.rejected).as("not for lack of room").isZero();
    }

    @Test
    void endsWhenTheStoreIsClosed() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH);
      behind.request(EVERYTHING);
      loops.runAll();
      end();
      fixture.flights.close();
      loops.runAll();
      assertThat(behind.failure).isEqualTo(InFlight.Refusal.CLOSED);
      assertThat(spool.isClosed()).as("a read is under way").isFalse();
      spool.answerNothing();
      assertThat(spool.isClosed()).isTrue();
    }
  }

  @Nested
  class Failing {
    @Test
    void continuesForReadersInMemory() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      RecordingReader near = reader(away, LENGTH / 2 - 1000);
      RecordingReader behind = reader(away, 2);
      sendThrough(spool, LENGTH / 2);
      spool.fail();
      loops.runAll();
      assertThat(behind.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(fixture.rejected).isEqualTo(1);
      assertThat(spool.isClosed()).isTrue();
      near.request(EVERYTHING);
      loops.runAll();
      sendUpTo(LENGTH);
      end();
      loops.runAll();
      assertGotAll(fast);
      assertGotAll(near);
      assertThat(fixture.rejected).isEqualTo(1);
    }

    @Test
    void isPassedOnFromThenOn() {
      RecordingSpool spool = beginSpooled();
      RecordingReader only = reader(home, EVERYTHING);
      sendThrough(spool, LENGTH / 2);
      spool.fail();
      assertThat(new RecordingReader(home).join(flight, false)).isFalse();
      sendUpTo(LENGTH);
      end();
      assertGotAll(only);
      assertThat(fixture.spools).as("no second try").hasSize(1);
    }

    @Test
    void letsEverybodyGoOnWhereNothingHasLeftMemory() {
      RecordingSpool spool = beginSpooled();
      RecordingReader slow = reader(away, 1);
      send(STREAM_BUFFER);
      spool.fail();
      RecordingReader late = reader(home, EVERYTHING);
      send(1);
      slow.request(EVERYTHING);
      loops.runAll();
      assertGotPrefix(slow, sent);
      assertGotPrefix(late, sent);
      fail("over");
      loops.runAll();
    }

    @Test
    void mayFailWhileAReadIsUnderWay() {
      RecordingSpool spool = beginSpooled();
      RecordingReader fast = reader(home, EVERYTHING);
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH / 2);
      behind.request(EVERYTHING);
      loops.runAll();
      spool.fail();
      loops.runAll();
      assertThat(behind.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(spool.isClosed()).as("a read is under way").isFalse();
      assertThat(spool.answer(Integer.MAX_VALUE)).isTrue();
      assertThat(spool.isClosed()).isTrue();
      sendUpTo(LENGTH);
      end();
      assertGotAll(fast);
    }

    @Test
    void isFoundNoMoreWhereItFailsAfterTheEnd() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      RecordingReader fast = reader(home, EVERYTHING);
      sendThrough(spool, LENGTH);
      spool.flowAll(loops);
      end();
      assertThat(fixture.isFound(flight)).isTrue();
      spool.fail();
      loops.runAll();
      assertThat(fixture.isFound(flight)).isFalse();
      assertThat(behind.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(fixture.rejected).isEqualTo(1);
      assertGotAll(fast);
    }

    @Test
    void isNotARejectionAfterItWasStored() {
      RecordingSpool spool = beginSpooled();
      RecordingReader behind = reader(away, 1);
      sendThrough(spool, LENGTH);
      end();
      spool.land();
      spool.fail();
      loops.runAll();
      assertThat(behind.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(fixture.rejected).isZero();
    }
  }

  /** RFC 9111 section 3.3: the bytes that arrived are stored as a part. */
  @Nested
  class BreakingOff {
    private StoredMeta tagged() {
      byte[] tag = {'"', 'a', '"'};
      return StoredMeta.builder(200).lifetimeSeconds(60).etag(tag).contentLength(LENGTH).build();
    }

    private boolean[] await() {
      boolean[] told = new boolean[1];
      away.call(() -> flight.awaitPart(away, () -> told[0] = true));
      loops.runAll();
      return told;
    }

    @Test
    void arrivedBytesGoToDiskAndAreWaitedFor() {
      begin();
      head(tagged(), LENGTH);
      RecordingReader reader = reader(home, EVERYTHING);
      send((int) GAP);
      fail("broken");
      loops.runAll();
      assertThat(reader.failure).as("its client does not wait for the disk").isEqualTo("broken");
      assertThat(fixture.isFound(flight)).isFalse();
      assertThat(fixture.flights.landingPart(probe(URL))).isSameAs(flight);
      boolean[] told = await();
      assertThat(told[0]).isFalse();
      fixture.spool().flowAll(loops);
      assertWritten(fixture.spool(), (int) GAP);
      assertThat(fixture.spool().meta.part()).isEqualTo(new ContentPart(0, GAP));
      assertThat(fixture.spool().meta.contentLength()).isEqualTo(LENGTH);
      assertThat(fixture.spool().found).isTrue();
      assertThat(told[0]).isTrue();
      assertThat(fixture.flights.landingPart(probe(URL))).isNull();
      assertThat(await()[0]).as("told at once by now").isTrue();
    }

    @Test
    void bytesKeptForMemoryGoToDisk() {
      begin();
      head(tagged().withContentLength(1000), 1000);
      send(400);
      assertThat(fixture.spools).isEmpty();
      fail("broken");
      fixture.spool().flowAll(loops);
      assertWritten(fixture.spool(), 400);
      assertThat(fixture.spool().meta.part()).isEqualTo(new ContentPart(0, 400));
      assertThat(fixture.inMemory()).isNull();
    }

    @Test
    void memoryHasItWhereNoDiskTakesIt() {
      fixture.diskAccepts = false;
      begin();
      head(tagged().withContentLength(1000), 1000);
      send(400);
      fail("broken");
      Entry entry = fixture.inMemory();
      assertThat(entry.meta().part()).isEqualTo(new ContentPart(0, 400));
      entry.release();
    }

    @Test
    void aPartGoesToDiskHoweverSmallItIs() {
      begin();
      head(tagged().withPart(new ContentPart(5, 15)), 10);
      send(10);
      assertThat(fixture.flights.landingPart(probe(URL)))
          .as("before its client can ask again")
          .isSameAs(flight);
      end();
      fixture.spool().flowAll(loops);
      assertThat(fixture.spool().meta.part()).isEqualTo(new ContentPart(5, 15));
      assertThat(fixture.flights.landingPart(probe(URL))).isNull();
    }

    @Test
    void nothingOfAPurgedFetchIsStored() {
      begin();
      head(tagged(), LENGTH);
      send((int) GAP);
      fail("broken");
      boolean[] told = await();
      purge();
      fixture.spool().flowAll(loops);
      assertThat(fixture.spool().found).isFalse();
      assertThat(told[0]).isTrue();
    }

    @Test
    void waitersAreToldWhereTheDiskFails() {
      begin();
      head(tagged(), LENGTH);
      send((int) GAP);
      fail("broken");
      boolean[] told = await();
      fixture.spool().fail();
      loops.runAll();
      assertThat(told[0]).isTrue();
    }

    @Test
    void withoutAStrongTagNothingIsStored() {
      RecordingSpool spool = beginSpooled();
      send((int) GAP);
      fail("broken");
      loops.runAll();
      assertThat(spool.isEnding()).isFalse();
      assertThat(spool.isClosed()).isTrue();
    }

    @Test
    void allFetchesBreakOffWhenTheStoreEnds() {
      begin();
      head(tagged(), LENGTH);
      send((int) GAP);
      fixture.flights.breakOff("closing");
      loops.runAll();
      fixture.spool().flowAll(loops);
      assertThat(fixture.spool().found).isTrue();
    }
  }
}

package io.loligo.store.inflight;

import static io.loligo.store.StoreFixture.GAP;
import static io.loligo.store.StoreFixture.STREAM_BUFFER;
import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.content;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.store.ManualLoops;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class InFlightTest {
  private static final int SMALL_READ = 4_000;
  private static final String URL = "http://a/";
  private static final long EVERYTHING = Long.MAX_VALUE;

  private final StoreFixture fixture = new StoreFixture();
  private final ManualLoops loops = new ManualLoops();
  private final ManualLoops.Loop home = loops.add();
  private final ManualLoops.Loop away = loops.add();
  private final SilentWriter writer = new SilentWriter();
  private InFlight flight;

  @AfterEach
  void nothingIsLeft() {
    loops.runAll();
    fixture.close();
  }

  private void begin() {
    home.call(() -> flight = fixture.store.begin(key(URL), true, home, writer));
  }

  private void head(StoredMeta meta, boolean shareable, long contentLength) {
    ByteBuf fields = fixture.fields("A: b\r\n\r\n");
    home.call(() -> flight.head(StoreFixture.head(), meta, shareable, fields, contentLength));
  }

  private void beginStored(long contentLength) {
    begin();
    head(meta(), true, contentLength);
  }

  private void beginPassedOn() {
    begin();
    head(null, true, -1);
  }

  private void content(byte[] bytes, int from, int to) {
    ByteBuf buffer = fixture.buffer(bytes, from, to);
    home.call(() -> flight.content(buffer));
  }

  private void end() {
    home.call(() -> flight.end(null));
  }

  private void fail(Object cause) {
    home.call(() -> flight.fail(cause));
  }

  private boolean wantsMore() {
    boolean[] wants = new boolean[1];
    home.call(() -> wants[0] = flight.wantsMore());
    return wants[0];
  }

  private RecordingReader reader(ManualLoops.Loop loop, boolean cause, long credit) {
    RecordingReader reader = new RecordingReader(loop);
    assertThat(reader.join(flight, cause)).isTrue();
    if (credit > 0) {
      reader.request(credit);
    }
    return reader;
  }

  private Entry stored() {
    return fixture.store.find(probe(URL), noFields());
  }

  @Nested
  class Delivering {
    @ParameterizedTest
    @ValueSource(ints = {-1, 200_000})
    void givesEveryReaderTheSameBytesAtItsOwnPace(int announced) {
      byte[] bytes = bytes(200_000);
      begin();
      RecordingReader eager = reader(home, true, EVERYTHING);
      RecordingReader distant = reader(away, false, EVERYTHING);
      RecordingReader slow = reader(away, false, 0);
      head(meta(), true, announced);
      for (int at = 0; at < bytes.length; at += 10_000) {
        content(bytes, at, at + 10_000);
        slow.request(777);
        loops.runAll();
      }
      RecordingReader late = reader(home, false, EVERYTHING);
      loops.runAll();
      assertThat(late.got()).isEqualTo(bytes);
      end();
      loops.runAll();
      assertThat(eager.got()).isEqualTo(bytes);
      assertThat(distant.got()).isEqualTo(bytes);
      assertThat(slow.got()).isEqualTo(Arrays.copyOf(bytes, 20 * 777));
      assertThat(slow.ended).isFalse();
      slow.request(EVERYTHING);
      loops.runAll();
      assertThat(slow.got()).isEqualTo(bytes);
      assertThat(List.of(eager, distant, slow, late)).allMatch(reader -> reader.ended);
    }

    /** Of another node of a cluster: mostly head and content come in one read. */
    @Test
    void aSmallResponseThatOnlyPassesIsNotCopied() {
      int length = (int) Math.min(Intake.BRIEF_BYTES, GAP);
      byte[] bytes = bytes(length + 1);
      for (int announced : new int[] {length, length + 1}) {
        begin();
        RecordingReader eager = reader(home, true, EVERYTHING);
        RecordingReader slow = announced == length ? null : reader(home, false, 0);
        head(meta().withFlag(StoredMeta.PASSING), true, announced);
        home.call(flight::doNotStore);
        content(bytes, 0, length);
        boolean copied = announced > length;
        assertThat(fixture.store.stats().transitBytes() > length).isEqualTo(copied);
        assertThat(eager.got()).hasSize(length);
        RecordingReader late = new RecordingReader(home);
        assertThat(late.join(flight, false)).as("all of it is there").isEqualTo(copied);
        content(bytes, length, announced);
        end();
        loops.runAll();
        assertThat(eager.ended).isTrue();
        assertThat(eager.got()).isEqualTo(Arrays.copyOf(bytes, announced));
        if (slow != null) {
          slow.request(EVERYTHING);
          late.request(EVERYTHING);
          loops.runAll();
          assertThat(late.got()).isEqualTo(bytes);
          assertThat(slow.got()).isEqualTo(bytes);
        }
        assertThat(stored()).isNull();
      }
    }

    /** Those that came before its first byte. */
    @Test
    void aSmallResponseThatOnlyPassesWaitsForSlowReaders() {
      byte[] bytes = bytes(4_000);
      begin();
      head(meta().withFlag(StoredMeta.PASSING), true, 4_000);
      home.call(flight::doNotStore);
      RecordingReader eager = reader(home, true, EVERYTHING);
      RecordingReader slow = reader(away, false, 0);
      loops.runAll();
      content(bytes, 0, 2_000);
      content(bytes, 2_000, 4_000);
      end();
      loops.runAll();
      assertThat(eager.got()).isEqualTo(bytes);
      assertThat(slow.count()).isZero();
      slow.request(EVERYTHING);
      loops.runAll();
      assertThat(slow.got()).isEqualTo(bytes);
      assertThat(slow.ended).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesOutBytesBeforeTheStart(boolean kept) {
      byte[] bytes = bytes(200_000);
      if (kept) {
        beginStored(bytes.length);
      } else {
        beginPassedOn();
      }
      List<RecordingReader> readers = new ArrayList<>();
      for (ManualLoops.Loop loop : List.of(home, away)) {
        for (int start : new int[] {0, 1, 60_000, 199_999}) {
          RecordingReader reader = reader(loop, false, 0);
          reader.startAt(start);
          reader.request(EVERYTHING);
          readers.add(reader);
        }
      }
      loops.runAll();
      assertThat(flight.progress()).isZero();
      content(bytes, 0, 70_000);
      content(bytes, 70_000, bytes.length);
      assertThat(flight.progress()).isEqualTo(bytes.length);
      end();
      loops.runAll();
      for (int i = 0; i < readers.size(); i++) {
        int start = new int[] {0, 1, 60_000, 199_999}[i % 4];
        assertThat(readers.get(i).got()).isEqualTo(Arrays.copyOfRange(bytes, start, bytes.length));
        assertThat(readers.get(i).ended).isTrue();
      }
    }

    @Test
    void leavesOutBytesThatTheOnlyReaderDoesNotWant() {
      byte[] bytes = bytes(10_000);
      beginPassedOn();
      RecordingReader reader = reader(home, true, 0);
      reader.startAt(5_000);
      reader.request(EVERYTHING);
      loops.runAll();
      for (int at = 0; at < bytes.length; at += 2_000) {
        content(bytes, at, at + 2_000);
      }
      end();
      loops.runAll();
      assertThat(reader.got()).isEqualTo(Arrays.copyOfRange(bytes, 5_000, bytes.length));
    }

    @Test
    void cutsNoWaiterOfAFetchInvalidatedBeforeItsHead() {
      byte[] bytes = bytes(200_000);
      begin();
      RecordingReader eager = reader(home, true, EVERYTHING);
      RecordingReader slow = reader(away, false, 0);
      loops.runAll();
      home.call(flight::doNotStore);
      head(meta(), true, bytes.length);
      for (int at = 0; at < bytes.length; at += 10_000) {
        content(bytes, at, at + 10_000);
      }
      end();
      slow.request(EVERYTHING);
      loops.runAll();
      assertThat(eager.got()).isEqualTo(bytes);
      assertThat(slow.got()).isEqualTo(bytes);
      assertThat(stored()).isNull();
    }

    @Test
    void tellsTheHeadToPresentAndLaterReaders() {
      begin();
      RecordingReader waiting = reader(away, false, 0);
      loops.runAll();
      assertThat(waiting.head).isNull();
      head(meta(), true, 5);
      loops.runAll();
      assertThat(waiting.head.contentLength()).isEqualTo(5);
      RecordingReader coming = reader(home, false, 0);
      loops.runAll();
      assertThat(coming.head).isSameAs(waiting.head);
      fail("over");
      loops.runAll();
    }

    @Test
    void deliversWithinTheCreditOnly() {
      beginStored(-1);
      RecordingReader reader = reader(home, true, 10);
      content(bytes(100), 0, 100);
      assertThat(reader.count()).isEqualTo(10);
      reader.request(15);
      assertThat(reader.count()).isEqualTo(25);
      end();
      assertThat(reader.ended).isFalse();
      reader.request(EVERYTHING);
      assertThat(reader.got()).isEqualTo(bytes(100));
      assertThat(reader.ended).isTrue();
    }

    @Test
    void storesBeforeAReaderHasTheLastByte() {
      beginStored(100);
      RecordingReader reader = reader(home, true, EVERYTHING);
      reader.onContent =
          () -> {
            if (reader.count() == 100) {
              Entry entry = stored();
              assertThat(entry).isNotNull();
              entry.release();
            }
          };
      content(bytes(100), 0, 60);
      assertThat(reader.count()).isEqualTo(60);
      content(bytes(100), 60, 100);
      end();
      assertThat(reader.got()).isEqualTo(bytes(100));
      assertThat(reader.ended).isTrue();
    }

    @Test
    void takesCreditThatIsGivenWhileItDelivers() {
      beginStored(100_000);
      RecordingReader reader = reader(home, true, 0);
      reader.autoCredit = 1;
      reader.request(1000);
      content(bytes(100_000), 0, 100_000);
      end();
      assertThat(reader.got()).isEqualTo(bytes(100_000));
      assertThat(reader.ended).isTrue();
    }

    @Test
    void tellsThatAReaderHasCaughtUpOnceForPiecesThatComeTogether() {
      byte[] bytes = bytes(200_000);
      beginStored(200_000);
      RecordingReader present = reader(home, true, EVERYTHING);
      RecordingReader distant = reader(away, false, EVERYTHING);
      loops.runAll();
      content(bytes, 0, 150_000); // three blocks
      loops.runAll();
      content(bytes, 150_000, 200_000);
      end();
      loops.runAll();
      assertThat(List.of(present, distant))
          .allMatch(reader -> reader.ended)
          .allMatch(reader -> reader.caughtUp.equals(List.of(150_000)));
    }

    @Test
    void takesCreditThatIsGivenWhileItTellsThatAReaderHasCaughtUp() {
      byte[] bytes = bytes(1_000);
      beginStored(1_000);
      RecordingReader reader = reader(home, true, 300);
      reader.onCaughtUp = () -> reader.subscription.request(300);
      content(bytes, 0, 1_000);
      end();
      assertThat(reader.ended).isTrue();
      assertThat(reader.caughtUp).containsExactly(300, 600, 900);
    }

    @Test
    void hasCaughtUpBeforeItHearsOfAFailure() {
      beginStored(1_000);
      RecordingReader reader = reader(home, true, EVERYTHING);
      home.call(
          () -> {
            flight.content(fixture.buffer(bytes(1_000), 0, 500));
            flight.fail("cause");
          });
      assertThat(reader.failure).isEqualTo("cause");
      assertThat(reader.caughtUp).containsExactly(500);
    }

    @Test
    void givesLateReadersACopyOfTheTrailers() {
      beginStored(10);
      RecordingReader reader = reader(away, true, 0);
      loops.runAll();
      content(bytes(10), 0, 10);
      byte[] scratch = "A:b".getBytes(StandardCharsets.ISO_8859_1);
      Fields trailers = noFields();
      trailers.clear(scratch);
      trailers.add(FieldName.OTHER, 0, 1, 2, 3);
      home.call(() -> flight.end(trailers));
      Arrays.fill(scratch, (byte) 0);
      trailers.clear(scratch);
      reader.request(EVERYTHING);
      loops.runAll();
      assertThat(reader.trailers.value(0)).isEqualTo("b");
    }

    @Test
    void deliversTheBytesBeforeAFailure() {
      beginStored(100);
      RecordingReader reader = reader(home, true, 10);
      content(bytes(100), 0, 50);
      fail("reset");
      assertThat(reader.failure).isNull();
      reader.request(EVERYTHING);
      assertThat(reader.got()).isEqualTo(Arrays.copyOf(bytes(100), 50));
      assertThat(reader.failure).isEqualTo("reset");
      assertThat(stored()).isNull();
    }

    @Test
    void keepsTheFieldsWhileAReaderIsSubscribed() {
      beginStored(0);
      RecordingReader reader = reader(away, true, 0);
      home.runOne();
      ByteBuf fields = fixtureFields();
      end();
      assertThat(fields.refCnt()).isPositive();
      assertThat(reader.head).isNull();
      away.runOne();
      assertThat(reader.head.fields().refCnt()).isPositive();
      loops.runAll();
      assertThat(reader.ended).isTrue();
      assertThat(fields.refCnt()).isZero();
    }

    private ByteBuf fixtureFields() {
      RecordingReader probe = reader(home, false, 0);
      home.runOne();
      ByteBuf fields = probe.head.fields();
      probe.cancel();
      return fields;
    }

    @Test
    void survivesAReaderThatThrows() {
      begin();
      RecordingReader broken = reader(home, true, EVERYTHING);
      broken.onContent =
          () -> {
            throw new IllegalStateException("on purpose");
          };
      RecordingReader sound = reader(home, false, EVERYTHING);
      head(meta(), true, 10);
      content(bytes(10), 0, 10);
      end();
      assertThat(sound.got()).isEqualTo(bytes(10));
      assertThat(broken.ended).isFalse();
    }

    @Test
    void survivesAReaderWhoseLoopIsShutDown() {
      beginStored(10);
      RecordingReader reader = reader(away, true, EVERYTHING);
      home.runOne();
      away.refuse();
      content(bytes(10), 0, 10);
      end();
      while (away.runOne()) {}
      assertThat(stored()).isNotNull().satisfies(Entry::release);
      reader.subscription.cancel();
    }
  }

  @Nested
  class Storing {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 65_527, 65_528, 65_529, 70_000, 131_064, 524_288})
    void storesACompleteResponse(int length) {
      byte[] bytes = bytes(length);
      for (long announced : new long[] {length, -1}) {
        beginStored(announced);
        for (int at = 0; at < length; at += 7001) {
          content(bytes, at, Math.min(length, at + 7001));
        }
        end();
        Entry entry = stored();
        assertThat(StoreFixture.content(entry)).isEqualTo(bytes);
        assertThat(entry.meta().contentLength()).isEqualTo(length);
        entry.release();
      }
      assertThat(fixture.transit.used()).isZero();
    }

    @Test
    void wastesLittleWhereTheLengthWasUnknown() {
      beginStored(-1);
      content(bytes(70_000), 0, 70_000);
      end();
      assertThat(fixture.store.stats().memoryBytes()).isLessThan(70_000 * 5 / 4);
    }

    @Test
    void neverStoresATruncatedResponse() {
      beginStored(100);
      content(bytes(100), 0, 99);
      end();
      assertThat(stored()).isNull();
    }

    @Test
    void neverStoresMoreThanWasAnnounced() {
      beginStored(100);
      content(bytes(101), 0, 101);
      end();
      assertThat(stored()).isNull();
    }

    @Test
    void neverStoresAFailedFetch() {
      beginStored(100);
      content(bytes(100), 0, 100);
      fail("reset");
      assertThat(stored()).isNull();
    }

    @Test
    void doesNotStoreWithoutMeta() {
      beginPassedOn();
      RecordingReader reader = reader(home, true, EVERYTHING);
      content(bytes(100), 0, 100);
      end();
      assertThat(reader.got()).isEqualTo(bytes(100));
      loops.runAll();
      assertThat(reader.ended).isTrue();
      assertThat(stored()).isNull();
    }

    @Test
    void isStoredBeforeItIsNoLongerInFlight() {
      beginStored(10);
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isSameAs(flight);
      content(bytes(10), 0, 10);
      assertThat(stored()).isNull();
      end();
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isNull();
      assertThat(stored()).isNotNull().satisfies(Entry::release);
    }

    @Test
    void doesNotStoreAResponsePurgedMeanwhile() {
      beginStored(10);
      RecordingReader reader = reader(home, true, EVERYTHING);
      content(bytes(10), 0, 5);
      assertThat(fixture.store.remove(key(URL))).isZero();
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isNull();
      content(bytes(10), 5, 10);
      end();
      loops.runAll();
      assertThat(reader.got()).isEqualTo(bytes(10));
      assertThat(reader.ended).isTrue();
      assertThat(stored()).isNull();
    }

    @Test
    void purgesFetchesThatCannotBeJoinedToo() {
      begin();
      InFlight first = flight;
      begin();
      fixture.store.clear();
      head(meta(), true, 0);
      end();
      home.call(() -> first.fail("over"));
      assertThat(stored()).isNull();
    }

    @Test
    void runsAheadOfReadersWhileItIsKept() {
      beginStored(500_000);
      RecordingReader stalled = reader(home, true, 1);
      byte[] bytes = bytes(500_000);
      for (int at = 0; at < bytes.length; at += 50_000) {
        assertThat(wantsMore()).isTrue();
        content(bytes, at, at + 50_000);
      }
      end();
      assertThat(stored()).isNotNull().satisfies(Entry::release);
      assertThat(fixture.transit.used()).as("the fields; the tier has the rest").isEqualTo(16);
      stalled.cancel();
    }

    @Test
    void outgrowsTheLimitAndIsPassedOn() {
      beginStored(-1);
      RecordingReader reader = reader(home, true, 100_000);
      byte[] bytes = bytes(700_000);
      int at = 0;
      while (wantsMore()) {
        content(bytes, at, at + 50_000);
        at += 50_000;
      }
      assertThat(at).isEqualTo(550_000);
      reader.request(EVERYTHING);
      loops.runAll();
      assertThat(reader.count()).isEqualTo(at);
      assertThat(writer.resumed).isEqualTo(1);
      content(bytes, at, bytes.length);
      end();
      assertThat(reader.got()).isEqualTo(bytes);
      assertThat(stored()).isNull();
      assertThat(fixture.store.stats().rejections()).isEqualTo(1);
    }

    @Test
    void isPassedOnWhereTransitHasNoRoom() {
      beginStored(500_000);
      RecordingReader reader = reader(home, true, EVERYTHING);
      long free = fixture.transit.limit() - fixture.transit.used();
      fixture.transit.force(free);
      byte[] bytes = bytes(500_000);
      content(bytes, 0, 300_000);
      content(bytes, 300_000, 500_000);
      end();
      loops.runAll();
      assertThat(reader.got()).isEqualTo(bytes);
      assertThat(stored()).isNull();
      fixture.transit.release(free);
    }

    @Test
    void sharesItsBlocksWithTheEntryAfterItWasEvicted() {
      beginStored(200_000);
      RecordingReader slow = reader(home, true, 1);
      content(bytes(200_000), 0, 200_000);
      end();
      fixture.store.clear();
      assertThat(fixture.store.stats().pinnedBytes()).isPositive();
      loops.runAll();
      slow.request(EVERYTHING);
      assertThat(slow.got()).isEqualTo(bytes(200_000));
      assertThat(fixture.store.stats().memoryBytes()).isZero();
    }
  }

  @Nested
  class PassingOn {
    @Test
    void boundsASingleStalledReader() {
      beginPassedOn();
      RecordingReader reader = reader(home, true, 1);
      loops.runAll();
      byte[] block = bytes(STREAM_BUFFER);
      int blocks = 0;
      while (wantsMore()) {
        content(block, 0, block.length);
        blocks++;
      }
      assertThat(blocks).isEqualTo(2);
      assertThat(fixture.activeBuffers()).isEqualTo(3);
      reader.request(EVERYTHING);
      assertThat(reader.count()).isEqualTo(2 * STREAM_BUFFER);
      assertThat(fixture.activeBuffers()).as("the fields only").isEqualTo(1);
      assertThat(writer.resumed).isEqualTo(1);
      end();
      assertThat(reader.ended).isTrue();
    }

    @Test
    void givesTheVeryBufferToAReaderThatWaits() {
      beginPassedOn();
      RecordingReader reader = reader(home, true, EVERYTHING);
      loops.runAll();
      byte[] bytes = bytes(1000);
      ByteBuf buffer = fixture.buffer(bytes);
      reader.onContent = () -> assertThat(buffer.refCnt()).isZero();
      home.call(() -> flight.content(buffer));
      assertThat(reader.got()).isEqualTo(bytes);
      end();
    }

    @Test
    void holdsSmallSlicesInCompactBlocks() {
      beginPassedOn();
      RecordingReader reader = reader(home, true, 1);
      loops.runAll();
      byte[] bytes = bytes(60_000);
      for (int at = 0; at < bytes.length; at += 100) {
        ByteBuf large = fixture.allocator.directBuffer(STREAM_BUFFER, STREAM_BUFFER);
        large.writeBytes(bytes, at, 100);
        home.call(() -> flight.content(large));
      }
      assertThat(fixture.activeBuffers()).isLessThan(20);
      reader.request(EVERYTHING);
      end();
      assertThat(reader.got()).isEqualTo(bytes);
    }

    @Test
    void closesAReaderThatLagsBehindTheFastest() {
      beginPassedOn();
      RecordingReader fast = reader(home, true, EVERYTHING);
      RecordingReader slow = reader(away, false, 10);
      loops.runAll();
      byte[] bytes = bytes(1 << 20);
      for (int at = 0; at < bytes.length; at += STREAM_BUFFER) {
        assertThat(wantsMore()).isTrue();
        content(bytes, at, at + STREAM_BUFFER);
        loops.runAll();
        assertThat(fixture.activeBuffers()).isLessThanOrEqualTo(4);
      }
      end();
      assertThat(fast.got()).isEqualTo(bytes);
      assertThat(fast.ended).isTrue();
      assertThat(slow.failure).isEqualTo(InFlight.Refusal.LAGGED);
      assertThat(slow.count()).isEqualTo(10);
    }

    @Test
    void keepsAReaderThatLagsWithinTheGap() {
      beginPassedOn();
      RecordingReader fast = reader(home, true, EVERYTHING);
      RecordingReader slow = reader(home, false, 0);
      loops.runAll();
      byte[] bytes = bytes((int) GAP);
      content(bytes, 0, bytes.length);
      end();
      assertThat(fast.ended).isTrue();
      slow.request(EVERYTHING);
      assertThat(slow.got()).isEqualTo(bytes);
      assertThat(slow.ended).isTrue();
    }

    @Test
    void closesLaggardsFirstWhereTransitHasNoRoom() {
      beginPassedOn();
      RecordingReader fast = reader(home, true, 100_000);
      RecordingReader slow = reader(home, false, 60_000);
      loops.runAll();
      long free = fixture.transit.limit() - fixture.transit.used();
      fixture.transit.force(free);
      byte[] bytes = bytes(120_000);
      int sent = 0;
      for (; wantsMore(); sent += SMALL_READ) {
        content(bytes, sent, sent + SMALL_READ);
      }
      assertThat(sent).as("no more is read than the fastest takes").isEqualTo(104_000);
      assertThat(slow.failure).isEqualTo(InFlight.Refusal.NO_ROOM);
      assertThat(slow.got()).isEqualTo(Arrays.copyOf(bytes, 60_000));
      assertThat(fixture.transit.used()).isEqualTo(fixture.transit.limit());
      fast.request(EVERYTHING);
      end();
      assertThat(fast.got()).isEqualTo(Arrays.copyOf(bytes, sent));
      fixture.transit.release(free);
    }

    @Test
    void readsAheadAgainWhereMemoryIsScarceNoMore() {
      beginPassedOn();
      RecordingReader reader = reader(home, true, 1);
      loops.runAll();
      long free = fixture.transit.limit() - fixture.transit.used();
      fixture.transit.force(free);
      content(bytes(10), 0, 10);
      assertThat(wantsMore()).isFalse();
      fixture.transit.release(free);
      assertThat(wantsMore()).isTrue();
      reader.request(EVERYTHING);
      end();
    }

    @Test
    void isTooLateToJoinOnceTheFirstBytesAreGone() {
      beginPassedOn();
      reader(home, true, EVERYTHING);
      loops.runAll();
      content(bytes(10), 0, 10);
      assertThat(new RecordingReader(home).join(flight, false)).isFalse();
      RecordingReader distant = reader(away, false, 0);
      loops.runAll();
      assertThat(distant.failure).isEqualTo(InFlight.Refusal.TOO_LATE);
      assertThat(distant.head).isNull();
      end();
    }

    @Test
    void waitsForItsFirstReader() {
      beginPassedOn();
      content(bytes(1000), 0, 1000);
      RecordingReader reader = reader(home, true, EVERYTHING);
      loops.runAll();
      assertThat(reader.got()).isEqualTo(bytes(1000));
      end();
    }
  }

  @Nested
  class Joining {
    @Test
    void sendsWaitersAwayAtOnceWhereTheAnswerIsNotShareable() {
      begin();
      RecordingReader cause = reader(home, true, EVERYTHING);
      RecordingReader waiter = reader(home, false, EVERYTHING);
      RecordingReader distant = reader(away, false, EVERYTHING);
      loops.runAll();
      head(null, false, 10);
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isNull();
      loops.runAll();
      assertThat(waiter.head.shareable()).isFalse();
      assertThat(distant.head.shareable()).isFalse();
      content(bytes(10), 0, 10);
      end();
      loops.runAll();
      assertThat(cause.got()).isEqualTo(bytes(10));
      assertThat(cause.ended).isTrue();
      assertThat(waiter.count() + distant.count()).isZero();
      assertThat(waiter.over() || distant.over()).isFalse();
      assertThat(new RecordingReader(home).join(flight, false)).isFalse();
    }

    @Test
    void isNotJoinedOnceItIsOver() {
      beginStored(0);
      end();
      assertThat(new RecordingReader(home).join(flight, false)).isFalse();
    }

    @Test
    void lateJoinersReadKeptContentFromTheFirstByte() {
      beginStored(300_000);
      RecordingReader first = reader(home, true, EVERYTHING);
      byte[] bytes = bytes(300_000);
      content(bytes, 0, 250_000);
      RecordingReader late = reader(away, false, EVERYTHING);
      loops.runAll();
      content(bytes, 250_000, 300_000);
      end();
      loops.runAll();
      assertThat(late.got()).isEqualTo(bytes);
      assertThat(first.got()).isEqualTo(bytes);
    }

    @Test
    void lastsWhileOthersLeave() {
      beginStored(10);
      RecordingReader leaving = reader(home, true, EVERYTHING);
      RecordingReader staying = reader(away, false, EVERYTHING);
      loops.runAll();
      leaving.cancel();
      content(bytes(10), 0, 10);
      end();
      loops.runAll();
      assertThat(writer.deserted).isZero();
      assertThat(staying.got()).isEqualTo(bytes(10));
      assertThat(leaving.count()).isZero();
    }

    @Test
    void tellsTheWriterWhenTheLastReaderLeft() {
      beginStored(10);
      RecordingReader one = reader(home, true, EVERYTHING);
      RecordingReader other = reader(away, false, EVERYTHING);
      loops.runAll();
      one.cancel();
      other.cancel();
      loops.runAll();
      assertThat(writer.deserted).isEqualTo(1);
      content(bytes(10), 0, 10);
      end();
      assertThat(stored()).as("finished all the same").isNotNull().satisfies(Entry::release);
    }

    /**
     * A background validation, and an invalidation before its response: there is no reader for it.
     */
    @Test
    void tellsTheWriterIfThereIsNoReaderAndNothingIsStored() {
      begin();
      home.call(flight::doNotStore);
      assertThat(writer.deserted).isZero();
      head(meta(), true, 10);
      assertThat(writer.deserted).isEqualTo(1);
      home.call(() -> assertThat(flight.isStored()).isFalse());
      fail("given up");
    }

    @Test
    void goesOnWithoutReadersWhileItIsStored() {
      beginStored(10);
      assertThat(writer.deserted).isZero();
      home.call(() -> assertThat(flight.isStored()).isTrue());
      content(bytes(10), 0, 10);
      end();
      assertThat(stored()).isNotNull().satisfies(Entry::release);
    }

    @Test
    void tellsAgainWhenTheLastOfLaterReadersLeft() {
      beginStored(10);
      reader(home, true, EVERYTHING).cancel();
      reader(home, false, EVERYTHING).cancel();
      assertThat(writer.deserted).isEqualTo(2);
      fail("given up");
    }

    @Test
    void dropsTheContentOfADesertedFetch() {
      beginPassedOn();
      reader(home, true, 1).cancel();
      for (int i = 0; i < 100; i++) {
        assertThat(wantsMore()).isTrue();
        content(bytes(STREAM_BUFFER), 0, STREAM_BUFFER);
        assertThat(fixture.activeBuffers()).isEqualTo(1);
      }
      end();
    }

    @Test
    void deliversNothingAfterCancel() {
      beginStored(10);
      RecordingReader reader = reader(away, true, EVERYTHING);
      loops.runAll();
      content(bytes(10), 0, 10);
      reader.cancel();
      loops.runAll();
      assertThat(reader.count()).isZero();
      fail("over");
      loops.runAll();
      assertThat(reader.over()).isFalse();
    }

    @Test
    void mayBeCancelledWhileItIsTold() {
      beginStored(200);
      RecordingReader reader = reader(home, true, 10);
      reader.onContent = () -> reader.subscription.cancel();
      content(bytes(100), 0, 100);
      assertThat(reader.count()).isEqualTo(10);
      assertThat(writer.deserted).isEqualTo(1);
      end();
    }
  }

  @Nested
  class Beginning {
    @Test
    void beginsOneFetchForConcurrentRequests() {
      SilentWriter[] writers = {new SilentWriter(), new SilentWriter(), new SilentWriter()};
      List<InFlight> got = new ArrayList<>();
      for (SilentWriter one : writers) {
        got.add(fixture.store.joinOrBegin(key(URL), noFields(), null, home, one));
      }
      assertThat(got).containsOnly(got.get(0));
      assertThat(got.get(0).writer()).isSameAs(writers[0]);
      assertThat(fixture.store.stats().inFlight()).isEqualTo(1);
      home.call(() -> got.get(0).fail("over"));
    }

    private static Fields of(String language) {
      Fields fields = new Fields(1);
      byte[] line = ("Accept-Language: " + language).getBytes(StandardCharsets.ISO_8859_1);
      fields.clear(line);
      fields.add(FieldName.ACCEPT_LANGUAGE, 0, 15, 17, line.length);
      return fields;
    }

    @Test
    void beginsOneFetchForEachVariantOnceItIsKnownThatThereAreSome() {
      begin();
      assertThat(fixture.store.inFlight(probe(URL), of("fr"))).isSameAs(flight);
      InFlight english = flight;
      Fields vary = varyOnLanguage();
      StoredMeta meta = variant(VarySelection.of(false, of("en"), vary));
      head(meta, true, 10);
      assertThat(fixture.store.inFlight(probe(URL), of("en"))).isSameAs(english);
      assertThat(fixture.store.inFlight(probe(URL), of("fr"))).isNull();
      InFlight french = fixture.store.joinOrBegin(key(URL), of("fr"), null, home, writer);
      assertThat(french).isNotSameAs(english);
      assertThat(fixture.store.inFlight(probe(URL), of("fr"))).isSameAs(french);
      InFlight german = fixture.store.joinOrBegin(key(URL), of("de"), null, home, writer);
      assertThat(german).as("told apart by what the first one said").isNotSameAs(french);
      assertThat(fixture.store.joinOrBegin(key(URL), of("fr"), null, home, writer))
          .isSameAs(french);
      home.call(() -> french.fail("over"));
      home.call(() -> german.fail("over"));
      fail("over");
    }

    private static Fields varyOnLanguage() {
      Fields fields = new Fields(1);
      byte[] line = "Vary: Accept-Language".getBytes(StandardCharsets.ISO_8859_1);
      fields.clear(line);
      fields.add(FieldName.VARY, 0, 4, 6, line.length);
      return fields;
    }

    private static StoredMeta variant(VarySelection vary) {
      return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
    }

    @Test
    void beginsASecondOneWithoutItBeingFound() {
      begin();
      InFlight first = flight;
      begin();
      assertThat(flight).isNotSameAs(first);
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isSameAs(first);
      fail("over");
      assertThat(fixture.store.inFlight(probe(URL), noFields())).isSameAs(first);
      home.call(() -> first.fail("over"));
    }

    @Test
    void beginsNoneWhereTransitHasNoRoom() {
      long free = fixture.transit.limit();
      fixture.transit.force(free);
      begin();
      assertThat(flight).isNull();
      assertThat(fixture.store.joinOrBegin(key(URL), noFields(), null, home, writer)).isNull();
      fixture.transit.release(free);
      begin();
      assertThat(flight).isNotNull();
      fail("over");
    }

    @Test
    void endsWhenTheStoreIsClosed() {
      beginStored(10);
      RecordingReader reader = reader(away, true, 0);
      loops.runAll();
      content(bytes(10), 0, 5);
      fixture.store.close();
      loops.runAll();
      assertThat(reader.failure).isEqualTo(InFlight.Refusal.CLOSED);
      content(bytes(10), 5, 10);
      end();
      assertThat(stored()).isNull();
    }
  }
}

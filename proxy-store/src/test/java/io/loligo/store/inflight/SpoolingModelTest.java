package io.loligo.store.inflight;

import static io.loligo.store.StoreFixture.GAP;
import static io.loligo.store.StoreFixture.STREAM_BUFFER;
import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.inflight.SpoolingFixture.MAX_KEPT;
import static io.loligo.store.inflight.SpoolingFixture.URL;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.ManualLoops;
import io.loligo.store.StoreFixture;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * One writer, a disk and some readers, scheduled at random, against a plain array: every reader
 * gets a prefix, no reader is closed while the disk works, memory is bounded, the disk is checked
 * only while it holds the writer back, the stored content is whole, and nothing is left.
 */
final class SpoolingModelTest {
  private static final int STEPS = 500;

  /** A gap before and a gap behind the fastest, one read, and a block at either end. */
  private static final long WINDOW_BYTES = 2 * GAP + 3 * STREAM_BUFFER;

  /** A buffer may pin twice its content. */
  private static final int MAX_PINNING = 2;

  @Property(tries = 200)
  void agreesWithAPlainArray(
      @ForAll long seed,
      @ForAll boolean announced,
      @ForAll boolean faulty,
      @ForAll boolean scarce,
      @ForAll @IntRange(min = 0, max = 2_500_000) int length) {
    try (SpoolingFixture fixture = new SpoolingFixture(scarce ? 2 << 20 : 16 << 20)) {
      new Run(fixture, new Random(seed), announced, faulty, scarce, bytes(length)).run();
    }
  }

  /** One random run. */
  private static final class Run implements InFlight.Writer {
    private final SpoolingFixture fixture;
    private final Random random;
    private final byte[] bytes;
    private final boolean announced;
    private final boolean faulty;
    private final boolean scarce;
    private final ManualLoops loops = new ManualLoops();
    private final List<ManualLoops.Loop> all = List.of(loops.add(), loops.add());
    private final ManualLoops.Loop home = all.get(0);
    private final List<RecordingReader> readers = new ArrayList<>();
    private final List<RecordingReader> cancelled = new ArrayList<>();
    private final InFlight flight;
    private boolean headSent;
    private boolean over;
    private boolean completed;
    private boolean invalidated;
    private boolean purged;
    private boolean paused;
    private boolean readFailed;
    private boolean stalled;
    private long greatestLag;
    private int sent;

    Run(
        SpoolingFixture fixture,
        Random random,
        boolean announced,
        boolean faulty,
        boolean scarce,
        byte[] bytes) {
      this.fixture = fixture;
      this.random = random;
      this.announced = announced;
      this.faulty = faulty;
      this.scarce = scarce;
      this.bytes = bytes;
      fixture.memoryAccepts = random.nextBoolean();
      this.flight = fixture.begin(home, this);
    }

    void run() {
      join();
      for (int i = 0; i < STEPS; i++) {
        step();
        check();
      }
      if (!over) {
        finish();
      }
      for (RecordingReader reader : readers) {
        reader.request(Long.MAX_VALUE);
      }
      loops.runAll();
      for (RecordingSpool spool : fixture.spools) {
        spool.flowAll(loops);
      }
      check();
      cancelled.forEach(this::assertPrefix);
      readers.forEach(this::assertWell);
      checkStored();
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0 -> join();
        case 1, 2, 3, 4 -> write();
        case 5 -> request();
        case 6 -> cancelOrPurge();
        case 7, 8, 9 -> moveDisk();
        case 10 -> passTime();
        default -> all.get(random.nextInt(all.size())).runOne();
      }
    }

    private void passTime() {
      if (random.nextInt(8) == 0 && home.fireOne()) {
        stalled |= home.timers() == 0;
      }
    }

    private void join() {
      RecordingReader reader = new RecordingReader(all.get(random.nextInt(all.size())));
      if (readers.size() < 5 && reader.join(flight, false)) {
        if (random.nextBoolean()) {
          reader.autoCredit = 1;
        }
        readers.add(reader);
      }
    }

    private void request() {
      if (!readers.isEmpty()) {
        RecordingReader reader = readers.get(random.nextInt(readers.size()));
        reader.request(1 + random.nextInt(random.nextBoolean() ? 100 : 600_000));
      }
    }

    private void cancelOrPurge() {
      int choice = random.nextInt(60);
      if (choice < 8 && !readers.isEmpty()) {
        RecordingReader reader = readers.remove(random.nextInt(readers.size()));
        reader.cancel();
        cancelled.add(reader);
      } else if (choice == 8) {
        fixture.flights.invalidate(key(URL));
        invalidated = true;
        purged |= !isStored();
      }
    }

    private boolean isStored() {
      Entry entry = fixture.inMemory();
      if (entry != null) {
        entry.release();
      }
      return entry != null || fixture.spools.stream().anyMatch(spool -> spool.found);
    }

    private void moveDisk() {
      for (RecordingSpool spool : fixture.spools) {
        switch (random.nextInt(faulty ? 10 : 9)) {
          case 0, 1 -> spool.grant(1 + random.nextInt(300_000));
          case 2, 3, 4 -> spool.writeOne();
          case 5, 6 -> spool.answer(1 + random.nextInt(100_000));
          case 7 -> spool.commit();
          case 8 -> spool.land();
          default -> breakSometimes(spool);
        }
      }
    }

    private void breakSometimes(RecordingSpool spool) {
      switch (random.nextInt(20)) {
        case 0 -> spool.fail();
        case 1, 2 -> readFailed |= spool.answerNothing();
        default -> {}
      }
    }

    private void write() {
      if (over) {
        return;
      }
      if (!headSent) {
        headSent = true;
        ByteBuf fields = fixture.base.fields("A: b\r\n\r\n");
        int length = announced ? bytes.length : -1;
        home.call(() -> flight.head(StoreFixture.head(), meta(), true, fields, length));
      } else if (sent < bytes.length) {
        home.call(this::writeSome);
      } else {
        finish();
      }
    }

    private void writeSome() {
      if (!flight.wantsMore()) {
        paused = true;
        return;
      }
      assertThat(paused).as("room again and not told").isFalse();
      int max = random.nextInt(4) == 0 ? 500 : STREAM_BUFFER;
      int count = Math.min(bytes.length - sent, 1 + random.nextInt(max));
      ByteBuf buffer = fixture.base.allocator.directBuffer(random.nextBoolean() ? count : 64 << 10);
      buffer.writeBytes(bytes, sent, count);
      sent += count;
      flight.content(buffer);
    }

    private void finish() {
      over = true;
      completed = headSent && sent == bytes.length && random.nextInt(6) > 0;
      home.call(
          () -> {
            if (completed) {
              flight.end(null);
            } else {
              flight.fail("given up");
            }
          });
    }

    private void check() {
      for (RecordingReader reader : readers) {
        assertThat(reader.count()).isLessThanOrEqualTo(sent);
        assertThat(reader.ended && reader.count() < bytes.length).isFalse();
      }
      assertThat(fixture.base.transit.used()).isLessThanOrEqualTo(mostInMemory());
      checkPace();
      int readsUnderWay = fixture.spools.stream().mapToInt(RecordingSpool::readsUnderWay).sum();
      assertThat(readsUnderWay).isLessThanOrEqualTo(readers.size() + cancelled.size());
    }

    private void checkPace() {
      home.call(() -> assertThat(home.timers()).isLessThanOrEqualTo(flight.wantsMore() ? 0 : 1));
      if (over) {
        assertThat(home.timers()).isZero();
      }
      for (RecordingSpool spool : fixture.spools) {
        if (spool.isOpen()) {
          assertThat(sent - spool.readable)
              .isLessThanOrEqualTo(Spooling.WINDOW_BYTES + STREAM_BUFFER);
        }
      }
    }

    /** The content that may be in memory: the lag of the disk, once it is known. */
    private long mostInMemory() {
      if (fixture.spools.isEmpty()) {
        return MAX_PINNING * (WINDOW_BYTES + MAX_KEPT);
      }
      RecordingSpool spool = fixture.spools.get(0);
      long lag = sent - spool.readable;
      greatestLag = Math.max(lag, greatestLag);
      boolean working = spool.isOpen() || spool.isEnding();
      return MAX_PINNING * (WINDOW_BYTES + (working ? lag : greatestLag));
    }

    private void assertPrefix(RecordingReader reader) {
      int count = reader.count();
      assertThat(Arrays.equals(reader.got(), 0, count, bytes, 0, count)).isTrue();
    }

    private void assertWell(RecordingReader reader) {
      assertPrefix(reader);
      assertThat(reader.over()).isTrue();
      assertThat(reader.ended).isEqualTo(completed && reader.failure == null);
      if (reader.failure == null) {
        assertThat(reader.count()).isEqualTo(bytes.length);
      } else if (reader.failure.equals("given up")) {
        assertThat(reader.count()).as("all that arrived").isEqualTo(sent);
      } else if (reader.failure == InFlight.Refusal.TOO_LATE) {
        assertThat(reader.head).isNull();
      } else {
        assertThat(diskLetDown()).as(String.valueOf(reader.failure)).isTrue();
      }
    }

    private boolean diskLetDown() {
      return readFailed
          || stalled
          || fixture.rejected > 0
          || fixture.spools.stream().anyMatch(RecordingSpool::hasFailed)
          || (purged && (scarce || fixture.spools.isEmpty()));
    }

    private void checkStored() {
      boolean stored = false;
      for (RecordingSpool spool : fixture.spools) {
        if (spool.found) {
          stored = true;
          assertThat(spool.written()).isEqualTo(bytes);
        }
      }
      Entry entry = fixture.inMemory();
      if (entry != null) {
        stored = true;
        assertThat(StoreFixture.content(entry)).isEqualTo(bytes);
        entry.release();
      }
      boolean lost = fixture.rejected > 0 || (fixture.spools.isEmpty() && entry == null);
      boolean failed = fixture.spools.stream().anyMatch(RecordingSpool::hasFailed);
      // stored, invalidated, and lost by the disk: memory does not step in for it, and need not
      if (stored || !invalidated || !failed) {
        assertThat(stored).isEqualTo(completed && !purged && !lost);
      }
    }

    @Override
    public void resume() {
      assertThat(home.inEventLoop()).isTrue();
      assertThat(flight.wantsMore()).isTrue();
      paused = false;
    }

    @Override
    public void deserted() {
      assertThat(home.inEventLoop()).isTrue();
      assertThat(over).isFalse();
    }
  }
}

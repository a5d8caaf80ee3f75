package io.loligo.store.inflight;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
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
 * One writer and some readers on several loops, scheduled at random, against a plain array: every
 * reader gets a prefix, a reader that is told the end got everything, the stored content is whole,
 * and nothing is left.
 */
final class InFlightModelTest {
  private static final String URL = "http://a/";
  private static final int STEPS = 400;

  /** A gap before and a gap behind the fastest reader, one read, all pinning twice their size. */
  private static final long MAX_WINDOW_BYTES =
      2 * (2 * StoreFixture.GAP + StoreFixture.STREAM_BUFFER);

  @Property(tries = 150)
  void agreesWithAPlainArray(
      @ForAll long seed,
      @ForAll boolean storable,
      @ForAll boolean announced,
      @ForAll @IntRange(min = 0, max = 700_000) int length) {
    try (StoreFixture fixture = new StoreFixture()) {
      new Run(fixture, new Random(seed), storable, announced, bytes(length)).run();
    }
  }

  /** One random run. */
  private static final class Run implements InFlight.Writer {
    private final StoreFixture fixture;
    private final Random random;
    private final byte[] bytes;
    private final ManualLoops loops = new ManualLoops();
    private final List<ManualLoops.Loop> all = List.of(loops.add(), loops.add(), loops.add());
    private final ManualLoops.Loop home = all.get(0);
    private final List<RecordingReader> readers = new ArrayList<>();
    private final List<RecordingReader> cancelled = new ArrayList<>();
    private final InFlight flight;
    private final boolean storable;
    private final boolean announced;
    private boolean headSent;
    private boolean over;
    private boolean completed;
    private boolean purged;
    private boolean paused;
    private int sent;

    Run(StoreFixture fixture, Random random, boolean storable, boolean announced, byte[] bytes) {
      this.fixture = fixture;
      this.random = random;
      this.storable = storable;
      this.announced = announced;
      this.bytes = bytes;
      this.flight = fixture.store.begin(key(URL), true, home, this);
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
      check();
      cancelled.forEach(this::assertPrefix);
      for (RecordingReader reader : readers) {
        assertPrefix(reader);
        assertThat(reader.over()).isTrue();
        assertThat(reader.ended).isEqualTo(completed && reader.failure == null);
      }
      checkStored();
    }

    private void step() {
      switch (random.nextInt(8)) {
        case 0 -> join();
        case 1, 2 -> write();
        case 3 -> request();
        case 4 -> cancelOrPurge();
        default -> all.get(random.nextInt(all.size())).runOne();
      }
    }

    private void join() {
      RecordingReader reader = new RecordingReader(all.get(random.nextInt(all.size())));
      if (readers.size() < 5 && reader.join(flight, readers.isEmpty())) {
        if (random.nextBoolean()) {
          reader.autoCredit = 1;
        }
        readers.add(reader);
      }
    }

    private void request() {
      if (!readers.isEmpty()) {
        RecordingReader reader = readers.get(random.nextInt(readers.size()));
        reader.request(1 + random.nextInt(random.nextBoolean() ? 100 : 300_000));
      }
    }

    private void cancelOrPurge() {
      int choice = random.nextInt(30);
      if (choice < 4 && !readers.isEmpty()) {
        RecordingReader reader = readers.remove(random.nextInt(readers.size()));
        reader.cancel();
        cancelled.add(reader);
      } else if (choice == 4) {
        fixture.store.remove(key(URL));
        purged = true;
      }
    }

    private void write() {
      if (over) {
        return;
      }
      if (!headSent) {
        headSent = true;
        ByteBuf fields = fixture.fields("A: b\r\n\r\n");
        home.call(
            () ->
                flight.head(
                    StoreFixture.head(),
                    storable ? meta() : null,
                    true,
                    fields,
                    announced ? bytes.length : -1));
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
      int max = random.nextBoolean() ? 500 : StoreFixture.STREAM_BUFFER;
      int count = Math.min(bytes.length - sent, 1 + random.nextInt(max));
      ByteBuf buffer = fixture.allocator.directBuffer(random.nextBoolean() ? count : 64 << 10);
      buffer.writeBytes(bytes, sent, count);
      sent += count;
      flight.content(buffer);
      assertThat(flight.received()).isEqualTo(sent);
    }

    private void finish() {
      over = true;
      completed = headSent && sent == bytes.length && random.nextInt(4) > 0;
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
      long bound = storable ? 2L * bytes.length + MAX_WINDOW_BYTES : MAX_WINDOW_BYTES;
      assertThat(fixture.transit.used()).isLessThanOrEqualTo(bound);
    }

    private void assertPrefix(RecordingReader reader) {
      int count = reader.count();
      assertThat(Arrays.equals(reader.got(), 0, count, bytes, 0, count)).isTrue();
    }

    private void checkStored() {
      Entry entry = fixture.store.find(probe(URL), noFields());
      boolean expected = completed && storable && !purged && bytes.length <= 512 << 10;
      assertThat(entry != null).isEqualTo(expected);
      if (entry != null) {
        assertThat(StoreFixture.content(entry)).isEqualTo(bytes);
        entry.release();
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

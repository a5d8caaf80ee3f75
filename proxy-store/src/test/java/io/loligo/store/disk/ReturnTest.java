package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that was turned off comes back, without the responses whose removal it missed. */
final class ReturnTest {
  private static final String URL = "http://return/";
  private static final long BACK_OFF_SECONDS = 5;

  @TempDir Path temp;

  private final FaultySlab[] slab = new FaultySlab[1];
  private final AtomicLong nanos = new AtomicLong();
  private final List<Long> triedAtSeconds = new ArrayList<>();
  private volatile boolean refuses;
  private DiskFixture fixture;

  @BeforeEach
  void open() throws IOException {
    fixture =
        new DiskFixture(
            16 << 20,
            disk(dir(temp.resolve("cache"), 16 << 20)),
            file -> {
              triedAtSeconds.add(TimeUnit.NANOSECONDS.toSeconds(nanos.get()));
              if (refuses) {
                throw new IOException("Input/output error");
              }
              slab[0] = new FaultySlab(file);
              return slab[0];
            });
    triedAtSeconds.clear();
    nanos.set(fixture.medium.nanos());
    long start = nanos.get();
    nanos.set(0);
    fixture.medium.clock = () -> start + nanos.get();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void advance(long seconds) {
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    fixture.settle();
  }

  private void turnOff() {
    slab[0].failWrites();
    fixture.put("http://other/", bytes(500));
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
  }

  private void comeBack() {
    advance(BACK_OFF_SECONDS);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    assertThat(fixture.stats().reason()).isEmpty();
  }

  @Test
  void servesItsOldContentAndStores() {
    fixture.put(URL, bytes(1000));
    fixture.put(URL + "large", bytes(300_000));
    turnOff();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    advance(BACK_OFF_SECONDS - 1);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    advance(1);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
    assertThat(fixture.load(URL + "large").content()).isEqualTo(bytes(300_000));
    fixture.put(URL + "new", bytes(2000));
    assertThat(fixture.load(URL + "new").content()).isEqualTo(bytes(2000));
  }

  @Test
  void isTriedAfterTwiceTheTimeEachTime() {
    turnOff();
    refuses = true;
    for (int i = 0; i < 80; i++) {
      advance(1);
    }
    assertThat(triedAtSeconds).containsExactly(5L, 15L, 35L, 75L);
    refuses = false;
    advance(74);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    advance(1);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    turnOff();
    comeBack();
  }

  @Test
  void isTriedEveryFiveMinutesAtLeast() {
    turnOff();
    refuses = true;
    for (int i = 0; i < 100; i++) {
      advance(60);
    }
    int tries = triedAtSeconds.size();
    assertThat(triedAtSeconds.get(tries - 1) - triedAtSeconds.get(tries - 2)).isEqualTo(300);
  }

  @Test
  void responsesPurgedOrSupersededMeanwhileAreGone() {
    for (int i = 0; i < 4; i++) {
      fixture.put(URL + i, bytes(1000 + i));
    }
    turnOff();
    assertThat(fixture.purge(URL + 0)).isNotNegative();
    fixture.store.store.remove(key(URL + 1));
    fixture.store.fill(URL + 2, bytes(77)); // in memory only
    fixture.settle();
    comeBack();
    for (int i = 0; i < 2; i++) {
      assertThat(fixture.load(URL + i).outcome()).as("%d", i).isEqualTo(LoadOutcome.ABSENT);
    }
    fixture.settle(); // memory writes responses that arrived meanwhile
    assertThat(fixture.load(URL + 2).content()).isEqualTo(bytes(77));
    assertThat(fixture.load(URL + 3).content()).isEqualTo(bytes(1003));
  }

  @Test
  void everythingIsGoneAfterAClear() {
    fixture.put(URL, bytes(1000));
    turnOff();
    fixture.store.store.clear();
    comeBack();
    assertThat(fixture.stats().objects()).isZero();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  /** They were given to clients already. */
  @Test
  void nothingOlderComesBackForResponsesInItsBuffers() {
    fixture.put(URL, bytes(1000));
    slab[0].failWrites();
    fixture.put(URL, bytes(2000));
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    comeBack();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  /** The process ends while it is off. */
  @Test
  void nothingOlderComesBackAtTheNextStart() throws IOException {
    fixture.put(URL, bytes(1000));
    fixture.put(URL + "missed", bytes(1000));
    fixture.put(URL + "kept", bytes(1001));
    slab[0].failWrites();
    fixture.store.fill(URL, bytes(2000));
    fixture.tickUntil(() -> fixture.stats().state() == DiskStats.State.OFF);
    fixture.store.fill(URL + "missed", bytes(2001));
    fixture.close();
    open();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    assertThat(fixture.load(URL + "missed").outcome()).isEqualTo(LoadOutcome.ABSENT);
    assertThat(fixture.load(URL + "kept").content()).isEqualTo(bytes(1001));
  }

  @Test
  void isEmptyWhereARemovalCouldNotBeWritten() {
    fixture.put(URL, bytes(1000));
    fixture.medium.journals.failWrites();
    assertThat(fixture.purge(URL)).as("it begins empty").isNotNegative();
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    fixture.medium.journals.mend();
    comeBack();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  @Test
  void isEmptyAtTheNextStartWhereARemovalCouldNotBeWritten() throws IOException {
    fixture.put(URL, bytes(1000));
    fixture.medium.journals.failWrites();
    fixture.store.store.remove(key(URL));
    fixture.settle();
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    fixture.close();
    open();
    assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  /** A system says only once that something could not be forced. */
  @Test
  void isEmptyWhereARemovalCouldNotBeForced() {
    fixture.put(URL, bytes(1000));
    fixture.medium.journals.failForces();
    assertThat(fixture.purge(URL)).as("it begins empty").isNotNegative();
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    fixture.medium.journals.mend();
    comeBack();
    assertThat(fixture.stats().objects()).isZero();
    fixture.put(URL, bytes(1000));
    assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
  }
}

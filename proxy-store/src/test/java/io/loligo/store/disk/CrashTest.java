package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Store.Peek;
import io.loligo.store.StoreFixture;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process is killed while it writes, over and over, and its output is checked against the
 * content.
 */
final class CrashTest {
  private static final int KILLS = 10;
  private static final int VERSIONS_PER_RUN = 10_000;
  private static final int MIN_LINES = 100;
  private static final int MORE_LINES = 60;
  private static final long SIZE = 160 << 20;
  private static final double KEPT = 0.95;
  private static final long MAX_RECOVERY_SECONDS = 60;

  /** The versions of an object that may be found, or nothing. */
  private static final class Expected {
    final NavigableSet<Integer> versions = new TreeSet<>();

    /** Whether the newest one that is known to be on disk must not be lost. */
    boolean stored;
  }

  @TempDir Path temp;

  /** Versions up to these are validated before use, or may be. */
  private int validated;

  private int mayBeValidated;
  private final Expected[] objects = new Expected[CrashingStore.OBJECTS];

  @Test
  void losesLittleAndBringsNothingBackInTenKills() throws IOException {
    for (int i = 0; i < objects.length; i++) {
      objects[i] = new Expected();
    }
    Random random = new Random(7);
    for (int kill = 0; kill < KILLS; kill++) {
      int lines = MIN_LINES + random.nextInt(MORE_LINES);
      try (ChildProcess child =
          new ChildProcess(CrashingStore.class, path(), SIZE, kill * VERSIONS_PER_RUN + 1)) {
        follow(child, lines);
        child.kill();
        // its output before it was killed counts too
        for (String line = child.line(); line != null; line = child.line()) {
          take(line);
        }
      }
      if (kill == KILLS - 1) {
        verify(kill);
        verify(kill); // once more, from the content of the first
      } else if (kill % 3 == 1) {
        verify(kill);
      }
    }
  }

  private Path path() {
    return temp.resolve("cache");
  }

  private void follow(ChildProcess child, int lines) throws IOException {
    List<String> log = new ArrayList<>();
    int left = lines;
    while (left > 0) {
      String line = child.line();
      assertThat(line).as("the child goes on, after: %s", log).isNotNull();
      if (take(line)) {
        left--;
      } else {
        log.add(line);
      }
    }
  }

  /** Whether it is about an object; anything else is the child's log. */
  private boolean take(String line) {
    String[] words = line.split(" ", -1);
    if (words.length != 3 || !words[1].matches("[0-9]+") || !words[2].matches("[0-9]+")) {
      return false;
    }
    int version = Integer.parseInt(words[2]);
    Expected object = objects[Integer.parseInt(words[1])];
    switch (words[0]) {
      case "write" -> object.versions.add(version);
      case "stored" -> {
        object.versions.headSet(version).clear();
        object.stored = true;
      }
      case "purge", "refused" -> object.stored = false;
      case "purged" -> object.versions.headSet(version, true).clear();
      case "validate" -> mayBeValidated = version;
      case "validated" -> validated = version;
      default -> {
        return false;
      }
    }
    return true;
  }

  private void verify(int kill) throws IOException {
    long begin = System.nanoTime();
    try (DiskFixture fixture = new DiskFixture(disk(dir(path(), SIZE)))) {
      assertThat(System.nanoTime() - begin)
          .isLessThan(TimeUnit.SECONDS.toNanos(MAX_RECOVERY_SECONDS));
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
      int stored = 0;
      int kept = 0;
      for (int number = 0; number < objects.length; number++) {
        Expected object = objects[number];
        boolean found = verify(fixture, number, object, kill);
        if (object.stored) {
          stored++;
          kept += found ? 1 : 0;
        }
      }
      assertThat(fixture.stats().evictions()).as("the directory is large enough").isZero();
      assertThat(stored).isGreaterThan(CrashingStore.OBJECTS / 5);
      assertThat(kept).as("of %d after kill %d", stored, kill).isGreaterThan((int) (KEPT * stored));
    }
  }

  private static boolean isValidatedFirst(DiskFixture fixture, int number) {
    CompletableFuture<Peek> seen = new CompletableFuture<>();
    CacheKey key = StoreFixture.key(CrashingStore.url(number));
    fixture.store.store.peek(key, StoreFixture.noFields(), fixture.loop, seen::complete);
    return DiskFixture.get(seen).selected().meta().has(StoredMeta.NO_CACHE);
  }

  private boolean verify(DiskFixture fixture, int number, Expected object, int kill) {
    DiskFixture.Found found = fixture.load(CrashingStore.url(number));
    if (found.outcome() != LoadOutcome.FOUND) {
      assertThat(found.outcome()).isEqualTo(LoadOutcome.ABSENT);
      return false;
    }
    for (int version : object.versions) {
      if (Arrays.equals(found.content(), CrashingStore.content(number, version))) {
        if (version <= validated || version > mayBeValidated) {
          assertThat(isValidatedFirst(fixture, number))
              .as("object %d of version %d after kill %d", number, version, kill)
              .isEqualTo(version <= validated);
        }
        return true;
      }
    }
    throw new AssertionError(
        "object %d after kill %d is none of the versions %s"
            .formatted(number, kill, object.versions));
  }
}

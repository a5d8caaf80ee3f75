package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.key;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.RandomBytes;
import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * A process that stores, replaces, purges and invalidates until it is killed, and says so on its
 * standard output, each line a verb, the number of an object and its version:
 *
 * <pre>
 *   opened           the directory is ready
 *   write n v        version v of n is about to be stored
 *   stored n v       it is on disk
 *   purge n v        n is about to be purged, or invalidated, the last version of which is v
 *   purged n v       that is confirmed
 *   refused n v      the purge failed
 *   validate n v     everything up to version v is about to be validated before its next use
 *   validated n v    that is confirmed
 * </pre>
 */
final class CrashingStore {
  /** Objects it knows. */
  static final int OBJECTS = 150;

  /** Content is larger than memory takes, and streams to disk, for one object in so many. */
  private static final int LARGE_ONE_IN = 15;

  private static final int MAX_BYTES = 300 << 10;
  private static final int LARGE_BYTES = 900 << 10;
  private static final int STEP_BYTES = 32 << 10;
  private static final int BATCH = 4;
  private static final int PURGE_ONE_IN = 6;
  private static final int WAYS = 4;
  private static final int VALIDATE_ONE_IN = 12;
  private static final String ORIGIN = "http://crash";
  private static final long CACHE_BYTES = 8 << 20;

  private final DiskFixture fixture;
  private final Random random;

  private CrashingStore(DiskFixture fixture, Random random) {
    this.fixture = fixture;
    this.random = random;
  }

  /** Arguments: path, bytes of the directory, the first version. */
  public static void main(String[] arguments) throws IOException {
    long bytes = Long.parseLong(arguments[1]);
    int version = Integer.parseInt(arguments[2]);
    DiskFixture fixture =
        new DiskFixture(
            CACHE_BYTES, StoreFixture.disk(StoreFixture.dir(Path.of(arguments[0]), bytes)));
    DiskStats stats = fixture.stats();
    if (stats.state() != DiskStats.State.READY) {
      throw new AssertionError(stats.state());
    }
    say("opened", 0, 0);
    new CrashingStore(fixture, new Random(version)).run(version);
  }

  private static void say(String verb, int number, int version) {
    System.out.println(verb + ' ' + number + ' ' + version);
    System.out.flush();
  }

  static String url(int number) {
    return ORIGIN + '/' + number;
  }

  /** Content of a version of an object. */
  static byte[] content(int number, int version) {
    long seed = number * 1_000_003L + version;
    Random random = new Random(seed);
    int length =
        number % LARGE_ONE_IN == 0
            ? LARGE_BYTES / 2 + random.nextInt(LARGE_BYTES / 2)
            : random.nextInt(1 + random.nextInt(1 + random.nextInt(MAX_BYTES)));
    return RandomBytes.of(seed, length);
  }

  private void run(int first) {
    for (int version = first; ; version++) {
      List<Integer> batch = new ArrayList<>();
      for (int i = 0; i < BATCH; i++) {
        int number = random.nextInt(OBJECTS);
        if (!batch.contains(number)) {
          batch.add(number);
          say("write", number, version);
          store(number, content(number, version));
        }
      }
      if (random.nextInt(PURGE_ONE_IN) == 0) {
        int number = batch.remove(0);
        say("purge", number, version);
        say(purge(number) ? "purged" : "refused", number, version);
      }
      if (random.nextInt(VALIDATE_ONE_IN) == 0) {
        say("validate", 0, version);
        if (validateAll()) {
          say("validated", 0, version);
        }
      }
      batch.forEach(this::awaitLanding);
      fixture.settle(); // buffers are written, too
      for (int number : batch) {
        if (fixture.store.store.mayLoad(StoreFixture.probe(url(number)))) {
          say("stored", number, version);
        }
      }
    }
  }

  /** Whether it is confirmed. */
  private boolean purge(int number) {
    return switch (random.nextInt(WAYS)) {
      case 0 -> fixture.purge(url(number)) >= 0;
      case 1 -> purgeByPattern(number);
      case 2 -> invalidate(List.of(key(url(number))));
      default -> invalidate(List.of(), CacheGroups.ofGroup(ORIGIN, group(number)));
    };
  }

  private boolean purgeByPattern(int number) {
    return purge(new Purge.Matching(UrlPattern.of("crash", "/" + number + '$')));
  }

  private boolean validateAll() {
    return purge(new Purge.Everything());
  }

  private boolean purge(Purge what) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(what, fixture.loop, purged::complete);
    return DiskFixture.get(purged).outcome() == Purged.Outcome.DONE;
  }

  /** As the answer to an unsafe request does. */
  private boolean invalidate(List<CacheKey> keys, long... groups) {
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    boolean awaited =
        fixture.store.store.invalidate(
            keys, key(ORIGIN + '/'), groups, null, fixture.loop, told::complete);
    return !awaited || DiskFixture.get(told);
  }

  private static String group(int number) {
    return "g" + number;
  }

  private static String lines(int number) {
    return "Cache-Groups: \"" + group(number) + "\"\r\n";
  }

  private static StoredMeta meta() {
    long now = System.currentTimeMillis();
    return StoredMeta.builder(200)
        .requestTimeMillis(now)
        .responseTimeMillis(now)
        .dateMillis(now)
        .lifetimeSeconds(60)
        .build();
  }

  /** A response that streams to disk is found as a fetch in flight until it is stored. */
  private void awaitLanding(int number) {
    DiskFixture.await(
        () ->
            fixture.store.store.inFlight(StoreFixture.probe(url(number)), StoreFixture.noFields())
                == null);
  }

  private void store(int number, byte[] bytes) {
    if (bytes.length < LARGE_BYTES / 2) {
      Entry entry = fixture.store.put(url(number), meta(), lines(number), bytes);
      if (entry != null) {
        entry.release();
      }
      return;
    }
    CompletableFuture<Void> over = new CompletableFuture<>();
    fixture.loop.execute(
        () -> {
          InFlight flight =
              fixture.store.store.begin(
                  key(url(number)), true, fixture.loop, new StoreFixture.SilentWriter());
          flight.head(
              StoreFixture.head(),
              meta(),
              true,
              fixture.store.fields(lines(number) + "\r\n"),
              bytes.length);
          for (int at = 0; at < bytes.length; at += STEP_BYTES) {
            int end = Math.min(bytes.length, at + STEP_BYTES);
            flight.content(fixture.store.buffer(bytes, at, end));
          }
          flight.end(null);
          over.complete(null);
        });
    DiskFixture.get(over);
  }
}

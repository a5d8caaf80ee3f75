package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Damages files of maps, at rest and in use, in a process of its own: what it is to show is that
 * the process lives. Its status is 0 if each round ended in time with no failure but {@link
 * IOException}, and no record was taken for another's.
 *
 * <p>Arguments: directory, first seed, number of rounds, {@code rest}, {@code live} or {@code cut}.
 */
final class DamageFuzz {
  private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final int KEYS = 6000;

  private final Path file;
  private final SplittableRandom random;
  private final long records;
  private final Geometry geometry;
  private final AtomicLong notWhole = new AtomicLong();

  private DamageFuzz(Path directory, long seed) {
    file = directory.resolve("map");
    random = new SplittableRandom(seed);
    records = random.nextBoolean() ? 3000 : 9000; // one segment, three
    geometry = Geometry.of(records);
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long first = Long.parseLong(arguments[1]);
    int rounds = Integer.parseInt(arguments[2]);
    AtomicLong roundSince = new AtomicLong(System.nanoTime());
    Thread watch = new Thread(() -> watch(roundSince), "watch");
    watch.setDaemon(true);
    watch.start();
    for (long seed = first; seed < first + rounds; seed++) {
      roundSince.set(System.nanoTime());
      System.out.println("seed " + seed);
      DamageFuzz round = new DamageFuzz(directory, seed);
      switch (arguments[3]) {
        case "rest" -> round.rest();
        case "live" -> round.live(false);
        case "cut" -> round.live(true);
        default -> throw new IllegalArgumentException(arguments[3]);
      }
    }
    System.exit(0);
  }

  /** A round without an end is what is looked for, so the clock is part of the question. */
  private static void watch(AtomicLong roundSince) {
    while (System.nanoTime() - roundSince.get() < ROUND_NANOS) {
      try {
        Thread.sleep(500);
      } catch (InterruptedException e) {
        return;
      }
    }
    Thread.getAllStackTraces()
        .forEach((thread, stack) -> System.out.println(thread + " " + List.of(stack)));
    Runtime.getRuntime().halt(3);
  }

  private void rest() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, records)) {
      work(map, random.split(), 20_000);
    }
    damage(1 + random.nextInt(20));
    if (random.nextInt(3) == 0) {
      use(() -> ChronicleRecordMap.open(file, records));
      checkLength();
    }
    use(() -> ChronicleRecordMap.recover(file, records));
    checkLength();
    try (RecordMap map = ChronicleRecordMap.recover(file, records)) {
      work(map, random.split(), 2000);
    }
  }

  /** Two threads use the map while its file is damaged, or cut. */
  private void live(boolean cut) throws Exception {
    RecordMap map = ChronicleRecordMap.create(file, records);
    work(map, random.split(), 20_000);
    AtomicLong operations = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      SplittableRandom own = random.split();
      Thread worker = new Thread(() -> workUntilOver(map, own, operations, failure), "worker-" + i);
      workers.add(worker);
      worker.start();
    }
    long begin = random.nextLong(100_000);
    while (cut && operations.get() < begin && failure.get() == null) {
      Thread.onSpinWait();
    }
    if (cut) {
      try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
        open.setLength(random.nextLong(geometry.fileBytes()));
      }
    }
    while (!cut && workers.stream().anyMatch(Thread::isAlive)) {
      damage(1 + random.nextInt(4));
    }
    for (Thread worker : workers) {
      worker.join();
    }
    map.close();
    if (failure.get() != null) {
      throw new AssertionError("not an IOException", failure.get());
    }
    if (!cut) {
      checkLength();
      use(() -> ChronicleRecordMap.recover(file, records));
    }
  }

  private void workUntilOver(
      RecordMap map,
      SplittableRandom own,
      AtomicLong operations,
      AtomicReference<Throwable> failure) {
    try {
      for (int i = 0; i < 200; i++) {
        work(map, own, 1000);
        operations.addAndGet(1000);
      }
      visit(map);
    } catch (IOException e) {
      // one way for it to end
    } catch (RuntimeException | Error e) {
      failure.set(e);
    } finally {
      operations.set(Long.MAX_VALUE / 2);
    }
  }

  private interface Opening {
    RecordMap open() throws IOException;
  }

  private void use(Opening opening) {
    try (RecordMap map = opening.open()) {
      visit(map);
      work(map, random.split(), 20_000);
      visit(map);
    } catch (IOException e) {
      // one way for it to end
    }
  }

  private void checkLength() throws IOException {
    if (Files.size(file) != geometry.fileBytes()) {
      throw new AssertionError("the file has now " + Files.size(file) + " octets");
    }
  }

  private void visit(RecordMap map) throws IOException {
    map.forEach(
        (high, low, record) -> {
          if (high == TestRecord.high(low)) {
            judge(low, record);
          }
        });
  }

  private void work(RecordMap map, SplittableRandom own, int operations) throws IOException {
    ByteBuf into = Unpooled.buffer(RecordMap.RECORD_BYTES);
    for (int i = 0; i < operations; i++) {
      long low = own.nextInt(KEYS);
      switch (own.nextInt(4)) {
        case 0 -> map.remove(TestRecord.high(low), low);
        case 1 -> TestRecord.put(map, low, own.nextLong());
        default -> {
          if (map.get(TestRecord.high(low), low, into.clear())) {
            judge(low, into);
          }
        }
      }
    }
  }

  /** A record may be damaged, which its checksum tells, but not be another key's. */
  private void judge(long low, ByteBuf record) {
    int at = record.readerIndex();
    long step = record.getLong(at + Long.BYTES) - record.getLong(at);
    for (int i = Long.BYTES; i < RecordMap.RECORD_BYTES; i += Long.BYTES) {
      if (record.getLong(at + i) - record.getLong(at + i - Long.BYTES) != step) {
        notWhole.incrementAndGet();
        return;
      }
    }
    if (step != Long.BYTES * TestRecord.high(low) && step != 0) {
      throw new AssertionError("the record of " + low + " is another's");
    }
  }

  /** Some places of the file, most of them in the pages that say where everything is. */
  private void damage(int places) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 0; i < places; i++) {
        long at = place();
        byte[] octets = new byte[extent()];
        int length = (int) Math.min(octets.length, geometry.fileBytes() - at);
        open.seek(at);
        open.readFully(octets, 0, length);
        switch (random.nextInt(5)) {
          case 0 -> random.nextBytes(octets);
          case 1 -> Arrays.fill(octets, (byte) 0);
          case 2 -> Arrays.fill(octets, (byte) -1);
          case 3 -> octets[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
          default -> octets[random.nextInt(length)] = (byte) random.nextInt();
        }
        open.seek(at);
        open.write(octets, 0, length);
      }
    }
  }

  private int extent() {
    return switch (random.nextInt(6)) {
      case 0 -> 4096;
      case 1 -> 40_000; // all slots of a segment
      case 2 -> 64;
      case 3 -> 8;
      default -> 1;
    };
  }

  private long place() {
    long segments = Geometry.FIRST_PAGE_BYTES + (long) geometry.segments() * geometry.headerBytes();
    long segment = segments + random.nextInt(geometry.segments()) * geometry.segmentBytes();
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong(Geometry.FIRST_PAGE_BYTES);
      case 1 -> Geometry.FIRST_PAGE_BYTES + random.nextLong(40);
      case 2 -> random.nextLong(Geometry.FIRST_PAGE_BYTES, segments);
      case 3 -> segment;
      case 4, 5 -> segment + random.nextLong(geometry.slots() * 4L);
      case 6 -> segment + geometry.slots() * 4L + random.nextLong(64 + geometry.chunks() / 8);
      default -> random.nextLong(geometry.fileBytes());
    };
  }
}

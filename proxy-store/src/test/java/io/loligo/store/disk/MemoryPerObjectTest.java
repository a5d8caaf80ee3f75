package io.loligo.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.admission.Lane;
import io.loligo.store.admission.QueueAdmission;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.read.Records;
import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.segment.BufferPool;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.SegmentNotes;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory of a directory for one response, its head included. */
final class MemoryPerObjectTest {
  private static final long MOST_BYTES = 120;
  private static final long MEAN_BYTES = 13 << 10;

  @TempDir Path temp;

  /** Memory of its classes is taken once per process. */
  @BeforeAll
  static void loadClasses() throws IOException {
    ChronicleRecordMap.create(1000).close();
  }

  /** Collects garbage, and waits until the buffers of collected objects are given back. */
  private static void collect() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      ReferenceQueue<Object> queue = new ReferenceQueue<>();
      WeakReference<Object> gone = new WeakReference<>(new Object(), queue);
      ManagementFactory.getMemoryMXBean().gc();
      // the second is queued when everything of the first has ended
      assertThat(queue.remove(30_000)).isSameAs(gone);
    }
  }

  /** Bytes of the heap, and of all buffers outside it except for those of allocators. */
  private record Used(long heap, long direct) {
    /** Once nothing more is freed: the remains of earlier tests go in several rounds. */
    static Used settled() throws InterruptedException {
      Used last = now();
      Used next = now();
      for (int i = 0; next.heap < last.heap && i < 20; i++) {
        last = next;
        next = now();
      }
      return next;
    }

    static Used now() throws InterruptedException {
      collect();
      long direct =
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .filter(pool -> pool.getName().equals("direct"))
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum();
      return new Used(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), direct);
    }
  }

  /** The objects that work on {@code geometry}, without a disk. */
  private Catalogue catalogue(Geometry geometry) throws IOException {
    Marks marks = Marks.lock(temp);
    SystemMedium.SYSTEM.allocate(marks.journal(0), 1 << 16);
    Journal.create(marks.journal(0), SystemMedium.SYSTEM, 7, 0);
    Journal journal =
        new Journal(marks, SystemMedium.SYSTEM, 7, 0, Journal.HEADER_BYTES, ReentrantLock::new);
    AtomicLong ids = new AtomicLong();
    Segments.Writing nobody =
        new Segments.Writing() {
          @Override
          public void flush(SegmentBuffer buffer) {}

          @Override
          public void foot(Segment segment) {}
        };
    Segments segments =
        new Segments(
            geometry.segments(),
            geometry.segmentBytes(),
            new BufferPool(new UnpooledByteBufAllocator(true), geometry.segmentBytes()),
            ids::incrementAndGet,
            journal,
            nobody);
    QueueAdmission admission =
        new QueueAdmission(
            geometry.slabBytes(),
            geometry.segmentBytes(),
            geometry.totalBytes() / geometry.records());
    return new Catalogue(geometry.records(), segments, admission, ids::incrementAndGet, journal);
  }

  /** As many as there is room for: each takes a slot, a note, and a place in the admission. */
  private static void fill(Catalogue catalogue, Geometry geometry, int objects) {
    Segments segments = catalogue.segments();
    for (int i = 0; i < geometry.segments(); i++) {
      segments.found(i, Lane.values()[i % 2], Segment.Kind.PACKED, i + 1, geometry.segmentBytes());
    }
    Random random = new Random(1);
    for (int i = 0; i < objects; i++) {
      int segment = (int) ((long) i * geometry.segments() / objects);
      Contents.Entry entry =
          Contents.Entry.of(random.nextLong(), random.nextLong())
              .version(geometry.segments() + i + 1)
              .offset(Geometry.SEGMENT_HEADER_BYTES)
              .length(FirstBlock.FIXED_BYTES)
              .build();
      assertThat(catalogue.contents().adopt(entry, segment)).isTrue();
    }
  }

  /** Gigabytes, and how many of the records are in use. */
  @ParameterizedTest
  @CsvSource({"16, 1.0", "16, 0.75"})
  void isAtMost120Bytes(long gigabytes, double share) throws IOException, InterruptedException {
    Geometry geometry = Geometry.of(gigabytes << 30, MEAN_BYTES);
    int objects = (int) (geometry.records() * share);
    assertThat(objects).isGreaterThan(1_000_000);
    Used before = Used.settled();
    Catalogue catalogue = catalogue(geometry);
    Records records = new Records(geometry.records(), new UnpooledByteBufAllocator(true));
    fill(catalogue, geometry, objects);
    Used now = Used.now();
    long index = now.direct - before.direct;
    long lists = now.heap - before.heap;
    assertThat(catalogue.objects()).isEqualTo(objects);
    assertThat(index).as("each has a slot").isGreaterThan(40L * objects);
    assertThat(lists).as("each has a note").isGreaterThan(4L * objects);
    try (ChronicleRecordMap heads =
        ChronicleRecordMap.create(Records.capacity(geometry.records()))) {
      assertThat((index + lists + heads.memoryBytes()) / objects)
          .as("index %d, lists %d, heads %d", index, lists, heads.memoryBytes())
          .isLessThanOrEqualTo(MOST_BYTES);
    }
    records.close();
  }

  @ParameterizedTest
  @CsvSource({"107374182400, 13312", "2147483648, 13312", "104857600, 1024"})
  void isAsCalculatedBeforeTheOpening(long totalBytes, long meanBytes) {
    DiskSettings disk =
        DiskSettings.with(List.of(StoreFixture.dir(Path.of("/none"), totalBytes)))
            .meanObjectBytes(meanBytes)
            .build();
    Geometry geometry = Geometry.of(totalBytes, meanBytes);
    long index =
        Catalogue.memoryBytes(geometry.records())
            + (long) Records.capacity(geometry.records()) * ChronicleRecordMap.ENTRY_BYTES;
    long admission =
        new QueueAdmission(
                geometry.slabBytes(), geometry.segmentBytes(), totalBytes / geometry.records())
            .memoryBytes();

    DiskMemory said = DiskMemory.of(disk);
    assertThat(said.indexBytes()).isEqualTo(index);
    assertThat(said.heapBytes())
        .isGreaterThanOrEqualTo(admission + notes(geometry.records(), geometry.segments()));
    assertThat(said.directBytes()).isBetween(index, index + (20 << 20));
  }

  private static long notes(int objects, int segments) {
    return SegmentNotes.bytes(objects / segments + 1) * segments;
  }

  /** The measured memory is the calculated memory of the index. */
  @Test
  void anIndexTakesNoMoreThanItSays() throws IOException, InterruptedException {
    Geometry geometry = Geometry.of(2L << 30, MEAN_BYTES);
    Used before = Used.now();
    Catalogue catalogue = catalogue(geometry);
    fill(catalogue, geometry, geometry.records());
    assertThat(Used.now().direct - before.direct)
        .isBetween(
            40L * geometry.records(), Catalogue.memoryBytes(geometry.records()) + (64 << 10));
    assertThat(catalogue.objects()).isEqualTo(geometry.records());
  }
}

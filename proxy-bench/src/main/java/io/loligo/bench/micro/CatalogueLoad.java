package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.store.admission.Lane;
import io.loligo.store.admission.QueueAdmission;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.Publication;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.segment.BufferPool;
import io.loligo.store.disk.segment.Segment;
import io.loligo.store.disk.segment.SegmentBuffer;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** A catalogue with responses but without slabs, for benchmarks. Thread-safe: any thread. */
public final class CatalogueLoad implements AutoCloseable {
  /** Responses in it. */
  public static final int OBJECTS = 1 << 15;

  private static final long MEAN_BYTES = 13 << 10;

  /** Fewer than 65,536 records: one stripe. */
  private static final long SMALL_BYTES = 512L << 20;

  /** Sixteen stripes. */
  private static final long LARGE_BYTES = 16L << 30;

  private static final long MIX = 0x9E3779B97F4A7C15L;
  private static final CacheKey KEY = Objects.requireNonNull(CacheKeys.of("http://bench.example/"));

  private final AtomicLong ids = new AtomicLong(1 << 20);
  private final Marks marks;
  private final Journal journal;
  private final Geometry geometry;
  private final Catalogue catalogue;

  /**
   * Full of {@link #OBJECTS} responses.
   *
   * @param temp an empty directory, for the journal
   * @param striped whether the index has stripes
   */
  public CatalogueLoad(Path temp, boolean striped) throws IOException {
    geometry = Objects.requireNonNull(Geometry.of(striped ? LARGE_BYTES : SMALL_BYTES, MEAN_BYTES));
    marks = Marks.lock(temp);
    SystemMedium.SYSTEM.allocate(marks.journal(0), geometry.journalBytes());
    Journal.create(marks.journal(0), SystemMedium.SYSTEM, 7, 0);
    journal =
        new Journal(marks, SystemMedium.SYSTEM, 7, 0, Journal.HEADER_BYTES, ReentrantLock::new);
    Segments segments =
        new Segments(
            geometry.segments(),
            geometry.segmentBytes(),
            new BufferPool(new UnpooledByteBufAllocator(true), geometry.segmentBytes()),
            ids::incrementAndGet,
            journal,
            new NoWriting());
    QueueAdmission admission =
        new QueueAdmission(geometry.slabBytes(), geometry.segmentBytes(), MEAN_BYTES);
    catalogue =
        new Catalogue(geometry.records(), segments, admission, ids::incrementAndGet, journal);
    for (int i = 0; i < geometry.segments(); i++) {
      segments.found(i, Lane.PROBATION, Segment.Kind.PACKED, i + 1, geometry.segmentBytes());
    }
    Changer changer = new Changer(0, OBJECTS);
    for (int i = 0; i < OBJECTS; i++) {
      if (!changer.change()) {
        throw new IllegalStateException("no room for response " + i);
      }
    }
  }

  private static long high(int object) {
    return (object + 1) * MIX;
  }

  /** Looks for response {@code object}, as an event loop does: how many variants there are. */
  public int look(int object) {
    long high = high(object);
    return catalogue.mayHold(high) ? catalogue.variants(high).size() : 0;
  }

  /** A thread that replaces the responses from {@code from} up to {@code to} in turn. */
  public Changer changer(int from, int to) {
    return new Changer(from, to);
  }

  @Override
  public void close() throws IOException {
    journal.close();
    marks.close();
  }

  /** Replaces responses, as a store does when a block stands in its buffer. One thread's. */
  public final class Changer {
    private final ByteBuf[] blocks;
    private final Layout layout = Objects.requireNonNull(Layout.of(0, 0, geometry));
    private int next;
    private int segment;

    private Changer(int from, int to) {
      blocks = new ByteBuf[to - from];
      segment = from % geometry.segments();
      for (int i = 0; i < blocks.length; i++) {
        ByteBuf block = Unpooled.buffer(FirstBlock.FIXED_BYTES + KEY.length());
        FirstBlock.begin(
            block,
            1,
            high(from + i),
            from + i,
            KEY,
            Unpooled.EMPTY_BUFFER,
            layout,
            Contents.NO_PIECES,
            Unpooled.EMPTY_BUFFER);
        Block.seal(block, 0, 1);
        blocks[i] = block;
      }
    }

    /** Replaces the next one; whether that worked. */
    public boolean change() {
      ByteBuf block = blocks[next];
      next = next + 1 == blocks.length ? 0 : next + 1;
      segment = segment + 1 == geometry.segments() ? 0 : segment + 1;
      FirstBlock.version(block, ids.incrementAndGet());
      long place = SlabPlace.of(segment, Geometry.SEGMENT_HEADER_BYTES);
      Publication publication =
          new Publication(block, place, Contents.NO_PIECES, layout).leavesNothing();
      return catalogue.publish(publication) == Catalogue.Published.DONE;
    }
  }

  private static final class NoWriting implements Segments.Writing {
    @Override
    public void flush(SegmentBuffer buffer) {
      throw new IllegalStateException("nothing is written");
    }

    @Override
    public void foot(Segment segment) {
      throw new IllegalStateException("nothing is written");
    }
  }
}

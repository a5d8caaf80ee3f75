package io.loligo.store.disk.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import net.openhft.chronicle.hash.ChronicleHashCorruption;
import net.openhft.chronicle.hash.impl.BigSegmentHeader;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import net.openhft.chronicle.map.VanillaChronicleMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in a Chronicle Map: a file of constant size, mapped. Thread-safe: any disk thread.
 *
 * <p>The first use in a process compiles classes and takes some 2.5 s of processor time: never on
 * the way to the open port. {@link #fileBytes} alone is mere arithmetic and loads nothing.
 *
 * <p>Our own locks stand before those in the file, one for some of its segments: a thread that
 * waits for another's page fault is parked instead of spinning, and a lock in the file that is
 * taken is one that was damaged. What fails once is not touched again: every later call says why.
 * No lock is waited for without a limit.
 *
 * <p>Whoever writes into the file from outside can have records vanish, turn up as other octets, or
 * have the map fail with an {@link IOException}; {@link RecordQuery} says why no more than that.
 */
public final class ChronicleRecordMap implements RecordMap {
  private static final Logger LOG = LoggerFactory.getLogger(ChronicleRecordMap.class);
  private static final int STRIPES = 256;

  /** Longer than a disk is away that comes back. */
  private static final long PATIENCE_SECONDS = 60;

  /** For a lock in the file, which our own locks keep free. */
  private static final String LOCK_TIMEOUT = "net.openhft.chronicle.map.lockTimeoutSeconds";

  /**
   * Else Chronicle makes a directory "target", from the working directory up or for temporaries.
   */
  private static final String TARGET_DIRECTORY = "project.build.directory";

  private final Path file;
  private final Geometry geometry;
  private final VanillaChronicleMap<byte[], byte[], Object> map;
  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];
  private final LongAdder size = new LongAdder();
  private final FastThreadLocal<RecordQuery> queries =
      new FastThreadLocal<>() {
        @Override
        protected RecordQuery initialValue() {
          return new RecordQuery(map, geometry);
        }
      };

  /** Why nothing goes any more; null while it does. */
  private volatile IOException over;

  private ChronicleRecordMap(
      Path file, Geometry geometry, VanillaChronicleMap<byte[], byte[], Object> map) {
    this.file = file;
    this.geometry = geometry;
    this.map = map;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new ReentrantLock();
    }
    for (int segment = 0; segment < geometry.segments(); segment++) {
      size.add(BigSegmentHeader.INSTANCE.entries(map.segmentHeaderAddress(segment)));
    }
  }

  /** Octets of the file of a map for so many records; it never has more. Loads nothing. */
  public static long fileBytes(long records) {
    return Geometry.of(records).fileBytes();
  }

  /**
   * Makes an empty map in place of what is at {@code file}, with all of its space allocated.
   *
   * @throws IOException there is no space for it, or it cannot be written
   */
  public static ChronicleRecordMap create(Path file, long records) throws IOException {
    Geometry geometry = Geometry.of(records);
    Files.deleteIfExists(file);
    try {
      Preallocation.allocate(file, geometry.fileBytes());
      MapFile.prepareRecovery(file, geometry, true);
      return new ChronicleRecordMap(file, geometry, recovered(file, geometry));
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /**
   * Opens a map that was closed. The octets of the file must be those it was closed with, which the
   * caller knows by a checksum; what is damaged beyond that is refused here where it can be told
   * from the pages that say where everything is.
   *
   * @throws IOException no such file, not closed, another number of records, or damaged
   */
  public static ChronicleRecordMap open(Path file, long records) throws IOException {
    Geometry geometry = Geometry.of(records);
    checkExists(file);
    return new ChronicleRecordMap(
        file,
        geometry,
        checked(
            file,
            geometry,
            () -> {
              MapFile.check(file, geometry);
              return builder(geometry).createPersistedTo(file.toFile());
            }));
  }

  /**
   * Opens a map whatever was done to its file, as long as that has its length: entries that can be
   * reached are kept, the rest is given up. Whether what is in a record is whole is for its reader
   * to find out, also that it is not an older one. Reads all of the index and writes it.
   *
   * @throws IOException no such file, another number of records, or it cannot be read or written
   */
  public static ChronicleRecordMap recover(Path file, long records) throws IOException {
    Geometry geometry = Geometry.of(records);
    checkExists(file);
    MapFile.prepareRecovery(file, geometry, false);
    return new ChronicleRecordMap(file, geometry, recovered(file, geometry));
  }

  private static void checkExists(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(file.toString());
    }
  }

  private static ChronicleMapBuilder<byte[], byte[]> builder(Geometry geometry) {
    return ChronicleMapBuilder.of(byte[].class, byte[].class)
        .name("records")
        .constantKeySizeBySample(new byte[Geometry.KEY_BYTES])
        .constantValueSizeBySample(new byte[RECORD_BYTES])
        .actualSegments(geometry.segments())
        .entriesPerSegment(geometry.chunks())
        .actualChunksPerSegmentTier(geometry.chunks())
        .allowSegmentTiering(false)
        .checksumEntries(false)
        .skipCloseOnExitHook(true);
  }

  private static VanillaChronicleMap<byte[], byte[], Object> recovered(Path file, Geometry geometry)
      throws IOException {
    Losses losses = new Losses();
    VanillaChronicleMap<byte[], byte[], Object> map =
        checked(
            file,
            geometry,
            () -> builder(geometry).recoverPersistedTo(file.toFile(), true, losses));
    LOG.debug("{}: {} repairs", file, losses.count);
    return map;
  }

  /** Something that uses Chronicle Map and may fail in any way. */
  private interface Opening {
    ChronicleMap<byte[], byte[]> open() throws IOException;
  }

  @SuppressWarnings("unchecked") // there is no other kind for a map that is not replicated
  private static VanillaChronicleMap<byte[], byte[], Object> checked(
      Path file, Geometry geometry, Opening opening) throws IOException {
    setUnlessSet(LOCK_TIMEOUT, "2");
    setUnlessSet(TARGET_DIRECTORY, System.getProperty("java.io.tmpdir"));
    VanillaChronicleMap<byte[], byte[], Object> map;
    try {
      map = (VanillaChronicleMap<byte[], byte[], Object>) opening.open();
      PageFault.notice();
    } catch (RuntimeException | LinkageError | InternalError | AssertionError e) {
      throw new IOException(file + " cannot be used as a map: " + rootOf(e), e);
    }
    if (map.actualSegments != geometry.segments()
        || map.actualChunksPerSegmentTier != geometry.chunks()
        || map.chunkSize != Geometry.CHUNK_BYTES
        || map.tierHashLookupCapacity != geometry.slots()
        || map.tierHashLookupSlotSize != Geometry.SLOT_BYTES
        || map.tierSize != geometry.segmentBytes()
        || map.tierEntrySpaceInnerOffset != 0
        || map.segmentHeadersOffset != Geometry.FIRST_PAGE_BYTES
        || map.dataStoreSize() != geometry.dataBytes()
        || Files.size(file) != geometry.fileBytes()) {
      map.close();
      throw new IOException(file + " is a map of another layout (expected: " + geometry + ")");
    }
    return map;
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  @Override
  public boolean get(long high, long low, ByteBuf into) throws IOException {
    into.ensureWritable(RECORD_BYTES);
    RecordQuery query = usableQuery();
    ReentrantLock stripe = begin(query, high, low);
    try {
      boolean was = query.read(into);
      query.close();
      PageFault.notice();
      return was;
    } catch (RuntimeException | Error e) {
      throw fail(query, e);
    } finally {
      stripe.unlock();
    }
  }

  @Override
  public boolean put(long high, long low, ByteBuf record) throws IOException {
    if (record.readableBytes() < RECORD_BYTES) {
      throw new IllegalArgumentException(
          "octets: " + record.readableBytes() + " (expected: " + RECORD_BYTES + ")");
    }
    RecordQuery query = usableQuery();
    ReentrantLock stripe = begin(query, high, low);
    try {
      RecordQuery.Written written = query.write(record);
      query.close();
      PageFault.notice();
      if (written == RecordQuery.Written.NEW) {
        size.increment();
      }
      return written != RecordQuery.Written.NO_ROOM;
    } catch (RuntimeException | Error e) {
      throw fail(query, e);
    } finally {
      stripe.unlock();
    }
  }

  @Override
  public boolean remove(long high, long low) throws IOException {
    RecordQuery query = usableQuery();
    ReentrantLock stripe = begin(query, high, low);
    try {
      boolean was = query.delete();
      query.close();
      PageFault.notice();
      if (was) {
        size.decrement();
      }
      return was;
    } catch (RuntimeException | Error e) {
      throw fail(query, e);
    } finally {
      stripe.unlock();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A segment's records are copied under its lock and visited without it, in the order of the
   * file. A slot that leads to an entry of another key is left out.
   */
  @Override
  public void forEach(Visitor visitor) throws IOException {
    Octets copy = new Octets(geometry.chunks() * Geometry.CHUNK_BYTES);
    ByteBuffer octets = copy.whole();
    ByteBuf record = Unpooled.wrappedBuffer(octets);
    SegmentScan scan = new SegmentScan(map, geometry);
    for (int segment = 0; segment < geometry.segments(); segment++) {
      int end = copySegment(segment, scan, copy);
      for (int at = 0; at < end; at += Geometry.CHUNK_BYTES) {
        record.setIndex(at + Geometry.KEY_BYTES, at + Geometry.CHUNK_BYTES);
        visitor.visit(octets.getLong(at), octets.getLong(at + Long.BYTES), record);
      }
    }
  }

  private int copySegment(int segment, SegmentScan scan, Octets copy) throws IOException {
    ReentrantLock stripe = lock(segment);
    try {
      int end = scan.copy(segment, copy);
      PageFault.notice();
      return end;
    } catch (RuntimeException | Error e) {
      throw fail(null, e);
    } finally {
      stripe.unlock();
    }
  }

  @Override
  public long size() {
    return Math.max(0, size.sum());
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException a thread does not come back from the file, which stays mapped
   */
  @Override
  public void close() throws IOException {
    int held = 0;
    try {
      while (held < STRIPES) {
        acquire(stripes[held]);
        held++;
      }
      over = new IOException(file + " is closed");
      map.close();
    } finally {
      while (held > 0) {
        stripes[--held].unlock();
      }
    }
  }

  private RecordQuery usableQuery() throws IOException {
    checkUsable();
    return queries.get();
  }

  private void checkUsable() throws IOException {
    IOException why = over;
    if (why != null) {
      throw new IOException(why.getMessage(), why);
    }
  }

  private ReentrantLock begin(RecordQuery query, long high, long low) throws IOException {
    int segment;
    try {
      segment = query.segmentOf(high, low);
    } catch (RuntimeException e) {
      throw fail(query, e);
    }
    try {
      return lock(segment);
    } catch (IOException e) {
      query.close();
      throw e;
    }
  }

  private ReentrantLock lock(int segment) throws IOException {
    ReentrantLock stripe = stripes[segment % STRIPES];
    acquire(stripe);
    try {
      checkUsable();
      return stripe;
    } catch (IOException e) {
      stripe.unlock();
      throw e;
    }
  }

  private void acquire(ReentrantLock stripe) throws IOException {
    try {
      if (!stripe.tryLock() && !stripe.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            file + " holds a thread for more than " + PATIENCE_SECONDS + " s: is its disk there?");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted before a record of " + file);
    }
  }

  /** Nothing is to be touched any more. The thread's query, in whatever state it is, is dropped. */
  private IOException fail(RecordQuery query, Throwable cause) {
    IOException failure = new IOException(file + " cannot be used any more: " + cause, cause);
    over = failure;
    if (query != null) {
      queries.remove();
      try {
        query.close();
        PageFault.notice();
      } catch (RuntimeException | Error e) {
        failure.addSuppressed(e);
      }
    }
    if (cause instanceof OutOfMemoryError error) {
      throw error;
    }
    return failure;
  }

  /** What a recovery finds wrong, which is a lot of one kind: counted, not told. */
  private static final class Losses implements ChronicleHashCorruption.Listener {
    private long count;

    @Override
    public void onCorruption(ChronicleHashCorruption corruption) {
      count++;
    }
  }
}

package io.loligo.store.disk;

import io.loligo.store.admission.DiskAdmission;
import io.loligo.store.admission.QueueAdmission;
import io.loligo.store.admission.SecondRequestAdmission;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.context.ReadFailures;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.read.Records;
import io.loligo.store.disk.record.RecordMap;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.BufferPool;
import io.loligo.store.disk.segment.Segments;
import io.loligo.store.disk.space.Space;
import io.loligo.store.disk.start.Checkpoints;
import io.loligo.store.disk.start.DirectoryOpening;
import io.loligo.store.disk.write.SegmentWriting;
import io.loligo.store.disk.write.Writer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a directory: opens them, assembles the objects that work on them, and closes them.
 * Confined to disk threads.
 */
final class DirectoryFiles {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryFiles.class);
  private static final int ID_SHIFT = 20;

  /**
   * The parts of a directory; see {@link DiskDirectory}.
   *
   * @param onSecondRequest whether a response is written only when it arrives again
   */
  record Parts(
      CacheDir config,
      boolean onSecondRequest,
      Geometry geometry,
      Marks marks,
      Medium medium,
      DiskThreads threads,
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DirectoryCounters counters,
      DiskTier.MemoryView memory,
      Predicate<ByteBuf> banned,
      Consumer<Throwable> broken) {}

  private final Parts parts;
  private final Marks marks;
  private final Geometry geometry;
  private Marks.@Nullable Header header;
  private volatile @Nullable DirectoryContext context;

  /** Whether the slabs stay open for readers when the rest is closed. */
  private boolean keepsReading;

  /** Closed, except for its slabs; null: there is none. */
  private @Nullable DirectoryContext read;

  /** Removals could not be written: the state on the disk differs from the state in memory. */
  private boolean lostRemovals;

  @SuppressWarnings("NullAway.Init") // set by build, before there is a context
  private Records records;

  private final Checkpoints checkpoints;
  private final SegmentWriting writing;

  DirectoryFiles(Parts parts) {
    this.parts = parts;
    this.marks = parts.marks;
    this.geometry = parts.geometry;
    this.checkpoints = new Checkpoints(marks, geometry, parts.allocator);
    this.writing = new SegmentWriting(parts.threads, () -> context);
  }

  /** Told when the directory can be searched while it is still being opened. */
  interface Begun {
    void begun(OpenDirectory directory, DirectoryOpening opening);
  }

  /**
   * Opens everything.
   *
   * @param stopped whether the result is no longer wanted
   * @param progress run when more of what {@code begun} was told is final
   */
  OpenDirectory open(BooleanSupplier stopped, Begun begun, Runnable progress) throws IOException {
    lostRemovals = false;
    discardOtherSize(parts.config, marks, geometry);
    header = grown(marks.readHeader());
    if (header == null) {
      if (marks.isUsed()) {
        LOG.warn(
            "cache_dir {}: written by another version, or damaged: its content is discarded; next:"
                + " nothing, it fills again",
            parts.config.path());
      }
      return fresh();
    }
    raiseIds(0);
    DirectoryOpening opening =
        new DirectoryOpening(
            geometry, marks, directory(), stopped, progress, parts.memory::alternativeLeft);
    OpenDirectory open;
    try {
      long last = lastJournal();
      if (last < 0 || !opening.begin(last)) {
        LOG.warn(
            "cache_dir {}: checkpoints or journals are missing or damaged: its content is"
                + " discarded; next: look for faults of the disk, it fills again",
            parts.config.path());
        return fresh();
      }
      allocate();
      open = build(last, opening.journalEnd());
      begun.begun(open, opening);
      opening.fill(context().catalogue(), context().blocks());
      checkpoints.goOnFrom(opening.slot(), opening.firstJournal());
    } finally {
      opening.close();
    }
    if (opening.rejected() > 0) {
      LOG.warn(
          "cache_dir {}: {} incomplete responses were dropped; next: nothing after a crash, else"
              + " look for faults of the disk",
          parts.config.path(),
          opening.rejected());
    }
    raiseIds(opening.highestId() + 1);
    return open;
  }

  /** {@code there}, after the files were made longer for a larger geometry. */
  private Marks.@Nullable Header grown(Marks.@Nullable Header there) throws IOException {
    if (there == null || there.geometry().equals(geometry)) {
      return there;
    }
    LOG.info(
        "cache_dir {}: grows from {} to {} MB, its content stays",
        parts.config.path(),
        there.geometry().totalBytes() >> 20,
        geometry.totalBytes() >> 20);
    allocate();
    for (int i = 0; i < geometry.files(); i++) {
      parts.medium.allocate(marks.slabs(i), geometry.fileBytes(i));
    }
    Marks.Header larger = new Marks.Header(there.secret(), geometry);
    marks.writeHeader(larger);
    return larger;
  }

  /**
   * Discards the content of a directory whose header has another {@code geometry}, unless that has
   * only grown.
   */
  static void discardOtherSize(CacheDir config, Marks marks, Geometry geometry) throws IOException {
    Marks.Header there = marks.readHeader();
    if (there != null && !geometry.isGrown(there.geometry())) {
      LOG.warn(
          "cache_dir {}: another size than before ({}, now {}): its content is discarded; next:"
              + " nothing, it fills again",
          config.path(),
          there.geometry(),
          geometry);
      marks.empty(geometry);
    }
  }

  /** The parts of the open directory. */
  private DirectoryContext context() {
    DirectoryContext now = context;
    assert now != null : "not open";
    return now;
  }

  private long directory() {
    assert header != null : "not open";
    return header.secret().directory();
  }

  /** The number of the newest journal; -1 if one that may be the newest is missing or cut. */
  private long lastJournal() throws IOException {
    long last = 0;
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      long number = Journal.number(marks.journal(i), directory());
      if (number < 0
          || number % FileSizes.JOURNALS != i
          || Files.size(marks.journal(i)) < geometry.journalBytes()) {
        return -1;
      }
      last = Math.max(last, number);
    }
    return last;
  }

  private void allocate() throws IOException {
    for (int i = 0; i < 2; i++) {
      parts.medium.allocate(marks.checkpoint(i), geometry.checkpointBytes());
    }
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      parts.medium.allocate(marks.journal(i), geometry.journalBytes());
    }
  }

  private OpenDirectory fresh() throws IOException {
    raiseIds(0);
    header = marks.create(geometry, parts.medium.random());
    allocate();
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      Journal.create(marks.journal(i), parts.medium, directory(), i);
    }
    OpenDirectory open = build(FileSizes.JOURNALS - 1, Journal.HEADER_BYTES);
    context().catalogue().settle();
    checkpoints.begin();
    checkpoint();
    marks.writeHeader(header);
    return open;
  }

  private void raiseIds(long least) {
    long now = Math.max(least, parts.medium.millis() << ID_SHIFT);
    parts.ids.accumulateAndGet(now, Math::max);
  }

  /** Opens the slabs, and journal {@code number} at its end, and assembles the rest around them. */
  private OpenDirectory build(long number, long end) throws IOException {
    Slab slab = parts.medium.slabs(marks, geometry);
    Journal journal;
    try {
      journal = new Journal(marks, parts.medium, directory(), number, end, parts.threads::newLock);
    } catch (IOException e) {
      slab.close();
      throw e;
    }
    BufferPool pool = new BufferPool(parts.allocator, geometry.segmentBytes());
    Segments segments =
        new Segments(
            geometry.segments(),
            geometry.segmentBytes(),
            pool,
            parts.ids::incrementAndGet,
            journal,
            writing);
    Catalogue catalogue =
        new Catalogue(
            geometry.records(), segments, admission(), parts.ids::incrementAndGet, journal);
    Blocks blocks =
        new Blocks(slab, segments, geometry.segmentBytes(), parts.allocator, parts.medium::nanos);
    Space space =
        new Space(
            catalogue,
            blocks,
            journal,
            geometry,
            block -> parts.memory.serves(FirstBlock.key(block)),
            parts.banned,
            parts.threads.newLock(),
            parts.counters.damaged);
    assert header != null : "not open";
    Secret secret = header.secret();
    Writer writer = new Writer(catalogue, blocks, space, geometry, secret);
    records = new Records(geometry.records(), parts.allocator);
    Consumer<Throwable> broken = why -> broken(journal, why);
    ReadFailures failures = new ReadFailures(parts.config.path(), broken);
    Loader loader =
        new Loader(
            catalogue,
            records,
            blocks,
            secret,
            parts.transit,
            parts.threads,
            parts.counters,
            parts.memory::wants,
            failures);
    context =
        new DirectoryContext(
            secret,
            catalogue,
            blocks,
            space,
            journal,
            pool,
            geometry,
            parts.medium,
            parts.threads,
            parts.transit,
            parts.counters,
            failures,
            broken);
    return new OpenDirectory(context, loader, writer);
  }

  private DiskAdmission admission() {
    long mean = geometry.totalBytes() / geometry.records();
    DiskAdmission queue = new QueueAdmission(geometry.slabBytes(), geometry.segmentBytes(), mean);
    return parts.onSecondRequest
        ? new SecondRequestAdmission(
            queue, hash -> context().catalogue().mayHold(hash), geometry.slabBytes(), mean)
        : queue;
  }

  /**
   * {@code of} failed. Ignored unless it is the current journal: the files of an earlier one are
   * closed.
   */
  private void broken(Journal of, Throwable why) {
    DirectoryContext now = context;
    if (now != null && now.journal().equals(of)) {
      parts.broken.accept(why);
    }
  }

  /**
   * Makes the parts that take a while and are not needed at once: access to the page cache, the map
   * of heads.
   */
  void prepare() {
    DirectoryContext now = context;
    if (now == null) {
      return;
    }
    now.blocks().prepare();
    try {
      RecordMap map = parts.medium.records(Records.capacity(geometry.records()));
      if (map != null) {
        records.use(map);
      }
    } catch (IOException | RuntimeException | LinkageError e) {
      LOG.warn(
          "cache_dir {}: heads are read from the disk, which is slower; next: use a Java with"
              + " the module jdk.compiler, give the process more memory, or report this with the"
              + " trace",
          parts.config.path(),
          e);
    }
  }

  // Checkpoints

  /** Whether so much has changed that a start would take long without another checkpoint. */
  boolean isCheckpointDue() {
    return checkpoints.isDue(context().journal());
  }

  /** Writes a checkpoint of the present state, in place of the older one. One at a time. */
  void checkpoint() throws IOException {
    checkpoints.write(context());
  }

  /** Checkpoints written so far. */
  int checkpoints() {
    return checkpoints.count();
  }

  /** Whether the last state must not be opened again with its present content. */
  boolean lostRemovals() {
    return lostRemovals;
  }

  // Closing

  /**
   * Writes everything and closes the files. The threads have ended.
   *
   * @param missed first halves of hashes under which nothing is stored any more
   */
  void close(Set<Long> missed) throws IOException {
    if (context == null) {
      return;
    }
    missed.forEach(high -> context.catalogue().dropAll(high, false));
    try {
      context.segments().closeAll();
      writing.finish();
      context.journal().flush();
      if (context.segments().unflushed() == 0) {
        checkpoint();
      }
    } finally {
      abandon();
    }
  }

  /** Keeps the slabs open for readers when the rest is closed, until {@link #endReading}. */
  void keepReading() {
    keepsReading = true;
  }

  /** Closes the slabs. No reader is left, or none reads any more. */
  void endReading() {
    DirectoryContext last = read;
    read = null;
    if (last != null) {
      records.close();
      closeSlabs(last);
    }
  }

  /** The same without missed removals. */
  void abandon() {
    abandon(Set.of());
  }

  /**
   * Closes the files as they are: the content of buffers is lost, and no older version returns for
   * it.
   *
   * @param missed first halves of hashes under which nothing is stored any more
   */
  void abandon(Set<Long> missed) {
    DirectoryContext last = context;
    if (last == null) {
      lostRemovals |= !missed.isEmpty();
      return;
    }
    context = null;
    writing.giveUp();
    last.catalogue().dropUnwritten();
    missed.forEach(high -> last.catalogue().dropAll(high, false));
    last.segments().giveUpBuffers();
    if (!keepsReading) {
      records.close();
    }
    try {
      last.journal().close();
    } catch (IOException e) {
      LOG.debug("cache_dir {}: {}", parts.config.path(), e.toString());
    }
    lostRemovals = last.journal().isIncomplete();
    if (keepsReading) {
      read = last;
    } else {
      closeSlabs(last);
    }
  }

  private void closeSlabs(DirectoryContext last) {
    try {
      last.blocks().close();
    } catch (IOException e) {
      LOG.debug("cache_dir {}: {}", parts.config.path(), e.toString());
    }
  }
}

package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Presence;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.purge.PurgeFile;
import io.loligo.store.disk.purge.StaleUrls;
import io.loligo.store.disk.start.DirectoryOpening;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code cache_dir}: stored responses on disk, in a space of constant size. Thread-safe: any
 * thread; nothing here blocks but {@link #claim} and {@link #close}.
 */
final class DiskDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskDirectory.class);

  /** Delay before a directory that is off is opened again; it doubles after each failure. */
  private static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long MAX_BACK_OFF_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Longest time for pending writes when it is closed. */
  static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Removals and notes pending for the disk; with more the directory turns off. */
  static final int MAX_BEHIND = 65_536;

  private final DirectoryState state = new DirectoryState();
  private final MissedRemovals missed = new MissedRemovals(state);
  private final DirectoryClaim claim;
  private final DiskSettings settings;
  private volatile CacheDir config;
  private final Geometry geometry;
  private final Marks marks;
  private final PurgeFile purges;
  private final StaleUrls staleUrls;
  private final DiskThreads threads;
  private final Medium medium;
  private final DirectoryCounters counters = new DirectoryCounters();
  private final CompletableFuture<Void> opened = new CompletableFuture<>();

  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicBoolean reopening = new AtomicBoolean();
  private volatile long reopenNanos;
  private volatile long backOffNanos = BACK_OFF_NANOS;
  private Runnable whenBack = () -> {};
  private Runnable whenReady = () -> {};
  private final DirectoryRemovals removals;
  private final DirectoryFiles files;
  private final Presence presence;
  private final Upkeep upkeep;
  private final DirectoryReads reads;
  private final DirectoryWrites writes;

  private final AtomicInteger urgent = new AtomicInteger();
  private volatile boolean given;

  /** Completes when its lock is released: another one may claim it. */
  private final CompletableFuture<Void> released = new CompletableFuture<>();

  private Runnable whenOff = () -> {};
  private volatile boolean behind;

  private DiskDirectory(
      DirectoryClaim claim,
      DiskThreads threads,
      DiskSettings disk,
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      Medium medium) {
    this.claim = claim;
    this.settings = disk;
    this.config = claim.config();
    this.geometry = claim.geometry();
    this.marks = claim.marks();
    this.purges = claim.purges();
    this.staleUrls = new StaleUrls(purges);
    this.threads = threads;
    this.removals = new DirectoryRemovals(this, state, missed, threads, purges);
    this.medium = medium;
    this.files =
        new DirectoryFiles(
            new DirectoryFiles.Parts(
                config,
                disk.onSecondRequest(),
                geometry,
                marks,
                medium,
                threads,
                ids,
                allocator,
                transit,
                counters,
                memory,
                block -> staleUrls.isGone(block, purges.bans()),
                this::fail));
    this.presence = new Presence(marks);
    this.upkeep =
        new Upkeep(
            config.path(),
            files,
            purges,
            staleUrls,
            new PatrolFinds(config.path(), memory),
            presence,
            medium::nanos,
            this::fail);
    this.reads = new DirectoryReads(state, missed, threads, disk, medium::nanos);
    this.writes =
        new DirectoryWrites(
            state, config, geometry, threads, ids, counters, transit, memory, medium);
  }

  /** The geometry of {@code dir}, or null if it is too small. */
  static @Nullable Geometry geometry(CacheDir dir, long meanObjectBytes) {
    return SystemMedium.SYSTEM.geometry(dir.maxBytes(), meanObjectBytes);
  }

  /** Disk threads of each directory. */
  static int threads(DiskSettings disk) {
    return Math.max(2, disk.threads());
  }

  /**
   * Claims the directory: it exists, is writable and large enough, and no other process has it.
   * {@link #open} opens its content.
   *
   * @param ids the last number given to an object; all directories count on together, so that
   *     numbers tell which of two responses is newer in any of them
   * @throws IOException it cannot be claimed; names the line of the configuration and the remedy
   */
  static DiskDirectory claim(
      CacheDir dir,
      DiskSettings disk,
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      Medium medium)
      throws IOException {
    DirectoryClaim claim = DirectoryClaim.of(dir, disk.meanObjectBytes(), medium);
    DiskThreads threads;
    try {
      threads = medium.threads(threads(disk), disk.writeQueueBytes());
    } catch (RuntimeException | Error e) { // no more threads
      claim.marks().close();
      throw e;
    }
    return new DiskDirectory(claim, threads, disk, ids, allocator, transit, memory, medium);
  }

  // While it is in use

  /** Whether {@code dir} needs no other directory: only its options may differ. */
  boolean isLike(CacheDir dir, DiskSettings wanted) {
    return dir.maxBytes() == config.maxBytes()
        && wanted.meanObjectBytes() == settings.meanObjectBytes()
        && wanted.threads() == settings.threads()
        && wanted.writeQueueBytes() == settings.writeQueueBytes()
        && wanted.onSecondRequest() == settings.onSecondRequest();
  }

  /** Other options, from now on; {@link #isLike} holds. */
  void reconfigure(CacheDir dir, DiskSettings wanted) {
    config = dir;
    writes.reconfigure(dir);
    reads.reconfigure(wanted);
  }

  /**
   * Whether its files are no longer at its path: its disk is not mounted, or the folder was removed
   * or replaced. Another one claimed there would be on another disk. Blocks.
   */
  boolean isGone() {
    return !state.isOpening() && presence.isGone();
  }

  /**
   * Checks that it can be closed and opened again as {@code dir}.
   *
   * @throws IOException it cannot; names the line and the remedy
   */
  void checkResized(CacheDir dir, DiskSettings wanted) throws IOException {
    Geometry next = DirectoryClaim.geometry(dir, wanted.meanObjectBytes(), medium);
    DirectoryClaim.checkSpace(dir, claim.path(), marks, next);
  }

  /**
   * Waits until no response is being read from it or written to it; returns whether there is none.
   */
  boolean awaitUnused(long deadlineNanos) {
    return counters.inUse.awaitNone(deadlineNanos);
  }

  /** Responses that are being read from it or written to it. */
  int inUse() {
    return counters.inUse.count();
  }

  // Between claim and open

  /** See {@link DirectoryClaim#fit}. Before everything else; blocks. */
  void fit() throws IOException {
    claim.fit(medium);
  }

  /** No request waits until it is open if it has no content. */
  void waitForContentOnly() {
    if (!marks.isUsed()) {
      reads.waitForNothing();
    }
  }

  DirectoryClaim claim() {
    return claim;
  }

  /** Empties it, before it is opened. */
  void discard(String why) throws IOException {
    if (marks.isUsed()) {
      LOG.warn(
          "cache_dir {}: {}: its content is discarded; next: nothing, it fills again",
          config.path(),
          why);
    }
    marks.discard();
  }

  /** Records whether it may hold older copies of responses that another directory has. */
  void behind(boolean behind) {
    this.behind = behind;
  }

  /** Runs {@code then} on a disk thread when it turns off. */
  void whenOff(Runnable then) {
    whenOff = then;
  }

  /** Runs {@code then} on a disk thread each time it is ready, or off instead. */
  void whenReady(Runnable then) {
    whenReady = then;
  }

  /** See {@link #open}. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Opens its content on a disk thread; completes when it is READY or OFF. */
  CompletableFuture<Void> open() {
    threads.urgent(this::openNow);
    return opened;
  }

  private void openNow() {
    long start = System.nanoTime();
    boolean ready = false;
    upkeep.begin();
    try {
      OpenDirectory filled = files.open(state::isClosed, this::begun, reads::serveWaiting);
      state.opened(filled);
      presence.remember();
      ready = removals.carryOutDeferred();
      if (ready) {
        LOG.info(
            "cache_dir {}: {} objects, {} MB, ready in {} ms",
            config.path(),
            filled.catalogue().objects(),
            filled.catalogue().storedBytes() >> 20,
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    } finally {
      removals.giveUpDeferred();
      missed.allAreThrough();
      reads.allIsFound();
      reads.serveWaiting();
      whenReady.run();
      opened.complete(null);
    }
    if (ready) {
      threads.write(files::prepare, 0, false);
    }
  }

  // Off, and back again

  private void reopenIfDue() {
    boolean due = state.isOff() && medium.nanos() - reopenNanos >= 0;
    if (due && reopening.compareAndSet(false, true) && !threads.urgent(this::reopenNow)) {
      reopening.set(false);
    }
  }

  private void reopenNow() {
    try {
      if (!isThere()) {
        throw new IOException("the directory was removed or replaced");
      }
      files.abandon();
      synchronized (state) {
        if (!state.isOff()) {
          return;
        }
        if (missed.hasMore() || files.lostRemovals()) {
          marks.discard();
          presence.forget();
          missed.clear();
        }
        state.openAgain();
      }
      LOG.info("cache_dir {}: opened again", config.path());
      openNow();
      if (state.isReady()) {
        whenBack.run();
        backOffNanos = BACK_OFF_NANOS;
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("cache_dir {}: still off", config.path(), e);
      backOff();
    } finally {
      reopening.set(false);
    }
  }

  private void backOff() {
    reopenNanos = medium.nanos() + backOffNanos;
    backOffNanos = Math.min(MAX_BACK_OFF_NANOS, backOffNanos * 2);
  }

  /** Runs {@code then} on a disk thread when it is ready after it was off. */
  void whenBack(Runnable then) {
    whenBack = then;
  }

  private void begun(OpenDirectory filling, DirectoryOpening begun) {
    state.opened(filling);
    if (!reopening.get()) {
      reads.begun(begun); // else nobody waits, and the missed removals are still there
    }
  }

  /** The disk has failed: requests go on without it. */
  void fail(Throwable why) {
    if (turnOff(why)) {
      whenOff.run();
    }
  }

  private boolean turnOff(Throwable why) {
    String text = why.getMessage();
    boolean turned = state.becomeOff(text == null ? why.toString() : text);
    if (turned) {
      backOff();
      LOG.error(
          "cache_dir {}: off: {}; requests go on without it; next: look at the disk, its space and"
              + " its permissions",
          config.path(),
          state.reason(),
          why);
    }
    return turned;
  }

  /** Runs {@code task} on a disk thread, soon; false if it is closed or hopelessly behind. */
  boolean run(Runnable task) {
    boolean queued = false;
    if (urgent.incrementAndGet() <= MAX_BEHIND) {
      queued =
          threads.urgent(
              () -> {
                urgent.decrementAndGet();
                task.run();
              });
    } else {
      failBehind();
    }
    if (!queued) {
      urgent.decrementAndGet();
    }
    return queued;
  }

  private void failBehind() {
    if (turnOff(new IOException(MAX_BEHIND + " removals are pending"))) {
      // the disk blocks its own threads, and this may be an event loop
      Thread told = new Thread(whenOff, "loligo-disk-off");
      told.setDaemon(true);
      told.start();
    }
  }

  CacheDir config() {
    return config;
  }

  DirectoryState state() {
    return state;
  }

  Geometry geometry() {
    return geometry;
  }

  /** Loads for requests. */
  DirectoryReads reads() {
    return reads;
  }

  /** Removes responses, and notes purges. */
  DirectoryRemovals removals() {
    return removals;
  }

  /** Writes responses. */
  DirectoryWrites writes() {
    return writes;
  }

  private @Nullable OpenDirectory ready() {
    return state.ready();
  }

  /**
   * Whether it may hold a variant under {@code key}: a hint. While it is being opened it may hold
   * any key, unless that takes too long.
   */
  boolean mayHold(KeyProbe key) {
    boolean awaited = reads.isAwaited(); // first: it may be ready a moment later
    OpenDirectory now = ready();
    return now == null
        ? awaited
        : now.catalogue().mayHold(now.context().secret().hash().of(key).high());
  }

  /** The same for a key. */
  boolean mayHold(CacheKey key) {
    boolean awaited = reads.isAwaited();
    OpenDirectory now = ready();
    return now == null ? awaited : now.catalogue().mayHold(now.high(key));
  }

  /** See {@link Catalogue#holds}: for removals, after they have cancelled writes in progress. */
  boolean holds(CacheKey key) {
    OpenDirectory now = ready();
    return now != null && now.catalogue().holds(now.high(key));
  }

  /** See {@link Catalogue#holdsNothing}. */
  boolean holdsNothing(CacheKey key) {
    OpenDirectory now = ready();
    return now != null && now.catalogue().holdsNothing(now.high(key));
  }

  /** Responses stored under {@code key}. On a disk thread. */
  int count(CacheKey key) {
    OpenDirectory now = ready();
    return now == null ? 0 : now.catalogue().count(now.high(key));
  }

  /** Tells {@code into} the noted purges, before anything is served. */
  void loadInto(Purges into) {
    staleUrls.alsoIn(into);
    try {
      // every stored response was requested by that time; the clock may have been set back since
      for (int i = 0; i < geometry.files() && Files.exists(marks.slabs(i)); i++) {
        into.stored(Files.getLastModifiedTime(marks.slabs(i)).toMillis());
      }
    } catch (IOException e) {
      LOG.warn(
          "cache_dir {}: the time of its last write is unknown; next: look for faults of the disk,"
              + " and at the permissions of its files",
          config.path(),
          e);
    }
    purges.loadInto(into);
  }

  /** Whether part of its content has not yet been compared with {@code ban}. */
  boolean isSweeping(Ban ban) {
    return !state.isOff() && purges.bans().contains(ban);
  }

  /** Whether its content is not yet known. */
  boolean isOpening() {
    return state.isOpening();
  }

  /** Whether it may hold older copies of responses that another directory has. */
  boolean isBehind() {
    return behind;
  }

  boolean isOff() {
    return state.isOff();
  }

  boolean isClosed() {
    return state.isClosed();
  }

  /**
   * Has pending buffers written, checks that its files are still there, and scrubs a little; tries
   * from time to time to open a directory that is off. Call every second.
   */
  void tick() {
    OpenDirectory now = ready();
    if (now == null) {
      reads.serveWaiting(); // until no request waits any more
      reopenIfDue();
      return;
    }
    now.context().segments().closeBuffers(false);
    if (ticking.getAndSet(true)) {
      return;
    }
    boolean queued =
        threads.write(
            () -> {
              try {
                tickNow();
              } finally {
                ticking.set(false);
              }
            },
            0,
            true);
    if (!queued) {
      ticking.set(false);
    }
  }

  private void tickNow() {
    OpenDirectory now = ready();
    if (now == null) {
      return;
    }
    if (!isThere()) {
      fail(new IOException("the directory was removed or replaced"));
      return;
    }
    upkeep.step(now);
  }

  /** Whether its files are still those that were opened. Blocks. */
  boolean isThere() {
    return presence.isThere();
  }

  /** See {@link Catalogue#isFullOfLate}. */
  boolean isFull() {
    OpenDirectory now = state.last();
    return now != null && now.catalogue().isFullOfLate();
  }

  long storedBytes() {
    OpenDirectory now = state.last();
    return now == null ? 0 : now.catalogue().storedBytes();
  }

  DiskStats stats() {
    OpenDirectory now = state.last();
    DiskStats.State shown =
        switch (state.phase()) {
          case OPENING -> DiskStats.State.OPENING;
          case READY -> config.readOnly() ? DiskStats.State.READ_ONLY : DiskStats.State.READY;
          case OFF, CLOSED -> DiskStats.State.OFF;
        };
    return DiskStats.of(config.path(), config.source())
        .state(shown, state.reason())
        .capacityBytes(geometry.totalBytes())
        .usedBytes(storedBytes())
        .objects(now == null ? 0 : now.catalogue().objects())
        .hits(counters.hits.sum())
        .reads(counters.reads.sum())
        .singleReadHits(counters.singleReads.sum() + counters.recordHits.sum())
        .writes(counters.writes.sum())
        .writtenBytes(counters.writtenBytes.sum())
        .skippedQueueFull(counters.queueSkips.sum())
        .skippedAdmission(counters.refusals.sum())
        .skippedOther(counters.spaceSkips.sum())
        .evictions(now == null ? 0 : now.space().evictions())
        .damaged(counters.damaged.sum())
        .queueDepth(threads.waitingReads())
        .queuedBytes(threads.waitingWriteBytes())
        .scrubbedBlocks(counters.scrubbed.sum())
        .build();
  }

  /** Writes everything pending, marks the directory as closed cleanly, and releases it. Blocks. */
  @Override
  public void close() {
    close(System.nanoTime() + FLUSH_NANOS);
  }

  /** Takes nothing more: the first half of {@link #close}, which does not block. */
  void beginClose() {
    state.close();
    removals.giveUpDeferred();
    reads.serveWaiting(); // with nothing
    opened.complete(null);
    threads.stop();
  }

  // Given to another process

  /** Takes no further responses; everything else goes on. The first step of {@link #give}. */
  void takeNoMore() {
    writes.end();
  }

  /** Takes responses again, unless it was given away. */
  void takeAgain() {
    writes.beginAgain();
  }

  /** Whether it was given away: it cannot be used again, but another one in its place can. */
  boolean isGiven() {
    return given;
  }

  /** Is not open yet, and takes the place of {@code former}, which is closed. */
  void replace(DiskDirectory former) {
    removals.inherit(former.removals);
  }

  /** Whether it is closed and could not write removals that it carried out. */
  boolean lostRemovals() {
    return files.lostRemovals();
  }

  /** Responses that are still arriving here. */
  int arriving() {
    return counters.spools.get();
  }

  /**
   * Writes everything pending, marks the directory as closed cleanly, and releases it: another
   * process may open it. Content that is being read for clients can be read on, since every block
   * is verified; nothing else is found, written or removed here any more. Blocks.
   *
   * @throws IOException it cannot be released in time; nothing is found here any more, either
   */
  void give(long deadlineNanos) throws IOException {
    if (given) {
      return;
    }
    given = true;
    state.close();
    removals.giveUpDeferred();
    reads.serveWaiting(); // with nothing
    opened.complete(null);
    long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    if (!threads.endWrites(Math.max(1, millis))) {
      throw claim.refusal("not written in time: look at the load of its disk", null);
    }
    files.keepReading();
    closeFiles();
  }

  /**
   * {@link #beginClose}, and the rest, for which it waits until {@code deadlineNanos}. If its
   * threads are still busy then, the last one releases it when it ends: a writer may be active
   * until then, and no other process may write.
   */
  void close(long deadlineNanos) {
    beginClose();
    long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    threads.close(Math.max(1, millis));
    threads.whenEnded(this::end);
  }

  /** Whether another one may claim it. */
  boolean isReleased() {
    return released.isDone();
  }

  /** Runs {@code then} when it is released: by the thread that does it, or at once. */
  void whenReleased(Runnable then) {
    released.thenRun(then);
  }

  private void end() {
    if (isReleased()) {
      files.endReading();
      return;
    }
    try {
      closeFiles();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "cache_dir {}: not closed cleanly: the next start reads more of it; next: look for faults"
              + " of the disk",
          config.path(),
          e);
    }
  }

  private void closeFiles() throws IOException {
    // whatever fails, the lock is released
    try (marks;
        purges) {
      if (state.wasInOrder()) {
        files.close(missed.hashes());
      } else {
        files.abandon(missed.hashes());
      }
      if (missed.hasMore() || files.lostRemovals()) {
        discard("removals could not be written");
      }
    } finally {
      released.complete(null);
    }
  }
}

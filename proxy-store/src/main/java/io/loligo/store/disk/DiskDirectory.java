package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.CacheDir;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.patrol.Patrol;
import io.loligo.store.disk.purge.PurgeFile;
import io.loligo.store.disk.read.LoadRound;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.read.Loads;
import io.loligo.store.disk.start.Opening;
import io.loligo.store.disk.write.DiskSpool;
import io.loligo.store.disk.write.Write;
import io.loligo.store.disk.write.Writer;
import io.loligo.store.inflight.Spool;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code cache_dir}: stored responses on disk, in a space of constant size. Thread-safe: any
 * thread; nothing here blocks but {@link #claim} and {@link #close}.
 */
final class DiskDirectory implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskDirectory.class);

  /** After it turned off, until it is opened again; then twice as long, and so on. */
  private static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long MAX_BACK_OFF_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** What waits may take so long when it is closed. */
  static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Removals and notes that wait for the disk; with more it is off. */
  static final int MAX_BEHIND = 65_536;

  private final DirectoryState state = new DirectoryState();
  private final MissedRemovals missed = new MissedRemovals(state);
  private final DirectoryClaim claim;
  private final CacheDir config;
  private final Geometry geometry;
  private final Marks marks;
  private final PurgeFile purges;
  private final DiskThreads threads;
  private final MemoryLedger transit;
  private final DiskTier.MemoryView memory;
  private final Medium medium;
  private final Loads loads;
  private final DirectoryCounters counters = new DirectoryCounters();
  private final AtomicLong ids;
  private final CompletableFuture<Void> opened = new CompletableFuture<>();

  private final AtomicBoolean ticking = new AtomicBoolean();
  private final AtomicBoolean makingSpace = new AtomicBoolean();
  private final long claimedNanos;
  private final long patienceNanos;

  /** Requests that wait until it is open. Guarded by itself. */
  private final List<Waiting> waiting = new ArrayList<>();

  /** While it is being opened, and can be looked into. */
  private volatile Opening opening;

  private final AtomicBoolean reopening = new AtomicBoolean();
  private volatile long reopenNanos;
  private volatile long backOffNanos = BACK_OFF_NANOS;
  private Runnable whenBack = () -> {};
  private Runnable whenReady = () -> {};
  private final Confirmations confirmations;
  private final Confirmations notes;
  private final DirectoryFiles files;
  private final Presence presence;
  private final Upkeep upkeep;

  private final AtomicInteger urgent = new AtomicInteger();

  private Runnable whenOff = () -> {};
  private volatile boolean behind;

  private DiskDirectory(
      DirectoryClaim claim,
      DiskThreads threads,
      ProxyConfig.Disk disk,
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      Medium medium) {
    this.ids = ids;
    this.claim = claim;
    this.config = claim.config();
    this.geometry = claim.geometry();
    this.marks = claim.marks();
    this.purges = claim.purges();
    this.confirmations = new Confirmations(() -> state.last().journal().force(), this::fail);
    this.notes = new Confirmations(purges::force, this::fail);
    this.threads = threads;
    this.loads =
        new Loads(
            threads::read,
            Round::new,
            TimeUnit.MILLISECONDS.toNanos(disk.loadTimeoutMillis()),
            medium::nanos);
    this.transit = transit;
    this.memory = memory;
    this.medium = medium;
    this.claimedNanos = medium.nanos();
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(disk.openWaitMillis());
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
                block -> Patrol.covers(block, purges.bans()),
                this::fail));
    this.presence = new Presence(marks);
    this.upkeep = new Upkeep(config.path(), files, purges, presence, medium::nanos, this::fail);
  }

  /** The geometry of {@code dir}, or null where it is too small. */
  static Geometry geometry(CacheDir dir, long meanObjectBytes) {
    return SystemMedium.SYSTEM.geometry(dir.maxBytes(), meanObjectBytes);
  }

  /** Disk threads of each directory. */
  static int threads(ProxyConfig.Disk disk) {
    return Math.max(2, disk.threads());
  }

  /**
   * Claims the directory: it is there, writable, large enough and nobody else's. Its content is
   * taken up by {@link #open}.
   *
   * @param ids the last number given to an object; all directories count on together, so that
   *     numbers tell which of two responses is newer wherever they are
   * @throws IOException it cannot be had; says which line of the configuration and what to do
   */
  static DiskDirectory claim(
      CacheDir dir,
      ProxyConfig.Disk disk,
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      Medium medium)
      throws IOException {
    DirectoryClaim claim = DirectoryClaim.of(dir, disk.meanObjectBytes(), medium);
    DiskThreads threads = medium.threads(threads(disk), disk.writeQueueBytes());
    return new DiskDirectory(claim, threads, disk, ids, allocator, transit, memory, medium);
  }

  // Between claim and open

  DirectoryClaim claim() {
    return claim;
  }

  /** Empties it, before it is opened. */
  void discard(String why) throws IOException {
    if (marks.isUsed()) {
      LOG.warn("cache_dir {}: {}: its content is discarded", config.path(), why);
    }
    marks.discard();
  }

  /** Says whether it may hold older copies of what another directory has. */
  void behind(boolean behind) {
    this.behind = behind;
  }

  /** {@code then} runs on a disk thread when it turns off. */
  void whenOff(Runnable then) {
    whenOff = then;
  }

  /** {@code then} runs on a disk thread each time it is ready, or off instead. */
  void whenReady(Runnable then) {
    whenReady = then;
  }

  /** See {@link #open}. */
  CompletableFuture<Void> opened() {
    return opened;
  }

  /** Takes up what it holds, on a disk thread; done when it is READY or OFF. */
  CompletableFuture<Void> open() {
    threads.urgent(this::openNow);
    return opened;
  }

  private void openNow() {
    long start = System.nanoTime();
    boolean ready = false;
    upkeep.begin();
    try {
      OpenDirectory filled =
          files.open(state::isClosed, this::begun, this::serveWaiting);
      state.opened(filled);
      presence.remember();
      ready = becomeReady();
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
      giveUpMissed();
      missed.allAreThrough();
      opening = null;
      serveWaiting();
      whenReady.run();
      opened.complete(null);
    }
    if (ready) {
      threads.write(files::prepare, 0, false);
    }
  }

  // Off, and back again

  /** Something stored under {@code key} is older than what clients were given, while it was off. */
  void missed(CacheKey key) {
    if (!missed.add(key)) {
      remove(key, false, count -> {});
    }
  }

  /** While it is off something is removed that is not known by its key. */
  void missedMore() {
    missed.addMore();
  }

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

  /** {@code then} runs on a disk thread when it is ready after it was off. */
  void whenBack(Runnable then) {
    whenBack = then;
  }

  private void begun(OpenDirectory filling, Opening begun) {
    state.opened(filling);
    if (!reopening.get()) {
      opening = begun; // else nobody waits, and what it missed is still there
    }
  }

  /** Removes what was to be removed meanwhile, before everything is served. */
  private boolean becomeReady() throws IOException {
    OpenDirectory open = state.last();
    List<MissedRemovals.Deferred> through = new ArrayList<>();
    boolean ready = missed.carryOut(open, through, this::missed);
    for (MissedRemovals.Deferred one : through) {
      confirm(open, one.count(), one.durably(), one.then());
    }
    return ready;
  }

  /** It will not be known what there is: it is off, or closed. */
  private void giveUpMissed() {
    for (MissedRemovals.Deferred one : missed.giveUp()) {
      missed(one.key()); // it may be opened again
      one.then().accept(-1);
    }
  }

  /** The disk does not do what it must: requests go on without it. */
  private void fail(Throwable why) {
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
          "cache_dir {}: off: {}; requests go on without it", config.path(), state.reason(), why);
    }
    return turned;
  }

  /** Runs {@code task} on a disk thread, soon; false where it is closed or hopelessly behind. */
  private boolean queue(Runnable task) {
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
    if (turnOff(new IOException(MAX_BEHIND + " removals wait for the disk"))) {
      // its own threads are held by the disk, and an event loop may be here
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

  DirectoryCounters counters() {
    return counters;
  }

  private OpenDirectory ready() {
    return state.ready();
  }

  /** Whether requests still wait for what is being opened. */
  boolean isAwaited() {
    return state.isOpening() && patienceNanos > 0 && medium.nanos() - claimedNanos < patienceNanos;
  }

  /**
   * Whether it may hold a variant under {@code key}: a hint. While it is being opened it may hold
   * anything, unless that takes too long.
   */
  boolean mayHold(KeyProbe key) {
    boolean awaited = isAwaited(); // first: it may be ready a moment later
    OpenDirectory now = ready();
    return now == null
        ? awaited
        : now.catalogue().mayHold(now.context().secret().hash().of(key).high());
  }

  /** The same for a key. */
  boolean mayHold(CacheKey key) {
    boolean awaited = isAwaited();
    OpenDirectory now = ready();
    return now == null ? awaited : now.catalogue().mayHold(now.high(key));
  }

  /** See {@link Catalogue#holds}: for removals, after they have cancelled writes under way. */
  boolean holds(CacheKey key) {
    OpenDirectory now = ready();
    return now != null && now.catalogue().holds(now.high(key));
  }

  /** See {@link Catalogue#holdsNothing}. */
  boolean holdsNothing(CacheKey key) {
    OpenDirectory now = ready();
    return now != null && now.catalogue().holdsNothing(now.high(key));
  }

  /** What can be loaded at once; null where {@link #load} has to be asked. Any thread. */
  Loader.Loaded loadNow(CacheKey key, Fields request, Wanted wanted) {
    OpenDirectory now = ready();
    if (now == null) {
      return null;
    }
    try {
      return now.loader().loadNow(key, request, wanted);
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a read from disk");
      return Loader.Loaded.none(LoadOutcome.BUSY);
    }
  }

  /** Loads for {@code loop}; false where it cannot even be asked: {@code then} is not told. */
  boolean load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, Loads.Listener then) {
    if (isAwaited() && await(new Waiting(key, request, wanted, loop, then, medium.nanos()))) {
      return true;
    }
    return ready() != null && loads.add(key, request, wanted, loop, then);
  }

  // Requests that wait until it is open

  private record Waiting(
      CacheKey key,
      Fields request,
      Wanted wanted,
      EventExecutor loop,
      Loads.Listener then,
      long askedNanos) {}

  private boolean await(Waiting one) {
    synchronized (waiting) {
      if (waiting.size() >= Loads.MAX_WAITING) {
        return false;
      }
      waiting.add(one);
    }
    serveWaiting(); // it may be open by now
    return true;
  }

  /** Serves those that wait and are to wait no longer. */
  private void serveWaiting() {
    List<Waiting> some = new ArrayList<>();
    synchronized (waiting) {
      for (int i = waiting.size() - 1; i >= 0; i--) {
        if (!state.isOpening() || !isAwaited() || isFound(waiting.get(i).key)) {
          some.add(waiting.remove(i));
        }
      }
    }
    for (Waiting one : some) {
      long waited = medium.nanos() - one.askedNanos;
      boolean asked =
          state.isOpening()
              ? isFound(one.key) && threads.read(() -> serveEarly(one), one.loop)
              : ready() != null
                  && loads.add(
                      one.key,
                      one.request,
                      one.wanted,
                      one.loop,
                      (loaded, queued, read) -> one.then.loaded(loaded, waited + queued, read));
      if (!asked) {
        one.then.loaded(Loader.Loaded.none(LoadOutcome.ABSENT), waited, 0);
      }
    }
  }

  /**
   * Whether it is known already, though not everything is. Exact: a hint would be wrong while the
   * index is being filled, and its request would go to the origin.
   */
  private boolean isFound(CacheKey key) {
    Opening begun = opening;
    OpenDirectory now = state.last();
    return begun != null
        && begun.isFinal()
        && !missed.covers(key)
        && now.catalogue().holds(now.high(key));
  }

  private void serveEarly(Waiting one) {
    long began = medium.nanos();
    OpenDirectory now = state.last();
    Loader.Loaded loaded = Loader.Loaded.none(LoadOutcome.ABSENT);
    try (LoadRound round = new LoadRound()) {
      if (isFound(one.key) || ready() != null) {
        loaded = now.loader().load(one.key, one.request, one.wanted, round);
      }
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a read from disk");
      loaded = Loader.Loaded.none(LoadOutcome.BUSY);
    } catch (IOException | RuntimeException | Error e) {
      loaded = Loader.Loaded.none(LoadOutcome.DAMAGED);
      now.failedToRead(e);
    }
    one.then.loaded(loaded, began - one.askedNanos, medium.nanos() - began);
  }

  /** Loads for requests that waited together. Confined to a disk thread. */
  private final class Round implements Loads.Round {
    private final OpenDirectory now = state.last();
    private final LoadRound held = new LoadRound();
    private boolean failed;

    @Override
    public Loader.Loaded load(CacheKey key, Fields request, Wanted wanted) {
      if (!state.isReady()) {
        return Loader.Loaded.none(LoadOutcome.ABSENT);
      }
      if (failed) {
        return Loader.Loaded.none(LoadOutcome.DAMAGED);
      }
      try {
        return now.loader().load(key, request, wanted, held);
      } catch (OutOfMemoryError e) {
        MemoryShortage.OF_PROCESS.met(e, "a read from disk");
        return Loader.Loaded.none(LoadOutcome.BUSY);
      } catch (IOException | RuntimeException | Error e) {
        // for all that wait with this one: a place that cannot be read is one failure
        failed = true;
        now.failedToRead(e);
        return Loader.Loaded.none(LoadOutcome.DAMAGED);
      }
    }

    @Override
    public void close() {
      held.close();
    }
  }

  /** Looks for {@code loop}; false where it cannot even be asked: {@code then} is not told. */
  boolean peek(CacheKey key, EventExecutor loop, Consumer<Loader.Peeked> then) {
    OpenDirectory now = ready();
    long asked = medium.nanos();
    return now != null && threads.read(() -> then.accept(peekNow(now, key, asked)), loop);
  }

  private Loader.Peeked peekNow(OpenDirectory now, CacheKey key, long askedNanos) {
    if (!state.isReady()) {
      return new Loader.Peeked(List.of(), LoadOutcome.ABSENT);
    }
    if (loads.isLate(askedNanos)) {
      return new Loader.Peeked(List.of(), LoadOutcome.BUSY);
    }
    try {
      return now.loader().peek(key);
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a look on disk");
      return new Loader.Peeked(List.of(), LoadOutcome.BUSY);
    } catch (IOException | RuntimeException | Error e) {
      now.failedToRead(e);
      return new Loader.Peeked(List.of(), LoadOutcome.DAMAGED);
    }
  }

  /** Loads variants for {@code loop}; false where that cannot be asked for now. */
  boolean variants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    OpenDirectory now = ready();
    long asked = medium.nanos();
    return now != null
        && threads.read(() -> then.accept(variantsNow(now, key, which, max, asked)), loop);
  }

  private List<Entry> variantsNow(
      OpenDirectory now, CacheKey key, Predicate<StoredMeta> which, int max, long askedNanos) {
    if (!state.isReady() || loads.isLate(askedNanos)) {
      return List.of();
    }
    try {
      return now.loader().variants(key, which, max);
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a read from disk");
      return List.of();
    } catch (IOException | RuntimeException | Error e) {
      now.failedToRead(e);
      return List.of();
    }
  }

  /** Whether responses of {@code contentLength} octets of content may be written; -1: unknown. */
  boolean takes(long contentLength) {
    return state.isReady()
        && !config.readOnly()
        && (contentLength < 0
            || (contentLength >= config.minObjectBytes()
                && (config.maxObjectBytes() < 0 || contentLength <= config.maxObjectBytes())
                && contentLength <= geometry.maxContentBytes()));
  }

  /**
   * Writes {@code entry}, at once where it need not be waited for, else behind the caller's back;
   * borrowed: retained as long as it takes.
   *
   * @param late whether it came before what may be there by now, which then stays
   * @param fresh whether only its head is new: the content is not in memory but on disk already
   * @param then told when it is through, on a disk thread or at once; {@code entry} is alive still
   */
  void write(
      Entry entry,
      boolean fresh,
      boolean late,
      BooleanSupplier cancelled,
      Write.Listener then) {
    OpenDirectory now = ready();
    if (now == null || !entry.tryRetain()) {
      then.ended(Write.Ended.NOT_WRITTEN);
      return;
    }
    Write write = new Write(entry, ids.incrementAndGet(), fresh, late, cancelled, then);
    if (writeNow(now, write)) {
      return;
    }
    if (!threads.write(() -> write(now, write), write.bytes(), false)) {
      counters.queueSkips.increment();
      write.tellAndRelease(Write.Ended.NOT_WRITTEN);
    }
  }

  /** Whether {@code write} is through. */
  private boolean writeNow(OpenDirectory now, Write write) {
    try {
      Writer.Outcome outcome = now.writer().writeNow(write);
      if (outcome == null) {
        return false;
      }
      write.ended(outcome);
    } catch (RuntimeException | Error e) {
      write.failed(e);
    }
    written(now, write);
    makeSpaceEarly(now);
    return true;
  }

  /** So that nobody has to wait for space. */
  private void makeSpaceEarly(OpenDirectory now) {
    if (now.space().isLow() && makingSpace.compareAndSet(false, true)) {
      boolean queued =
          threads.write(
              () -> {
                makingSpace.set(false);
                try {
                  now.space().makeSome();
                } catch (IOException | RuntimeException | Error e) {
                  now.brokenUnlessShort(e);
                }
              },
              0,
              true);
      if (!queued) {
        makingSpace.set(false);
      }
    }
  }

  /** Responses stored under {@code key}. On a disk thread. */
  int count(CacheKey key) {
    OpenDirectory now = ready();
    return now == null ? 0 : now.catalogue().count(now.high(key));
  }

  /** Memory holds {@code entry}, borrowed, which was written here. On a disk thread. */
  void wentToMemory(Entry entry) {
    OpenDirectory now = state.last();
    StoredHash hash = now.context().secret().hash().of(entry.key(), entry.meta().vary());
    now.catalogue().wentToMemory(hash.high(), hash.low());
  }

  /** Whether it has time for writes that can wait: others will not find its queue full. */
  boolean isCalm() {
    return takes(-1) && !threads.isCrowded();
  }

  private void write(OpenDirectory now, Write write) {
    try {
      if (state.isReady() || state.isClosed()) {
        write.ended(now.writer().write(write));
      }
    } catch (IOException | RuntimeException | Error e) {
      write.failed(e);
    } finally {
      written(now, write);
    }
  }

  private void written(OpenDirectory now, Write write) {
    try {
      Write.Ended how = Write.Ended.NOT_WRITTEN;
      try {
        how = ended(now, write);
        boolean lost = how == Write.Ended.NOT_WRITTEN && !write.fresh() && !write.late();
        if (lost && state.isClosed()) {
          now.drop(write.entry().key(), null, false); // nobody else can any more
        }
      } finally {
        write.tellAndRelease(how);
      }
    } catch (RuntimeException | Error defect) {
      LOG.error("cache_dir {}: what follows a write failed", config.path(), defect);
    }
  }

  private Write.Ended ended(OpenDirectory now, Write write) {
    Throwable failure = write.failure();
    if (failure instanceof OutOfMemoryError noMemory) {
      MemoryShortage.OF_PROCESS.met(noMemory, "a write to disk");
      counters.spaceSkips.increment();
    } else if (failure != null) {
      now.broken(failure);
    }
    if (write.outcome() == null) {
      return Write.Ended.NOT_WRITTEN;
    }
    return switch (write.outcome()) {
      case WRITTEN -> {
        if (!write.fresh()) {
          write.entry().diskId(write.id());
        }
        counters.writes.increment();
        counters.writtenBytes.add(write.entry().storedLength());
        yield Write.Ended.WRITTEN;
      }
      case REFUSED -> {
        counters.refusals.increment();
        yield Write.Ended.NOT_WRITTEN;
      }
      case NO_SPACE -> {
        counters.spaceSkips.increment();
        yield Write.Ended.NOT_WRITTEN;
      }
      case CANCELLED -> Write.Ended.CANCELLED;
    };
  }

  /**
   * Drops all variants under {@code key}, so that no killed process brings them back. {@code then}
   * is told on a disk thread how many; -1 where the disk could not be made to forget.
   *
   * @param durably whether not even a power failure may bring them back: the disk is waited for
   */
  void remove(CacheKey key, boolean durably, IntConsumer then) {
    if (missed.defer(key, null, durably, then)) {
      return;
    }
    OpenDirectory now = ready();
    boolean queued =
        now != null && queue(() -> confirm(now, now.drop(key, null, durably), durably, then));
    if (!queued) {
      missed(key);
      then.accept(-1);
    }
  }

  /**
   * Drops the variant with the selection {@code vary} under {@code key}, or all where that is null:
   * another directory has a newer one.
   */
  void removeOlder(CacheKey key, VarySelection vary) {
    if (missed.defer(key, vary, false, count -> {})) {
      return;
    }
    OpenDirectory now = ready();
    if (now == null) {
      missed(key);
    } else {
      queue(() -> confirm(now, now.drop(key, vary, false), false, count -> {}));
    }
  }

  /** Tells {@code then} when what was dropped can come back no more. */
  private void confirm(OpenDirectory now, int count, boolean durably, IntConsumer then) {
    int told = count;
    try {
      if (count >= 0) {
        now.journal().flush(); // not that of another, where it is open again since
      }
    } catch (IOException | RuntimeException e) {
      now.broken(e);
      told = -1;
    }
    if (told >= 0 && durably) {
      confirmations.add(told, then);
    } else {
      then.accept(told);
    }
  }

  /** Drops variant {@code id} under {@code key}: another directory has a newer one. */
  void dropOlder(CacheKey key, long id) {
    OpenDirectory now = ready();
    if (now != null) {
      threads.urgent(
          () -> {
            long high = now.high(key);
            for (IndexedResponse stored : now.catalogue().variants(high)) {
              ByteBuf block = now.context().blocks().tryReadFirst(stored.place(), stored.length());
              if (block != null) {
                if (stored.isSame(block) && Block.id(block) == id) {
                  now.catalogue().drop(stored);
                }
                block.release();
              }
            }
          });
    }
  }

  /** Runs {@code task} on a disk thread; false where it is closed. */
  boolean run(Runnable task) {
    return queue(task);
  }

  /** Something to be written down among the purges. */
  interface Note {
    void in(PurgeFile file) throws IOException;
  }

  /**
   * Writes it down, whatever its state; {@code then} is told whether that worked.
   *
   * @param durably whether not even a power failure may undo it: the disk is waited for
   */
  void note(Note note, boolean durably, Consumer<Boolean> then) {
    boolean queued =
        queue(
            () -> {
              boolean done = false;
              try {
                note.in(purges);
                done = true;
              } catch (IOException | RuntimeException | Error e) {
                fail(e);
              } finally {
                if (!done) {
                  missedMore();
                }
                if (done && durably) {
                  notes.add(0, count -> then.accept(count == 0));
                } else {
                  then.accept(done);
                }
              }
            });
    if (!queued) {
      then.accept(false);
    }
  }

  /** Tells {@code into} what was noted, before anything is served. */
  void loadInto(Purges into) {
    try {
      // nothing that is there was asked for later; the clock may have been set back since
      for (int i = 0; i < geometry.files() && Files.exists(marks.slabs(i)); i++) {
        into.stored(Files.getLastModifiedTime(marks.slabs(i)).toMillis());
      }
    } catch (IOException e) {
      LOG.warn("cache_dir {}: when it was written last is not known", config.path(), e);
    }
    purges.loadInto(into);
  }

  /** Whether not all of it was compared with {@code ban} yet. */
  boolean isSweeping(Ban ban) {
    return !state.isOff() && purges.bans().contains(ban);
  }

  /** Opens a way to disk for what arrives; see {@link io.loligo.store.inflight.Landing#spool}. */
  Spool spool(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      long contentLength,
      EventExecutor loop,
      Spool.Listener listener,
      Runnable superseded) {
    OpenDirectory now = ready();
    if (now == null || !takes(contentLength)) {
      return null;
    }
    int headBytes = key.length() + StoredForm.metaBytes(meta) + fields.readableBytes();
    Layout layout = DiskSpool.layout(contentLength, headBytes, geometry);
    if (layout == null || !transit.tryReserve(DiskSpool.CHARGE)) {
      return null;
    }
    long most = config.maxObjectBytes() < 0 ? Long.MAX_VALUE : config.maxObjectBytes();
    try {
      return new DiskSpool(
          now.context(),
          now.writer(),
          key,
          fields,
          contentLength,
          Math.min(most, geometry.maxContentBytes()),
          layout,
          ids.incrementAndGet(),
          loop,
          listener,
          stored -> arrived(key, stored),
          superseded);
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a write to disk");
      transit.release(DiskSpool.CHARGE);
      return null;
    }
  }

  /** The copy in memory is older than {@code stored}, or may hide it. */
  private void arrived(CacheKey key, StoredMeta stored) {
    if (stored.part() == null) {
      memory.superseded(key, stored.vary());
    } else {
      memory.partStored(key);
    }
  }

  /** Whether it is not known yet what it holds. */
  boolean isOpening() {
    return state.isOpening();
  }

  /** Whether it may hold older copies of what another directory has. */
  boolean isBehind() {
    return behind;
  }

  boolean isOff() {
    return state.isOff();
  }

  /** Whether it was to forget everything when it was open. */
  boolean forgetsAll() {
    return missed.forgetsAll();
  }

  /** Drops everything; {@code then} is told on a disk thread. How many there were. */
  int clear(Runnable then) {
    if (missed.deferAll()) {
      then.run();
      return 0;
    }
    OpenDirectory now = ready();
    if (now == null) {
      missedMore();
    }
    int count = now == null ? 0 : now.catalogue().objects();
    boolean queued =
        now != null
            && threads.urgent(
                () -> {
                  clearNow(now);
                  then.run();
                });
    if (!queued) {
      then.run();
    }
    return count;
  }

  private void clearNow(OpenDirectory now) {
    try {
      now.catalogue().clear();
      now.journal().flush();
    } catch (IOException | RuntimeException | Error e) {
      now.broken(e);
    }
  }

  /**
   * Has buffers written that wait, looks whether its files are still there, and scrubs a little;
   * one that is off is opened again now and then. Every second.
   */
  void tick() {
    OpenDirectory now = ready();
    if (now == null) {
      serveWaiting(); // until nobody waits any more
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
    return new DiskStats(
        config.path(),
        config.source(),
        shown,
        state.reason(),
        geometry.totalBytes(),
        storedBytes(),
        now == null ? 0 : now.catalogue().objects(),
        counters.hits.sum(),
        counters.reads.sum(),
        counters.singleReads.sum() + counters.recordHits.sum(),
        counters.writes.sum(),
        counters.writtenBytes.sum(),
        counters.queueSkips.sum(),
        counters.refusals.sum(),
        counters.spaceSkips.sum(),
        now == null ? 0 : now.space().evictions(),
        counters.damaged.sum(),
        threads.waitingReads(),
        threads.waitingWriteBytes(),
        counters.scrubbed.sum());
  }

  /** Writes what waits, marks the directory as closed in order, and lets go of it. Blocks. */
  @Override
  public void close() {
    close(System.nanoTime() + FLUSH_NANOS);
  }

  /** Takes nothing more: the first half of {@link #close}, which does not block. */
  void beginClose() {
    state.close();
    giveUpMissed();
    serveWaiting(); // with nothing
    opened.complete(null);
    threads.stop();
  }

  void close(long deadlineNanos) {
    beginClose();
    long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    boolean flushed = threads.close(Math.max(1, millis));
    try {
      closeFiles(flushed);
    } catch (IOException | RuntimeException e) {
      LOG.warn("cache_dir {}: not closed in order", config.path(), e);
    }
  }

  private void closeFiles(boolean flushed) throws IOException {
    if (!flushed) {
      return; // somebody may write still, and nobody else must
    }
    // whatever fails, the lock goes
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
    }
  }
}

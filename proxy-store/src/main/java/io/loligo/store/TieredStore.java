package io.loligo.store;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.HashedKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.admission.MemoryPolicy;
import io.loligo.store.disk.DirectoryChange;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.PendingWrite;
import io.loligo.store.inflight.Flights;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.inflight.Landing;
import io.loligo.store.inflight.Spool;
import io.loligo.store.keys.AlternativeKeys;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryTier;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.OtherStores;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store: fetches in flight, and behind them the memory tier and the directories on disk.
 * Thread-safe: any event loop.
 *
 * <p>Direct memory stays within the sum of {@code cache_mem} and the in-transit budget. Arriving
 * bytes are entered in the ledger of transit before they are allocated, and move to the tier's
 * ledger when they are stored.
 */
public final class TieredStore implements Store {
  private static final Logger LOG = LoggerFactory.getLogger(TieredStore.class);
  private static final long LANDING_SECONDS = 10;
  private static final long BREAKING_SECONDS = 2;

  /** Bytes of an entry beside its content, of nearly all responses. */
  private static final int COPY_HEAD_BYTES = 2_048;

  private final MemoryLedger transit;
  private final MemoryTier memory;
  private final Flights flights;
  private volatile long maxInMemoryBytes;
  private final DiskTier disk;
  private final CatchUp catchUp;
  private volatile CompletableFuture<Void> opened;
  private final DeferredPurges purges;
  private final Removals removals;
  private final Landing landing = new TierLanding();
  private final AlternativeKeys alternatives;

  /** Null: there is no cluster. */
  private volatile @Nullable OtherStores others;

  /** Null: nobody wants to hear of stored responses. */
  private volatile @Nullable StoredWatch watch;

  /**
   * An empty store.
   *
   * @param allocator of all buffers that are stored or read from disk, best a {@link
   *     PackedAllocator}: the ledgers count the memory that it takes
   * @param transit ledger of all bytes in transit that no tier holds; shared with every other
   *     holder of such bytes
   * @param directories {@code cache_dir} lines; they are claimed now and opened by {@link #open}
   * @param maintenance runs the tiers' maintenance, one task at a time, off the event loops; lives
   *     longer than the store; best a {@link io.loligo.store.memory.PacedExecutor}
   * @throws IOException a directory cannot be claimed; names the line and the remedy
   */
  public TieredStore(
      ByteBufAllocator allocator,
      MemorySettings budgets,
      DiskSettings directories,
      MemoryLedger transit,
      Executor maintenance)
      throws IOException {
    this(allocator, budgets, directories, transit, maintenance, System::currentTimeMillis);
  }

  /**
   * The same.
   *
   * @param clock milliseconds since the epoch, the clock of the stored metas
   */
  public TieredStore(
      ByteBufAllocator allocator,
      MemorySettings budgets,
      DiskSettings directories,
      MemoryLedger transit,
      Executor maintenance,
      LongSupplier clock)
      throws IOException {
    this(allocator, budgets, directories, transit, maintenance, DeferredPurges.walker(), clock);
  }

  /**
   * The same.
   *
   * @param walks runs walks through all of memory, one task at a time; owned by the store from now
   *     on
   */
  public TieredStore(
      ByteBufAllocator allocator,
      MemorySettings budgets,
      DiskSettings directories,
      MemoryLedger transit,
      Executor maintenance,
      ExecutorService walks,
      LongSupplier clock)
      throws IOException {
    this(
        allocator,
        budgets,
        memory -> DiskTier.claim(directories, allocator, transit, memory),
        transit,
        maintenance,
        walks,
        clock);
  }

  /** Claims the directories. */
  public interface Disks {
    DiskTier claim(DiskTier.MemoryView memory) throws IOException;
  }

  /**
   * The same with a tier on disk of the caller's; the store owns it from now on.
   *
   * @param clock milliseconds since the epoch, the clock of the stored metas
   */
  public TieredStore(
      ByteBufAllocator allocator,
      MemorySettings budgets,
      Disks disks,
      MemoryLedger transit,
      Executor maintenance,
      LongSupplier clock)
      throws IOException {
    this(allocator, budgets, disks, transit, maintenance, DeferredPurges.walker(), clock);
  }

  /**
   * The same with both.
   *
   * @param walks as above
   */
  public TieredStore(
      ByteBufAllocator allocator,
      MemorySettings budgets,
      Disks disks,
      MemoryLedger transit,
      Executor maintenance,
      ExecutorService walks,
      LongSupplier clock)
      throws IOException {
    this.transit = transit;
    this.memory = new MemoryTier(allocator, budgets.cacheBytes(), transit, maintenance);
    this.maxInMemoryBytes = limit(budgets.maxObjectInMemoryBytes());
    this.flights = new Flights(allocator, transit, maxInMemoryBytes, budgets.readAheadGapBytes());
    // last: it has threads and locks, which would leak if a later step failed
    this.disk = disks.claim(new MemorySide());
    this.catchUp = new CatchUp(memory, disk);
    this.purges = new DeferredPurges(clock, memory, flights, disk, walks);
    this.alternatives = new AlternativeKeys(!disk.isNone());
    this.removals = new Removals(flights, memory, disk, purges, alternatives);
    this.opened =
        disk.whenOpened(catchUp::begin).whenComplete((all, failure) -> alternatives.allAreTold());
  }

  private static long limit(long bytes) {
    return bytes < 0 ? Long.MAX_VALUE : bytes;
  }

  @Override
  public void requestBegins(long nanos, long millis) {
    OtherStores cluster = others;
    if (cluster != null) {
      cluster.requestBegins(nanos, millis);
    }
  }

  @Override
  public @Nullable Entry find(KeyProbe key, Fields request) {
    return purges.judged(memory.find(key, request));
  }

  @Override
  public boolean mayLoad(KeyProbe key) {
    return disk.mayHold(key);
  }

  @Override
  public void load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, LoadListener then) {
    long asOf = disk.asOf(key);
    long doubtUntil = purges.doubtUntil();
    disk.load(
        key,
        request,
        wanted,
        loop,
        (loaded, outcome, hits, queueNanos, readNanos) -> {
          Entry entry = purges.judged(loaded, doubtUntil);
          if (entry != null) {
            promote(entry, hits, asOf);
          }
          LoadOutcome end = entry == null && loaded != null ? LoadOutcome.ABSENT : outcome;
          LoadReport report = new LoadReport(end, queueNanos, readNanos);
          try {
            loop.execute(() -> then.loaded(entry, report));
          } catch (RejectedExecutionException shutDown) {
            if (entry != null) {
              entry.release();
            }
          }
        });
  }

  @Override
  public @Nullable Loaded loadNow(CacheKey key, Fields request, Wanted wanted) {
    long asOf = disk.asOf(key);
    DiskTier.LoadedNow now = disk.loadNow(key, request, wanted);
    if (now == null) {
      return null;
    }
    Entry entry = purges.judged(now.entry());
    if (entry != null) {
      promote(entry, now.hits(), asOf);
    }
    LoadOutcome end = entry == null && now.entry() != null ? LoadOutcome.ABSENT : now.outcome();
    return new Loaded(entry, new LoadReport(end, 0, 0));
  }

  @Override
  public boolean isOpening() {
    return !opened.isDone() && disk.isAwaited();
  }

  @Override
  public void peek(CacheKey key, Fields request, EventExecutor loop, Consumer<Peek> then) {
    List<Glimpse> inMemory = purges.judged(key, memory.peek(key, request));
    Glimpse chosen = inMemory.stream().filter(Glimpse::selected).findFirst().orElse(null);
    Glimpse found = chosen == null || chosen.purged() ? null : chosen;
    if (!disk.mayHold(key)) {
      boolean others =
          chosen == null
              ? !inMemory.isEmpty()
              : memory.holdsBesides(key, chosen.meta().vary()); // find drops the purged one
      loop.execute(() -> then.accept(new Peek(inMemory, found, others, null, null)));
      return;
    }
    disk.peek(
        key,
        found == null ? request : null,
        loop,
        (onDisk, selected, load, outcome) -> {
          List<Glimpse> all = new ArrayList<>(inMemory);
          all.addAll(purges.judged(key, onDisk));
          Glimpse loaded = selected == null ? null : purges.judged(key, selected);
          boolean purged = loaded != null && loaded.purged();
          Peek peek =
              new Peek(
                  List.copyOf(all),
                  found != null || purged ? found : loaded,
                  true,
                  found != null ? null : purged ? LoadOutcome.ABSENT : load,
                  outcome);
          loop.execute(() -> then.accept(peek));
        });
  }

  /**
   * Copies {@code entry}, borrowed, to memory if the memory tier wants it, unless the copy would
   * hide variants that only the disk has.
   */
  private void promote(Entry entry, int hits, long asOf) {
    if (entry.meta().part() == null
        && isResident(entry)
        && wants(entry.contentLength(), hits)
        && (entry.meta().vary() != null || !disk.holdsSeveral(entry.key()))) {
      memory.offer(entry, () -> disk.isAsOf(entry.key(), asOf));
    }
  }

  private static boolean isResident(Entry entry) {
    return entry.contentLength() == 0 || entry.isResident(entry.contentLength() - 1);
  }

  private boolean wants(long contentLength, int hits) {
    return MemoryPolicy.promote(
            contentLength, hits, memory.weighedBytes(), memory.weighableBytes(), maxInMemoryBytes)
        .inMemory();
  }

  /** The questions and reports of the disk to memory. On disk threads. */
  /** Tells {@code watch} of stored responses from now on; null: nobody is told. */
  public void watch(@Nullable StoredWatch watch) {
    this.watch = watch;
  }

  /**
   * Tells {@code watch} of all responses in memory but copies. Takes time in proportion to their
   * number; not on an event loop.
   */
  public void tellMemory(StoredWatch watch) {
    for (Iterator<? extends HashedKey> keys = memory.keys(); keys.hasNext(); ) {
      for (Entry entry : memory.retainAll(keys.next())) {
        try {
          if (!entry.meta().has(StoredMeta.COPY)) {
            watch.found(entry.key(), entry.meta());
          }
        } finally {
          entry.release();
        }
      }
    }
  }

  private final class MemorySide implements DiskTier.MemoryView {
    @Override
    public boolean watches() {
      return watch != null;
    }

    @Override
    public void found(CacheKey key, StoredMeta meta) {
      StoredWatch told = watch;
      if (told != null) {
        told.found(key, meta);
      }
    }

    @Override
    public void wentRound(String directory) {
      StoredWatch told = watch;
      if (told != null) {
        told.wentRound(directory);
      }
    }

    @Override
    public boolean serves(CacheKey key) {
      return memory.serves(key);
    }

    @Override
    public boolean wants(long contentLength, int hits) {
      return TieredStore.this.wants(contentLength, hits);
    }

    @Override
    public void superseded(CacheKey key, @Nullable VarySelection vary) {
      disk.hide(key);
      memory.uncover(key, vary);
      disk.reveal(key);
    }

    @Override
    public void partStored(CacheKey key) {
      memory.removeParts(key);
    }

    @Override
    public void alternativeLeft(OptionalInt pathHash) {
      alternatives.left(pathHash);
    }

    @Override
    public boolean holds(Entry entry) {
      return memory.holds(entry);
    }

    @Override
    public boolean written(Entry entry) {
      if (watches()) {
        found(entry.key(), entry.meta());
      }
      boolean asked = entry.hits() > 0;
      if (!MemoryPolicy.written(asked, memory.weighedBytes(), memory.weighableBytes()).inMemory()) {
        memory.drop(entry);
      }
      return memory.holds(entry);
    }
  }

  @Override
  public boolean fits(long contentLength) {
    return contentLength <= maxInMemoryBytes || disk.takes(contentLength);
  }

  @Override
  public boolean takesCopy(long contentLength) {
    long entryBytes =
        Math.max(0, contentLength) * 9 / 8 + COPY_HEAD_BYTES; // with what blocks waste
    return contentLength <= maxInMemoryBytes && memory.hasRoomForCopy(entryBytes);
  }

  @Override
  public AlternativeKeys alternatives() {
    return alternatives;
  }

  @Override
  public boolean holds(KeyProbe key) {
    return memory.holds(key) || disk.mayHold(key);
  }

  @Override
  public @Nullable InFlight landingPart(KeyProbe key) {
    return flights.landingPart(key);
  }

  @Override
  public @Nullable InFlight inFlight(KeyProbe key, Fields request) {
    return flights.find(key, request);
  }

  @Override
  public @Nullable InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer) {
    return flights.begin(key, joinable, loop, writer, landing);
  }

  @Override
  public @Nullable InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      @Nullable VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer) {
    return flights.joinOrBegin(key, request, expected, loop, writer, landing);
  }

  @Override
  public long requestMoment(long nowMillis) {
    return purges.requestMoment(nowMillis);
  }

  @Override
  public Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    if (old.meta().has(StoredMeta.COPY)) {
      return memory.copy(old, meta, fields); // it would live longer
    }
    purges.stored(meta.requestTimeMillis());
    if (!Objects.equals(meta.vary(), old.meta().vary())) {
      return reselect(key, old, meta, fields);
    }
    if (!old.parts().isEmpty()) {
      return freshenParts(key, old, meta, fields);
    }
    boolean quiet = old.diskId() != 0 && allowsAsMuch(meta, old.meta());
    try (PendingWrite write = disk.announceHead(key, meta, quiet)) {
      Entry fresh = memory.freshen(key, old, meta, fields);
      if (fresh != old && old.diskId() != 0) {
        fresh.diskId(old.diskId());
        disk.freshen(fresh, write);
      } else if (fresh != old) {
        writeNew(fresh, write);
      }
      return fresh;
    }
  }

  /**
   * Whether {@code fresh} allows each use that {@code old} allows. Until its head is on disk,
   * requests may then still find {@code old} there: without memory for the response, they would
   * otherwise fetch its content again.
   */
  private static boolean allowsAsMuch(StoredMeta fresh, StoredMeta old) {
    return !fresh.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)
        && staleAtMillis(fresh) >= staleAtMillis(old)
        && fresh.staleWhileRevalidateSeconds() >= old.staleWhileRevalidateSeconds()
        && fresh.staleIfErrorSeconds() >= old.staleIfErrorSeconds();
  }

  private static long staleAtMillis(StoredMeta meta) {
    return meta.responseTimeMillis()
        + TimeUnit.SECONDS.toMillis(meta.lifetimeSeconds() - meta.initialAgeSeconds());
  }

  /** Gives each part that {@code old} joins the new fields. */
  private Entry freshenParts(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    for (Entry part : old.parts()) {
      StoredMeta own = meta.withPart(part.meta().part());
      freshen(key, part, own, fields.copy()).release();
    }
    return memory.copy(old, meta, fields);
  }

  @Override
  public Entry copy(Entry old, StoredMeta meta, ByteBuf fields) {
    return memory.copy(old, meta, fields);
  }

  /**
   * The same if the new fields change which requests select it: it then stays in memory only, or is
   * not stored.
   */
  private Entry reselect(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    disk.hide(key);
    disk.supersede(key);
    Entry fresh = memory.freshen(key, old, meta, fields);
    if (fresh == old) {
      memory.remove(key);
    }
    disk.reveal(key);
    return fresh;
  }

  private void writeNew(Entry entry, PendingWrite write) {
    if (entry.meta().part() == null && memory.holds(entry)) {
      disk.write(entry, write);
    }
  }

  @Override
  public List<Entry> variants(CacheKey key) {
    List<Entry> variants = new ArrayList<>();
    for (Entry entry : memory.retainAll(key)) {
      Entry judged = purges.judged(entry);
      if (judged != null) {
        variants.add(judged);
      }
    }
    return variants;
  }

  @Override
  public void loadVariants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    long doubtUntil = purges.doubtUntil();
    disk.variants(
        key,
        meta -> which.test(meta) && !memory.holds(key, meta.vary()),
        max,
        loop,
        loaded -> {
          List<Entry> kept =
              loaded.stream()
                  .map(entry -> purges.judged(entry, doubtUntil))
                  .filter(Objects::nonNull)
                  .toList();
          try {
            loop.execute(() -> then.accept(kept));
          } catch (RejectedExecutionException shutDown) {
            kept.forEach(Entry::release);
          }
        });
  }

  @Override
  public Entry addVariant(
      CacheKey key, Entry like, StoredMeta meta, ByteBuf fields, BooleanSupplier mayStore) {
    if (like.meta().has(StoredMeta.COPY)) {
      return memory.copy(like, meta, fields);
    }
    purges.stored(meta.requestTimeMillis());
    try (PendingWrite write = disk.announceOf(key, meta)) {
      Entry added = memory.addVariant(key, like, meta, fields);
      if (added != like) {
        if (like.diskId() != 0 && !memory.holds(added) && isResident(added)) {
          memory.offer(added, mayStore);
        }
        writeNew(added, write);
      }
      return added;
    }
  }

  @Override
  public int remove(CacheKey key) {
    return removals.remove(key);
  }

  @Override
  public boolean invalidate(
      List<CacheKey> keys,
      CacheKey of,
      long[] groups,
      @Nullable InFlight except,
      EventExecutor loop,
      Consumer<Boolean> then) {
    OtherStores cluster = others;
    if (cluster == null || (keys.isEmpty() && groups.length == 0)) {
      return removals.invalidate(keys, of, groups, except, loop, then);
    }
    cluster.begins();
    Consumer<Boolean> here =
        forgotten ->
            cluster.invalidate(
                keys, groups, forgotten, () -> tell(loop, () -> then.accept(forgotten)));
    if (!removals.invalidate(keys, of, groups, except, loop, here)) {
      here.accept(true);
    }
    return true;
  }

  @Override
  public void purge(Purge what, EventExecutor loop, Consumer<Purged> then) {
    OtherStores cluster = others;
    if (cluster == null) {
      removals.purge(what, loop, then);
      return;
    }
    cluster.begins();
    removals.purge(
        what,
        loop,
        purged -> {
          if (purged.outcome() == Purged.Outcome.REFUSED) {
            cluster.refused();
            then.accept(purged);
          } else {
            boolean confirmed = purged.outcome() == Purged.Outcome.DONE;
            cluster.purge(
                what,
                confirmed,
                reach -> {
                  Purged whole = reach == null ? purged.inNoCluster() : purged.reaching(reach);
                  tell(loop, () -> then.accept(whole));
                });
          }
        });
  }

  private static void tell(EventExecutor loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException shutDown) {
      LOG.debug("the event loop of a purge has stopped");
    }
  }

  /** Purges and invalidations also go to {@code cluster} from now on. Once. */
  public void alsoIn(OtherStores cluster) {
    others = cluster;
  }

  /**
   * Carries out a purge of another store, as {@link #purge} does, and tells no others. Any thread.
   *
   * @param loop runs what has to wait
   * @param then told on any thread whether no crash undoes it; false also if too many are pending
   */
  public void take(Purge what, EventExecutor loop, Consumer<Boolean> then) {
    removals.take(what, loop, then);
  }

  /**
   * Purges may be missing from now on, until {@link #trust}: responses requested until now are
   * validated before their next use, as after a {@link Purge.Everything}. A crash forgets that. Any
   * thread.
   */
  public void doubt() {
    purges.doubt();
  }

  /** No purge is missing any more. Any thread. */
  public void trust() {
    purges.trust();
  }

  @Override
  public List<Ban> bans() {
    return purges.bans();
  }

  @Override
  public int clear() {
    return removals.clear();
  }

  @Override
  public void tick() {
    memory.tick();
    disk.tick();
    catchUp.step();
    purges.tick();
  }

  /**
   * Begins to open the directories in the background: that takes a second or two of CPU, and the
   * ports should open earlier. Call once. Until then nothing is found or written there.
   *
   * @return as {@link #opened}
   */
  public CompletableFuture<Void> open() {
    disk.open();
    return opened;
  }

  /** Completes when all present directories are ready, or off. */
  public CompletableFuture<Void> opened() {
    return opened;
  }

  @Override
  public List<DiskStats> diskStats() {
    return disk.stats();
  }

  @Override
  public boolean isCrowded() {
    return transit.isCrowded();
  }

  @Override
  public MemoryLedger transit() {
    return transit;
  }

  /**
   * Responses in memory. Any thread.
   *
   * @param most of them
   */
  public List<StoredObject> objects(int most) {
    List<StoredObject> objects = new ArrayList<>();
    for (Iterator<? extends HashedKey> keys = memory.keys();
        keys.hasNext() && objects.size() < most; ) {
      for (Entry entry : memory.retainAll(keys.next())) {
        CacheKey key = entry.key();
        objects.add(
            new StoredObject(
                key.toString(),
                key.high(),
                key.low(),
                entry.meta().kept(),
                entry.bytes(),
                entry.diskId() != 0));
        entry.release();
      }
    }
    return objects;
  }

  /** What {@link StoreStats#weighableBytes} would be with a memory of {@code limitBytes}. */
  public long weighableBytes(long limitBytes) {
    return memory.weighableBytes(limitBytes);
  }

  @Override
  public StoreStats stats() {
    return StoreStats.builder()
        .entries(memory.entries())
        .memoryBytes(memory.usedBytes())
        .pinnedBytes(memory.pinnedBytes())
        .memoryLimitBytes(memory.limitBytes())
        .insertions(memory.insertions())
        .evictions(memory.evictions())
        .evictedBytes(memory.evictedBytes())
        .weighedBytes(memory.weighedBytes())
        .weighableBytes(memory.weighableBytes())
        .rejections(memory.rejections())
        .copies(memory.copies())
        .copyBytes(memory.copyBytes())
        .inFlight(flights.size())
        .transitBytes(transit.used())
        .transitLimitBytes(transit.limit())
        .build();
  }

  @Override
  public void resize(long cacheBytes) {
    memory.resize(cacheBytes);
  }

  /**
   * Prepares to use other directories: see {@link DirectoryChange}. To be given to {@link #commit},
   * or closed.
   *
   * @throws IOException one cannot be claimed; nothing has changed then
   */
  public DirectoryChange prepare(DiskSettings directories) throws IOException {
    return disk.prepare(directories);
  }

  /**
   * Uses other directories: those that are no longer wanted are closed when this returns, and new
   * ones are being opened. Blocks.
   */
  public void commit(DirectoryChange change) {
    if (!change.opens()) {
      change.commit();
      return;
    }
    alternatives.someAreUntold();
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    try {
      all = change.commit();
    } finally {
      opened =
          CompletableFuture.allOf(
              opened, all.whenComplete((done, failure) -> alternatives.allAreTold()));
    }
  }

  /**
   * Other budgets from now on, except for {@link #resize that of stored responses}. A smaller one
   * of transit is reached as its users end; fetches in progress keep their limits. Not at the same
   * time as another call.
   */
  public void reconfigure(MemorySettings budgets) {
    transit.limit(budgets.transitBytes());
    maxInMemoryBytes = limit(budgets.maxObjectInMemoryBytes());
    flights.reconfigure(maxInMemoryBytes, budgets.readAheadGapBytes());
  }

  /**
   * Waits, a few seconds at most, until complete responses are on disk; then ends all other
   * fetches, whose bytes stay as parts. Call it before {@link #close}, while the event loops run
   * and no new fetch begins. Blocks.
   */
  public void land() {
    try {
      if (!flights.landed().await(LANDING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "{} fetches are still pending after {} s: they are ended, and their bytes stay as"
                + " parts; next: nothing",
            flights.size(),
            LANDING_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    flights.breakOff(InFlight.Refusal.CLOSED);
    try {
      if (!flights.landed().await(BREAKING_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "{} fetches stored nothing on disk: the process stops without them; next: nothing, they"
                + " are fetched again",
            flights.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    flights.close();
  }

  /** See {@link DiskTier#takeNoMore}. */
  public void takeNoMore() {
    disk.takeNoMore();
  }

  /** See {@link DiskTier#arriving}. */
  public int arriving() {
    return disk.arriving();
  }

  /**
   * Releases the directories, so that another process may open them; memory serves on. Blocks.
   *
   * @throws IOException one cannot be released in time
   */
  public void giveDirectories() throws IOException {
    disk.give();
  }

  /**
   * Uses the directories again that were given away, when no other process has them any more. What
   * was removed meanwhile stays removed. Blocks.
   *
   * @param directories as before
   * @throws IOException that is not possible
   */
  public void takeDirectoriesBack(DiskSettings directories) throws IOException {
    disk.takeAgain();
    commit(prepare(directories));
  }

  @Override
  public void close() {
    flights.close();
    purges.close();
    disk.close();
    memory.close();
  }

  /** Complete responses go to memory, and in the background to disk. */
  private final class TierLanding implements Landing {
    @Override
    public boolean accepts(long bytes) {
      return memory.accepts(bytes);
    }

    @Override
    public @Nullable Entry add(
        CacheKey key,
        StoredMeta meta,
        @Nullable Fields request,
        ByteBuf first,
        int fieldsLength,
        int firstLength,
        ByteBuf[] rest,
        int lastLength,
        BooleanSupplier mayStore) {
      purges.stored(meta.requestTimeMillis());
      if (meta.has(StoredMeta.COPY)) {
        return meta.part() != null
            ? null
            : addCopy(
                key, meta, request, first, fieldsLength, firstLength, rest, lastLength, mayStore);
      }
      if (meta.part() != null && disk.mayHold(key)) {
        return null; // perhaps all of it, which a copy in memory would hide
      }
      try (PendingWrite write = disk.announceOf(key, meta)) {
        Entry entry =
            memory.add(
                key, meta, request, first, fieldsLength, firstLength, rest, lastLength, mayStore);
        if (meta.part() != null) {
          return entry;
        }
        if (entry != null) {
          disk.write(entry, write);
        } else if (mayStore.getAsBoolean()) {
          disk.hide(key);
          disk.supersede(key);
          memory.removeVariant(key, meta.vary());
          disk.reveal(key);
        }
        return entry;
      }
    }

    /** In memory alone. The disk forgets older ones, which clients must not get after it. */
    private @Nullable Entry addCopy(
        CacheKey key,
        StoredMeta meta,
        @Nullable Fields request,
        ByteBuf first,
        int fieldsLength,
        int firstLength,
        ByteBuf[] rest,
        int lastLength,
        BooleanSupplier mayStore) {
      disk.hide(key);
      Entry entry =
          memory.add(
              key, meta, request, first, fieldsLength, firstLength, rest, lastLength, mayStore);
      if (entry != null) {
        disk.supersede(key);
      }
      disk.reveal(key);
      return entry;
    }

    @Override
    public @Nullable Spool spool(
        CacheKey key,
        StoredMeta meta,
        ByteBuf fields,
        long contentLength,
        EventExecutor loop,
        Spool.Listener listener) {
      if (meta.has(StoredMeta.COPY)) {
        return null;
      }
      purges.stored(meta.requestTimeMillis());
      return disk.spool(key, meta, fields, contentLength, loop, listener);
    }

    @Override
    public void rejected() {
      memory.rejected();
    }
  }
}

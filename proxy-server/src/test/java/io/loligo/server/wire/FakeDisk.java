package io.loligo.server.wire;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.Store;
import io.loligo.store.StoreStats;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.keys.AlternativeKeys;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.AbsentContent;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A store that presents the content of memory as being on disk: found only by {@link #load}, with
 * the first bytes of content in memory and the others to be read. Loads, reads, purges and
 * invalidations can be held back and can fail. Thread-safe: any thread.
 */
public final class FakeDisk implements Store {
  private final Store inner;
  private final Executor thread;
  private final ByteBufAllocator allocator;
  private final LinkedBlockingQueue<Runnable> held = new LinkedBlockingQueue<>();
  private final AtomicInteger live = new AtomicInteger();
  private final AtomicInteger reading = new AtomicInteger();
  private final AtomicInteger mostReading = new AtomicInteger();
  private final List<Long> offsets = new CopyOnWriteArrayList<>();

  /** Whether the content of memory is on disk only. */
  public volatile boolean onDisk;

  /** Whether {@link #mayLoad} is true for every key. */
  volatile boolean hinted;

  volatile boolean holdsLoads;
  volatile boolean holdsVariants;
  volatile boolean holdsReads;
  volatile boolean holdsPurges;
  volatile boolean holdsInvalidations;

  /** How loads end. */
  public volatile LoadOutcome outcome = LoadOutcome.FOUND;

  volatile int residentBytes = 100;

  /** Content from here on cannot be read, once; the entry is dropped then. */
  public volatile long damagedFrom = Long.MAX_VALUE;

  volatile boolean forgets = true;

  FakeDisk(Store inner) {
    this(
        inner,
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "fake-disk");
              thread.setDaemon(true);
              return thread;
            }),
        PooledByteBufAllocator.DEFAULT);
  }

  /** The same that does its work on {@code thread}, with buffers of {@code allocator}. */
  public FakeDisk(Store inner, Executor thread, ByteBufAllocator allocator) {
    this.inner = inner;
    this.thread = thread;
    this.allocator = allocator;
  }

  /** Entries and content given out that were not released yet. */
  public int live() {
    return live.get();
  }

  /** Where reads began, in bytes of content. */
  List<Long> offsets() {
    return offsets;
  }

  /** Most reads under way at once. */
  int mostReading() {
    return mostReading.get();
  }

  /** Waits until something is held back; returns it to be run. */
  Runnable awaitHeld() throws InterruptedException {
    Runnable next = held.poll(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    if (next == null) {
      throw new AssertionError("nothing came to the disk");
    }
    return () -> thread.execute(next);
  }

  private void run(boolean hold, Runnable task) {
    if (hold) {
      held.add(task);
    } else {
      thread.execute(task);
    }
  }

  @Override
  public Entry find(KeyProbe key, Fields request) {
    Entry found = inner.find(key, request);
    if (found == null || !onDisk || found.meta().part() != null) {
      return found; // parts are in memory only
    }
    found.release();
    return null;
  }

  @Override
  public boolean mayLoad(KeyProbe key) {
    return hinted || (onDisk && inner.holds(key));
  }

  @Override
  public void load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, LoadListener then) {
    run(
        holdsLoads,
        () -> {
          Entry whole = outcome == LoadOutcome.FOUND ? inner.find(probe(key), request) : null;
          if (whole != null && whole.meta().part() != null) {
            whole.release();
            whole = null;
          }
          Entry loaded = whole == null ? null : onDisk(whole);
          boolean absent = whole == null && outcome == LoadOutcome.FOUND;
          LoadReport report = new LoadReport(absent ? LoadOutcome.ABSENT : outcome, 1_000, 2_000);
          loop.execute(() -> then.loaded(loaded, report));
        });
  }

  @Override
  public boolean isOpening() {
    return inner.isOpening();
  }

  @Override
  public Loaded loadNow(CacheKey key, Fields request, Wanted wanted) {
    return null; // it is always waited for
  }

  @Override
  public void peek(CacheKey key, Fields request, EventExecutor loop, Consumer<Peek> then) {
    inner.peek(key, request, loop, peek -> then.accept(onDisk ? onDisk(peek) : peek));
  }

  private Peek onDisk(Peek peek) {
    List<Glimpse> variants = peek.variants().stream().map(FakeDisk::onDisk).toList();
    Glimpse found = peek.selected();
    boolean absent = found == null && outcome == LoadOutcome.FOUND;
    LoadOutcome load = absent ? LoadOutcome.ABSENT : outcome;
    return new Peek(
        variants, load == LoadOutcome.FOUND ? onDisk(found) : null, true, load, outcome);
  }

  private static Glimpse onDisk(Glimpse one) {
    return new Glimpse(one.meta(), one.storedLines(), true, one.bytes(), one.hits())
        .selected(one.selected());
  }

  private Entry onDisk(Entry whole) {
    int inFirst = whole.firstBlockLength() - whole.fieldsLength();
    int length = whole.fieldsLength() + Math.min(inFirst, residentBytes);
    ByteBuf first = allocator.directBuffer(length, length);
    first.writeBytes(whole.firstBlock(), 0, length);
    return DiskEntries.of(whole, first, new Content(whole, length - whole.fieldsLength()));
  }

  /** The rest of an entry, one reference to which it owns. */
  private final class Content implements AbsentContent {
    private final Entry whole;
    private final long start;
    private final AtomicInteger count = new AtomicInteger(1);

    Content(Entry whole, long start) {
      this.whole = whole;
      this.start = start;
      live.incrementAndGet();
    }

    @Override
    public FurtherContent retain() {
      count.incrementAndGet();
      return this;
    }

    @Override
    public void release() {
      if (count.decrementAndGet() == 0) {
        whole.release();
        live.decrementAndGet();
      }
    }

    @Override
    public void read(long offset, int max, EventExecutor loop, Listener then) {
      retain();
      offsets.add(start + offset);
      mostReading.accumulateAndGet(reading.incrementAndGet(), Math::max);
      run(
          holdsReads,
          () -> {
            ByteBuf content = read(start + offset, max);
            reading.decrementAndGet();
            loop.execute(
                () -> {
                  then.content(content);
                  release();
                });
          });
    }

    private ByteBuf read(long offset, int max) {
      if (offset >= damagedFrom) {
        damagedFrom = Long.MAX_VALUE;
        inner.remove(whole.key());
        return null;
      }
      int most = (int) Math.min(max, damagedFrom - offset);
      return whole.retainedContent(offset, most);
    }
  }

  @Override
  public boolean fits(long contentLength) {
    return inner.fits(contentLength);
  }

  @Override
  public boolean takesCopy(long contentLength) {
    return inner.takesCopy(contentLength);
  }

  @Override
  public boolean holds(KeyProbe key) {
    return inner.holds(key);
  }

  @Override
  public InFlight inFlight(KeyProbe key, Fields request) {
    return inner.inFlight(key, request);
  }

  @Override
  public InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer) {
    return inner.begin(key, joinable, loop, writer);
  }

  @Override
  public InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer) {
    return inner.joinOrBegin(key, request, expected, loop, writer);
  }

  @Override
  public long requestMoment(long nowMillis) {
    return inner.requestMoment(nowMillis);
  }

  @Override
  public Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    return inner.freshen(key, old, meta, fields);
  }

  @Override
  public Entry copy(Entry old, StoredMeta meta, ByteBuf fields) {
    return inner.copy(old, meta, fields);
  }

  @Override
  public InFlight landingPart(KeyProbe key) {
    return inner.landingPart(key);
  }

  @Override
  public List<Entry> variants(CacheKey key) {
    return inner.variants(key);
  }

  @Override
  public void loadVariants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    run(holdsVariants, () -> inner.loadVariants(key, which, max, loop, then));
  }

  @Override
  public Entry addVariant(
      CacheKey key, Entry like, StoredMeta meta, ByteBuf fields, BooleanSupplier mayStore) {
    return inner.addVariant(key, like, meta, fields, mayStore);
  }

  @Override
  public AlternativeKeys alternatives() {
    return inner.alternatives();
  }

  @Override
  public int remove(CacheKey key) {
    return inner.remove(key);
  }

  @Override
  public boolean invalidate(
      List<CacheKey> keys,
      CacheKey of,
      long[] groups,
      InFlight except,
      EventExecutor loop,
      Consumer<Boolean> then) {
    boolean has = onDisk && keys.stream().anyMatch(key -> inner.holds(probe(key)));
    boolean awaited = inner.invalidate(keys, of, groups, except, loop, then);
    if (has && !awaited) {
      boolean confirmed = forgets;
      run(holdsInvalidations, () -> loop.execute(() -> then.accept(confirmed)));
    }
    return has || awaited;
  }

  private static KeyProbe probe(CacheKey key) {
    return new KeyProbe().append(key.toString()).seal();
  }

  @Override
  public void purge(Purge what, EventExecutor loop, Consumer<Purged> then) {
    run(
        holdsPurges,
        () ->
            inner.purge(
                what,
                loop,
                purged ->
                    then.accept(
                        forgets
                            ? purged
                            : new Purged(
                                Purged.Outcome.NOT_CONFIRMED, purged.memory(), purged.disk()))));
  }

  @Override
  public List<Ban> bans() {
    return inner.bans();
  }

  @Override
  public int clear() {
    return inner.clear();
  }

  @Override
  public MemoryLedger transit() {
    return inner.transit();
  }

  @Override
  public boolean isCrowded() {
    return inner.isCrowded();
  }

  @Override
  public StoreStats stats() {
    return inner.stats();
  }

  @Override
  public void tick() {
    inner.tick();
  }

  @Override
  public List<DiskStats> diskStats() {
    return inner.diskStats();
  }

  @Override
  public void resize(long cacheBytes) {
    inner.resize(cacheBytes);
  }

  @Override
  public void close() {
    inner.close();
  }
}

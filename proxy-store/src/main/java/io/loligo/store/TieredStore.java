package io.loligo.store;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.Fields;
import io.loligo.store.inflight.Flights;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.inflight.Landing;
import io.loligo.store.inflight.Spool;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryTier;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;

/**
 * The store: fetches under way, and behind them the memory tier. Thread-safe: any event loop.
 *
 * <p>Direct memory stays within {@code cache_mem} and the in-transit budget together: what arrives
 * is entered in the ledger of transit before it is allocated, and moves to the tier's when it is
 * stored.
 */
public final class TieredStore implements Store {
  private final MemoryLedger transit;
  private final MemoryTier memory;
  private final Flights flights;
  private final long maxInMemoryBytes;
  private final Landing landing = new MemoryLanding();

  /**
   * An empty store.
   *
   * @param allocator of pooled direct memory, the process's
   * @param transit ledger of all bytes on their way that no tier holds; shared with whoever else
   *     holds such bytes
   * @param maintenance runs the tiers' maintenance, one task at a time, off the event loops; lives
   *     longer than the store; best a {@link io.loligo.store.memory.PacedExecutor}
   */
  public TieredStore(
      ByteBufAllocator allocator,
      ProxyConfig.Memory budgets,
      MemoryLedger transit,
      Executor maintenance) {
    this.transit = transit;
    this.memory = new MemoryTier(allocator, budgets.cacheBytes(), transit, maintenance);
    this.maxInMemoryBytes = limit(budgets.maxObjectInMemoryBytes());
    this.flights =
        new Flights(
            allocator,
            transit,
            maxInMemoryBytes,
            budgets.readAheadGapBytes(),
            budgets.streamBufferBytes());
  }

  private static long limit(long bytes) {
    return bytes < 0 ? Long.MAX_VALUE : bytes;
  }

  @Override
  public Entry find(KeyProbe key, Fields request) {
    return memory.find(key, request);
  }

  @Override
  public boolean mayLoad(KeyProbe key) {
    return false;
  }

  @Override
  public void load(CacheKey key, Fields request, EventExecutor loop, LoadListener then) {
    loop.execute(() -> then.loaded(null, new LoadReport(LoadOutcome.ABSENT, 0, 0)));
  }

  @Override
  public boolean fits(long contentLength) {
    return contentLength <= maxInMemoryBytes;
  }

  @Override
  public void purge(CacheKey key, EventExecutor loop, IntConsumer then) {
    int removed = remove(key);
    loop.execute(() -> then.accept(removed));
  }

  @Override
  public boolean holds(KeyProbe key) {
    return memory.holds(key);
  }

  @Override
  public InFlight inFlight(KeyProbe key) {
    return flights.find(key);
  }

  @Override
  public InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer) {
    return flights.begin(key, joinable, false, loop, writer, landing);
  }

  @Override
  public InFlight joinOrBegin(CacheKey key, EventExecutor loop, InFlight.Writer writer) {
    return flights.begin(key, true, true, loop, writer, landing);
  }

  @Override
  public Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    return memory.freshen(key, old, meta, fields);
  }

  @Override
  public int remove(CacheKey key) {
    flights.invalidate(key);
    return memory.remove(key);
  }

  @Override
  public int clear() {
    flights.invalidateAll();
    return memory.clear();
  }

  @Override
  public StoreStats stats() {
    return new StoreStats(
        memory.entries(),
        memory.usedBytes(),
        memory.pinnedBytes(),
        memory.limitBytes(),
        memory.insertions(),
        memory.evictions(),
        memory.rejections(),
        flights.size(),
        transit.used(),
        transit.limit());
  }

  @Override
  public List<DiskStats> diskStats() {
    return List.of();
  }

  @Override
  public void resize(long cacheBytes) {
    memory.resize(cacheBytes);
  }

  @Override
  public void close() {
    flights.close();
    memory.close();
  }

  /** Complete responses go to memory. */
  private final class MemoryLanding implements Landing {
    @Override
    public boolean accepts(long bytes) {
      return memory.accepts(bytes);
    }

    @Override
    public Entry add(
        CacheKey key,
        StoredMeta meta,
        ByteBuf first,
        int fieldsLength,
        int firstLength,
        ByteBuf[] rest,
        int lastLength) {
      return memory.add(key, meta, first, fieldsLength, firstLength, rest, lastLength);
    }

    @Override
    public Spool spool(
        CacheKey key,
        StoredMeta meta,
        ByteBuf fields,
        long contentLength,
        EventExecutor loop,
        Spool.Listener listener) {
      return null;
    }

    @Override
    public void drop(Entry entry) {
      memory.remove(entry.key());
    }

    @Override
    public void rejected() {
      memory.rejected();
    }
  }
}

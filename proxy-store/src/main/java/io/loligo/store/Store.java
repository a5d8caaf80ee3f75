package io.loligo.store;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.keys.AlternativeKeys;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The front door of the store: stored responses in the tiers, and fetches in flight. Thread-safe:
 * any event loop; no call blocks or waits for a lock that is held during work.
 */
public interface Store extends AutoCloseable {
  /**
   * A request begins, which may look for a stored response. Before that look. A node of a cluster
   * notices so that it stood still.
   *
   * @param nanos of the monotonic clock, read when the request had come
   * @param millis since the epoch, likewise
   */
  default void requestBegins(long nanos, long millis) {}

  /**
   * Looks in memory for the variant that {@code request} selects (RFC 9111 section 4.1), the most
   * recent one if several match. Returns owned (release it), or null.
   */
  @Nullable Entry find(KeyProbe key, Fields request);

  /** Told once the result of {@link #load}. */
  interface LoadListener {
    /**
     * Takes the result.
     *
     * @param entry the variant that the request selects, owned (release it); null if there is none,
     *     and {@code report} says why
     */
    void loaded(@Nullable Entry entry, LoadReport report);
  }

  /**
   * The outcome of a load and its cost.
   *
   * @param queueNanos from the call to its turn on a disk thread
   * @param readNanos the work there
   */
  record LoadReport(LoadOutcome outcome, long queueNanos, long readNanos) {
    /** This report as that of the second load for one request: the costs are added up. */
    public LoadReport after(LoadReport first) {
      return new LoadReport(outcome, first.queueNanos + queueNanos, first.readNanos + readNanos);
    }
  }

  /**
   * Whether a tier on disk may hold a variant under {@code key}. A hint from an index in memory; it
   * is wrong only in moments around changes. Always false without such a tier.
   */
  boolean mayLoad(KeyProbe key);

  /**
   * Loads from disk the variant that {@code request} selects, the most recent if several match,
   * verified. The entry may enter memory on the way. {@link Entry#read} gives the content that does
   * not come along.
   *
   * @param request a copy that no longer changes, because another thread reads it
   * @param loop {@code then} is told there, never before this returns
   */
  void load(CacheKey key, Fields request, Wanted wanted, EventExecutor loop, LoadListener then);

  /**
   * The result of a {@link #loadNow}.
   *
   * @param entry owned by the caller; null if there is none, and {@code report} says why
   */
  record Loaded(@Nullable Entry entry, LoadReport report) {}

  /**
   * Does the same as {@link #load} if no wait for a disk is needed: the response is in memory on
   * its way to disk, or in the page cache. Returns null if it would have to wait. Never blocks.
   */
  @Nullable Loaded loadNow(CacheKey key, Fields request, Wanted wanted);

  /** Whether requests wait for a directory that is being opened; a load may then take longer. */
  boolean isOpening();

  /**
   * The result of a {@link #peek}.
   *
   * @param variants all variants stored under the key, memory first, in each tier in the order in
   *     which a request tries them
   * @param selected the response that {@link #find}, or else {@link #load}, would return; null if
   *     there is none
   * @param others whether {@link #holds} would be true after that; read only if {@code selected} is
   *     null
   * @param load the outcome of the load that the request would need; null if it would need none
   * @param disk the outcome for all variants on disk: DAMAGED or BUSY if some of them could not be
   *     read; null if the index has none
   */
  record Peek(
      List<Glimpse> variants,
      @Nullable Glimpse selected,
      boolean others,
      @Nullable LoadOutcome load,
      @Nullable LoadOutcome disk) {}

  /**
   * Looks at everything stored under {@code key}, selects as {@link #find} and {@link #load} do,
   * and changes nothing: no hit is counted, nothing promoted. For explanations; costs a disk read
   * per variant on disk.
   *
   * @param request as for {@link #load}
   * @param loop {@code then} is told there, never before this returns
   */
  void peek(CacheKey key, Fields request, EventExecutor loop, Consumer<Peek> then);

  /** Whether a response with {@code contentLength} bytes of content fits any tier; -1: unknown. */
  boolean fits(long contentLength);

  /**
   * Whether memory has room for a copy of another node's response, as things are now.
   *
   * @param contentLength bytes of its content; -1: unknown
   */
  boolean takesCopy(long contentLength);

  /** Keys other than those of URLs; a removal by URL removes them too. */
  AlternativeKeys alternatives();

  /** Whether any variant is stored under {@code key} in any tier. */
  boolean holds(KeyProbe key);

  /**
   * A fetch under {@code key}, all of whose bytes have arrived, that is about to leave a part of a
   * response on disk; null without one. {@link InFlight#awaitPart} tells when the part can be
   * found.
   */
  @Nullable InFlight landingPart(KeyProbe key);

  /**
   * The fetch in flight for {@code key} that other requests may still join, or null. Never one that
   * is known to bring another variant than {@code request} selects.
   */
  @Nullable InFlight inFlight(KeyProbe key, Fields request);

  /**
   * Begins a fetch. Returns null if the in-transit budget has no room even for {@link
   * Flights#FLOOR_BYTES}: the request cannot be served now (503).
   *
   * @param joinable whether {@link #inFlight} finds it for equal requests; if another joinable
   *     fetch is already there, this one begins but is not found
   * @param loop the writer's event loop
   * @param writer told when to read on, on its loop
   */
  @Nullable InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer);

  /**
   * The fetch in flight for {@code key} that others may still join, or a new joinable one, in one
   * step: if many loops ask for a cold object at once, exactly one begins a fetch. The fetch is new
   * if its {@link InFlight#writer} is {@code writer}; the caller may then {@link #find} once more,
   * because an earlier fetch may have ended in between. Null as in {@link #begin}.
   *
   * @param request joins no fetch that is known to bring another variant, and none that {@link
   *     InFlight.Writer#mayJoin} excludes
   * @param expected the variant that a new fetch will bring, as far as it is known: requests for
   *     another variant do not find it; or null
   */
  @Nullable InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      @Nullable VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer);

  /**
   * The moment of a request that is sent at {@code nowMillis}, milliseconds since the epoch: later
   * than every purge so far.
   */
  long requestMoment(long nowMillis);

  /**
   * Replaces {@code old} by the same content under new fields after a 304 (RFC 9111 section 4.3.4).
   * Borrows {@code old}, takes {@code fields} (lines and empty line). Returns the new entry owned;
   * if no memory has room for it, returns {@code old} with one more reference. The new entry is
   * stored only if {@code old} is still stored and the cache has room.
   */
  Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields);

  /**
   * The content of {@code old}, borrowed, under other fields, for one reader; it is not stored.
   * Takes {@code fields}. Returns as {@link #freshen}.
   */
  Entry copy(Entry old, StoredMeta meta, ByteBuf fields);

  /**
   * All variants in memory under {@code key} that may still be served, the most recent first. The
   * caller owns each.
   */
  List<Entry> variants(CacheKey key);

  /**
   * Loads variants under {@code key} that only disk has, whatever requests select them, the most
   * recent first; no hit is counted.
   *
   * @param which selects the variants to load; called on another thread
   * @param max number of variants at most
   * @param loop {@code then} takes them there, each owned, never before this returns
   */
  void loadVariants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then);

  /**
   * Stores the content of {@code like}, borrowed, under new fields for another selection beside it,
   * after a 304 that selected it for the request. Takes {@code fields} (lines and empty line).
   * Returns the new entry owned; if no memory has room for it, returns {@code like} with one more
   * reference. The new entry is stored only if {@code like} is still stored, in memory or on disk,
   * and the cache has room.
   *
   * @param mayStore whether no removal has come since the validation request: see {@link
   *     InFlight#mayStore}
   */
  Entry addVariant(
      CacheKey key, Entry like, StoredMeta meta, ByteBuf fields, BooleanSupplier mayStore);

  /**
   * Drops every variant under {@code key}; a fetch in flight will not be stored. None of them is
   * served from now on; copies on disk go in the background. Returns their approximate number.
   */
  int remove(CacheKey key);

  /**
   * Purges {@code what}: from the answer on, nothing of it is served as before, and a crash does
   * not change that. {@code then} is told on {@code loop}.
   */
  void purge(Purge what, EventExecutor loop, Consumer<Purged> then);

  /**
   * Carries out the invalidation that the response to an unsafe request demands (RFC 9111 section
   * 4.4, RFC 9875 section 3): drops every variant under {@code keys}, as {@link #remove} does, and
   * all responses in {@code groups}. None of them is served from now on.
   *
   * @param of key of the unsafe request
   * @param groups see {@link io.loligo.core.caching.CacheGroups#invalidated}; may be empty
   * @param except the response that invalidates everything before it and may still be stored
   *     itself; or null
   * @param loop {@code then} is told there, never before this returns
   * @param then told once whether all disks have forgotten it, so that not even a crash brings it
   *     back
   * @return whether {@code then} will be told; false if no disk has any of it
   */
  boolean invalidate(
      List<CacheKey> keys,
      CacheKey of,
      long[] groups,
      @Nullable InFlight except,
      EventExecutor loop,
      Consumer<Boolean> then);

  /** Purged patterns that have not yet been compared with everything on disk. */
  List<Ban> bans();

  /**
   * Drops everything; copies on disk go in the background. Returns the approximate number of
   * responses.
   */
  int clear();

  /**
   * The regular work: checks that the directories are still there, and scrubs a little. Call every
   * second, on a maintenance thread.
   */
  void tick();

  /**
   * Whether so many bytes are in transit that no new fetch should begin, so that the present ones
   * do not run out of memory.
   */
  boolean isCrowded();

  /**
   * The ledger of bytes in transit that no tier holds. Every other holder of such bytes enters them
   * here, too.
   */
  MemoryLedger transit();

  /** Numbers for the ledger and the metrics. */
  StoreStats stats();

  /** Numbers of each {@code cache_dir}, in the order of the lines; empty without any. */
  List<DiskStats> diskStats();

  /** Changes the memory budget ({@code cache_mem}) while running. */
  void resize(long cacheBytes);

  /** Drops and releases everything; fetches in flight end. */
  @Override
  void close();
}

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

/**
 * The front door of the store: what rests in the tiers and what is arriving. Thread-safe: any event
 * loop; no call blocks or waits for a lock held over work.
 */
public interface Store extends AutoCloseable {
  /**
   * Looks in memory for the variant that {@code request} selects (RFC 9111 section 4.1), the most
   * recent one where several match. Returns owned (release it), or null.
   */
  Entry find(KeyProbe key, Fields request);

  /** Told once what {@link #load} found. */
  interface LoadListener {
    /**
     * The variant that the request selects, owned (release it); null where {@code report} says why
     * there is none.
     */
    void loaded(Entry entry, LoadReport report);
  }

  /**
   * How a load ended and what it took.
   *
   * @param queueNanos from the call to its turn on a disk thread
   * @param readNanos the work there
   */
  record LoadReport(LoadOutcome outcome, long queueNanos, long readNanos) {
    /** This one, of the second load for one request. */
    public LoadReport after(LoadReport first) {
      return new LoadReport(outcome, first.queueNanos + queueNanos, first.readNanos + readNanos);
    }
  }

  /**
   * Whether a tier on disk may hold a variant under {@code key}: a hint from an index in memory,
   * right but for moments around changes. Always false without such a tier.
   */
  boolean mayLoad(KeyProbe key);

  /**
   * Loads from disk the variant that {@code request} selects, the most recent where several match,
   * verified. It may enter memory on the way. Content that does not come along is behind {@link
   * Entry#read}.
   *
   * @param request a snapshot nobody changes: it is read on another thread
   * @param loop {@code then} is told there, never before this returns
   */
  void load(CacheKey key, Fields request, Wanted wanted, EventExecutor loop, LoadListener then);

  /**
   * What a {@link #loadNow} found.
   *
   * @param entry owned by the caller; null where {@code report} says why there is none
   */
  record Loaded(Entry entry, LoadReport report) {}

  /**
   * Loads what {@link #load} would where that need not wait for a disk: what is in memory on its
   * way there, or in the page cache. Null where it would have to wait; never blocks.
   */
  Loaded loadNow(CacheKey key, Fields request, Wanted wanted);

  /** Whether requests wait for a directory that is being opened: a load may take longer then. */
  boolean isOpening();

  /**
   * What a {@link #peek} saw.
   *
   * @param variants all that is stored under the key, memory first, in each tier in the order in
   *     which a request is tried on them
   * @param disk how looking on disk ended: DAMAGED or BUSY where some of it could not be looked at;
   *     null where the index says that nothing is there
   */
  record Peek(List<Glimpse> variants, LoadOutcome disk) {}

  /**
   * Looks at everything stored under {@code key} and changes nothing by it: no hit is counted,
   * nothing promoted. For people who ask; costs a disk read for each variant there.
   *
   * @param loop {@code then} is told there, never before this returns
   */
  void peek(CacheKey key, EventExecutor loop, Consumer<Peek> then);

  /** Whether a response with {@code contentLength} bytes of content fits any tier; -1: unknown. */
  boolean fits(long contentLength);

  /** Keys other than those of URLs; what is removed by its URL ends them. */
  AlternativeKeys alternatives();

  /** Whether any variant is stored under {@code key} in any tier. */
  boolean holds(KeyProbe key);

  /**
   * A fetch that is about to leave a part of a response under {@code key} on disk, all of whose
   * bytes arrived, or null: {@link InFlight#awaitPart} tells when it can be found.
   */
  InFlight landingPart(KeyProbe key);

  /**
   * The fetch under way for {@code key} that others may still join, or null. Not one that is known
   * to bring another variant than {@code request} selects.
   */
  InFlight inFlight(KeyProbe key, Fields request);

  /**
   * Begins a fetch. Null where the in-transit budget has not even room for {@link
   * Flights#FLOOR_BYTES}: the request cannot be served now (503).
   *
   * @param joinable whether equal requests may find it by {@link #inFlight}; if another joinable
   *     one is already there, this one is begun without being found
   * @param loop the writer's event loop
   * @param writer told when to read on, on its loop
   */
  InFlight begin(CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer);

  /**
   * The fetch under way for {@code key} that others may still join, or a joinable one of one's own,
   * in one step: of many loops that ask for a cold object at once exactly one begins. It is one's
   * own if its {@link InFlight#writer} is {@code writer}; who is about to fetch then may {@link
   * #find} once more, as an earlier fetch may have ended between. Null as in {@link #begin}.
   *
   * @param request joins nothing that is known to bring another variant
   * @param expected the variant that one's own will bring, as far as it is known: others with
   *     another one do not find it; or null
   */
  InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer);

  /**
   * The moment of a request that is sent at {@code nowMillis}, milliseconds since the epoch: later
   * than that of every purge so far.
   */
  long requestMoment(long nowMillis);

  /**
   * Replaces {@code old} by the same content under new fields after a 304 (RFC 9111 section 4.3.4).
   * Borrows {@code old}, takes {@code fields} (lines and empty line). Returns the new entry owned;
   * where no memory has room for it, {@code old} with one reference more. It is stored only if
   * {@code old} still is and the cache has room.
   */
  Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields);

  /**
   * The content of {@code old}, borrowed, under other fields, for one reader: not stored. Takes
   * {@code fields}. Returns as {@link #freshen}.
   */
  Entry copy(Entry old, StoredMeta meta, ByteBuf fields);

  /**
   * All variants that memory has under {@code key}, the most recent first, as far as they may still
   * be served. Each is owned by the caller.
   */
  List<Entry> variants(CacheKey key);

  /**
   * Loads variants under {@code key} that only disk has, whatever selects them, the most recent
   * first; no hit is counted.
   *
   * @param which those that are worth it; asked on another thread
   * @param max of so many at most
   * @param loop {@code then} takes them there, each owned, never before this returns
   */
  void loadVariants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then);

  /**
   * Stores the content of {@code like}, borrowed, under new fields for another selection beside it:
   * a 304 said that it is what the request gets. Takes {@code fields} (lines and empty line).
   * Returns the new entry owned; where no memory has room for it, {@code like} with one reference
   * more. It is stored only if {@code like} still is, in memory or on disk, and the cache has room.
   *
   * @param mayStore whether no removal has come since the 304 was asked for: see {@link
   *     InFlight#mayStore}
   */
  Entry addVariant(
      CacheKey key, Entry like, StoredMeta meta, ByteBuf fields, BooleanSupplier mayStore);

  /**
   * Drops every variant under {@code key}; a fetch under way will not be stored. Nothing of it is
   * served from now on; what is on disk goes behind the back. How many there were, roughly.
   */
  int remove(CacheKey key);

  /**
   * Purges {@code what}: nothing of it is served as before from the answer on, and not even a crash
   * changes that. {@code then} is told on {@code loop}.
   */
  void purge(Purge what, EventExecutor loop, Consumer<Purged> then);

  /**
   * Invalidates what the answer to an unsafe request says (RFC 9111 section 4.4, RFC 9875 section
   * 3): drops every variant under {@code keys}, as {@link #remove} does, and what is in {@code
   * groups}. Nothing of it is served from now on.
   *
   * @param of key of the request that was answered so
   * @param groups see {@link io.loligo.core.caching.CacheGroups#invalidated}; may be empty
   * @param except the answer by which everything before it became invalid, which may still be
   *     stored; or null
   * @param loop {@code then} is told there, never before this returns
   * @param then told once whether all disks have forgotten it, so that not even a crash brings it
   *     back
   * @return whether {@code then} will be told; false where no disk has any of it
   */
  boolean invalidate(
      List<CacheKey> keys,
      CacheKey of,
      long[] groups,
      InFlight except,
      EventExecutor loop,
      Consumer<Boolean> then);

  /** Patterns that were purged and that not everything on disk was compared with yet. */
  List<Ban> bans();

  /** Drops everything; what is on disk behind the back. How many there were, roughly. */
  int clear();

  /**
   * The regular work: looks whether the directories are still there, scrubs a little. To be called
   * every second, on a maintenance thread.
   */
  void tick();

  /**
   * Whether so much is on its way that nothing more should be begun, lest what has begun lacks
   * memory.
   */
  boolean isCrowded();

  /** What is on its way and no tier holds: whoever else holds such bytes enters them here, too. */
  MemoryLedger transit();

  /** Numbers for the ledger and the metrics. */
  StoreStats stats();

  /** Numbers of each {@code cache_dir}, in the order of the lines; empty without any. */
  List<DiskStats> diskStats();

  /** Changes the memory budget ({@code cache_mem}) while running. */
  void resize(long cacheBytes);

  /** Drops everything and releases it; fetches under way end. */
  @Override
  void close();
}

package io.loligo.store.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Stored responses in pooled direct memory, chosen by Caffeine (W-TinyLFU). Thread-safe: any
 * thread; its maintenance runs on the executor it was given.
 *
 * <p>The limit is hard: see {@link HardLimit}.
 */
public final class MemoryTier {
  /** Heap that an entry costs beside what clients choose; a test measures it. */
  static final int HEAP_BYTES = 512;

  /** Weights are {@code int}: in units of this many bytes. */
  static final int UNIT_BYTES = 64;

  private final ByteBufAllocator allocator;
  private final MemoryLedger ledger;
  private final MemoryLedger transit;
  private final Cache<Object, Stored> cache;
  private final HardLimit limit;
  private final HotEntries hot;
  private final LongAdder entries = new LongAdder();
  private final LongAdder mappedBytes = new LongAdder();
  private final LongAdder mappedWeight = new LongAdder();
  private final LongAdder insertions = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder rejections = new LongAdder();

  /**
   * An empty tier.
   *
   * @param limitBytes of direct memory
   * @param transit ledger in which content is entered before it gets here
   * @param maintenance runs Caffeine's maintenance, one task at a time
   */
  public MemoryTier(
      ByteBufAllocator allocator, long limitBytes, MemoryLedger transit, Executor maintenance) {
    this.allocator = allocator;
    this.ledger = new MemoryLedger(limitBytes, transit.stripes());
    this.transit = transit;
    this.hot = new HotEntries(transit.stripes());
    this.cache =
        Caffeine.newBuilder()
            .executor(maintenance)
            .maximumWeight(HardLimit.weight(limitBytes, ledger))
            .weigher((Object key, Stored stored) -> weight(stored))
            .removalListener(this::removed)
            .build();
    this.limit = new HardLimit(ledger, transit, cache, this::pinnedBytes, maintenance);
  }

  private static int weight(Stored stored) {
    long bytes = 0;
    for (int i = 0; i < stored.size(); i++) {
      bytes += stored.get(i).bytes() + HEAP_BYTES + stored.get(i).chosenHeapBytes();
    }
    return (int) Math.min(Integer.MAX_VALUE, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
  }

  private void removed(Object key, Stored stored, RemovalCause cause) {
    if (cause.wasEvicted()) {
      evictions.add(stored.size());
    }
    entries.add(-stored.size());
    mappedBytes.add(-stored.totalBytes());
    mappedWeight.add(-weight(stored));
    for (int i = 0; i < stored.size(); i++) {
      hot.left(stored.get(i));
    }
    stored.releaseAll();
  }

  /** The entry that {@code request} selects under {@code key}. Returns owned, or null. */
  public Entry find(KeyProbe key, Fields request) {
    Stored stored = cache.getIfPresent(key);
    while (stored != null) {
      Entry entry = stored.select(request);
      if (entry == null || entry.tryRetain()) {
        if (entry != null && entry.isContended()) {
          hot.spread(entry, this::holds);
        }
        return entry;
      }
      // it left the map since; whoever replaced it is worth a second look
      Stored now = cache.getIfPresent(key);
      stored = now == stored ? null : now;
    }
    return null;
  }

  /** Whether anything is stored under {@code key}. */
  public boolean holds(KeyProbe key) {
    return cache.asMap().containsKey(key);
  }

  /** Whether a response of {@code bytes} could be kept at all. */
  public boolean accepts(long bytes) {
    return limit.accepts(bytes);
  }

  /**
   * Stores a response. Borrows {@code first} and {@code rest} (retains what it keeps). Returns the
   * entry owned, or null where there is no room for it or it may not be stored. An incomplete one
   * is not stored where a whole one would go for it.
   *
   * @param request what it answers, borrowed; null: not known
   * @param fieldsLength bytes of field lines at the start of {@code first}
   * @param firstLength bytes used in {@code first}
   * @param rest content behind it, {@link Entry#BLOCK_BYTES} each but the last; may be empty
   * @param lastLength bytes used in the last of {@code rest}
   * @param mayStore asked in the step in which it is stored: what {@link #remove}s after that has
   *     turned false leaves nothing of it
   */
  public Entry add(
      CacheKey key,
      StoredMeta meta,
      Fields request,
      ByteBuf first,
      int fieldsLength,
      int firstLength,
      ByteBuf[] rest,
      int lastLength,
      BooleanSupplier mayStore) {
    long bytes = SizeClass.packed(first.capacity());
    for (ByteBuf block : rest) {
      bytes += SizeClass.packed(block.capacity());
    }
    MemoryLedger owner = limit.owner(bytes);
    if (owner == null) {
      rejections.increment();
      limit.relieveIfNeeded();
      return null;
    }
    limit.relieveIfShrunk(); // before Caffeine looks at the newcomer
    for (ByteBuf block : rest) {
      block.retain().touch("SharedBlocks");
    }
    SharedBlocks blocks = rest.length == 0 ? null : new SharedBlocks(rest, lastLength, owner);
    Entry entry =
        new Entry(
            key, meta, first.retain().touch("Entry"), fieldsLength, firstLength, blocks, owner);
    if (!insert(key, entry, request, mayStore)) {
      entry.release();
      return null;
    }
    limit.waitForRoom(entry, owner);
    limit.relieveIfNeeded();
    return entry;
  }

  private boolean insert(CacheKey key, Entry entry, Fields request, BooleanSupplier mayStore) {
    boolean[] refused = new boolean[1];
    Predicate<Entry> replaced = stored -> Variants.replaces(stored, entry.meta(), request);
    cache
        .asMap()
        .compute(
            key,
            (ignored, old) -> {
              if (!mayStore.getAsBoolean()) {
                refused[0] = true;
                return old;
              }
              if (entry.meta().part() != null && displacesWhole(old, replaced)) {
                return old;
              }
              Stored now = Variants.with(old, entry, replaced);
              mapped(now);
              return now;
            });
    if (refused[0]) {
      return false;
    }
    insertions.increment();
    if (limit.isClosed()) {
      remove(key);
    }
    return true;
  }

  /**
   * Stores {@code entry}, borrowed, which was read from disk, unless a response of equal selection
   * is stored already: it may be newer. Whether it is stored.
   *
   * @param mayStore see {@link #add}
   */
  public boolean offer(Entry entry, BooleanSupplier mayStore) {
    if (!accepts(entry.bytes()) || !entry.moveTo(ledger)) {
      limit.relieveIfNeeded();
      return false;
    }
    boolean[] stored = new boolean[1];
    cache
        .asMap()
        .compute(
            entry.key(),
            (ignored, old) -> {
              if (!mayStore.getAsBoolean() || (old != null && holdsEqual(old, entry))) {
                return old;
              }
              stored[0] = true;
              Stored now = Variants.with(old, entry, other -> false);
              mapped(now);
              return now;
            });
    if (stored[0]) {
      insertions.increment();
      if (limit.isClosed()) {
        remove(entry.key());
      }
    }
    limit.relieveIfNeeded();
    return stored[0];
  }

  private static boolean holdsEqual(Stored stored, Entry entry) {
    for (int i = 0; i < stored.size(); i++) {
      if (Objects.equals(stored.get(i).meta().vary(), entry.meta().vary())) {
        return true;
      }
    }
    return entry.meta().vary() == null;
  }

  /** Whether a whole response is among those that are {@code replaced}. */
  private static boolean displacesWhole(Stored stored, Predicate<Entry> replaced) {
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (stored.get(i).meta().part() == null && replaced.test(stored.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether something is stored under {@code key} and was served. */
  public boolean serves(CacheKey key) {
    Stored stored = cache.policy().getIfPresentQuietly(key);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (stored.get(i).hits() > 0) {
        return true;
      }
    }
    return false;
  }

  /** What is stored under {@code key}, the most recent first; nobody is said to have asked. */
  public List<Glimpse> peek(CacheKey key) {
    Stored stored = cache.policy().getIfPresentQuietly(key);
    List<Glimpse> seen = new ArrayList<>();
    for (int i = 0; stored != null && i < stored.size(); i++) {
      Entry entry = stored.get(i);
      if (entry.tryRetain()) {
        byte[] fields = new byte[entry.fieldsLength()];
        entry.firstBlock().getBytes(0, fields);
        seen.add(new Glimpse(entry.meta(), fields, false, entry.bytes(), entry.hits()));
        entry.release();
      }
    }
    return seen;
  }

  /** Keys of what is stored; of what comes and goes meanwhile perhaps. */
  public Iterator<Object> keys() {
    return cache.asMap().keySet().iterator();
  }

  /**
   * What is stored under {@code key}, a reference to each owned by the caller; nobody is said to
   * have asked.
   */
  public List<Entry> retainAll(Object key) {
    Stored stored = cache.policy().getIfPresentQuietly(key);
    List<Entry> entries = new ArrayList<>(1);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (stored.get(i).tryRetain()) {
        entries.add(stored.get(i));
      }
    }
    return entries;
  }

  /** Whether {@code entry} is stored now. */
  public boolean holds(Entry entry) {
    Stored stored = cache.policy().getIfPresentQuietly(entry.key());
    return stored != null && contains(stored, entry);
  }

  /** Whether something is stored under {@code key} with the selection {@code vary}. */
  public boolean holds(CacheKey key, VarySelection vary) {
    Stored stored = cache.policy().getIfPresentQuietly(key);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (Objects.equals(stored.get(i).meta().vary(), vary)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Drops what is stored under {@code key} with the selection {@code vary}; all where that is null.
   */
  public void removeVariant(CacheKey key, VarySelection vary) {
    removeIf(key, other -> vary == null || vary.equals(other));
  }

  /**
   * Drops what would be found in the place of what only a disk has under {@code key} with the
   * selection {@code vary}: what has the same and what does not vary; all where that is null.
   */
  public void uncover(CacheKey key, VarySelection vary) {
    removeIf(key, other -> vary == null || other == null || vary.equals(other));
  }

  /** Drops incomplete responses under {@code key}: a disk has parts, and memory would hide them. */
  public void removeParts(CacheKey key) {
    for (Entry entry : retainAll(key)) {
      if (entry.meta().part() != null) {
        removeVariant(entry);
      }
      entry.release();
    }
  }

  private void removeVariant(Entry gone) {
    cache
        .asMap()
        .computeIfPresent(
            gone.key(),
            (ignored, stored) -> {
              Stored now = Variants.without(stored, gone);
              if (now != null && now != stored) {
                mapped(now);
              }
              return now;
            });
  }

  private void removeIf(CacheKey key, Predicate<VarySelection> gone) {
    cache
        .asMap()
        .computeIfPresent(
            key,
            (ignored, stored) -> {
              Stored now = Variants.without(stored, gone);
              if (now != null && now != stored) {
                mapped(now);
              }
              return now;
            });
  }

  /** Drops {@code entry}, borrowed, if it is all that is stored under its key. */
  public void drop(Entry entry) {
    cache
        .asMap()
        .computeIfPresent(entry.key(), (ignored, stored) -> stored == entry ? null : stored);
  }

  private void mapped(Stored stored) {
    entries.add(stored.size());
    mappedBytes.add(stored.totalBytes());
    mappedWeight.add(weight(stored));
  }

  /**
   * Replaces {@code old}, borrowed, by the same content under new fields, unless it is no longer
   * stored. Takes {@code fields}. Returns the new entry owned: not stored where the cache has no
   * room for a second one, for its reader is to have the new fields nevertheless; {@code old} with
   * one more reference where nothing has.
   */
  public Entry freshen(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    return again(key, old, meta, fields, old);
  }

  /**
   * Adds the content of {@code like}, borrowed, under new fields for another selection, unless it
   * is no longer stored. Takes {@code fields}. Returns as {@link #freshen}.
   */
  public Entry addVariant(CacheKey key, Entry like, StoredMeta meta, ByteBuf fields) {
    return again(key, like, meta, fields, null);
  }

  private Entry again(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields, Entry replaced) {
    int length = fields.readableBytes() + old.firstBlockLength() - old.fieldsLength();
    MemoryLedger owner = limit.owner(SizeClass.packed(length));
    boolean stores = owner != null;
    if (!stores) {
      rejections.increment();
      limit.relieveIfNeeded();
      return copy(old, meta, fields);
    }
    Entry fresh = freshened(key, old, meta, fields, length, owner);
    cache
        .asMap()
        .computeIfPresent(
            key,
            (ignored, stored) -> {
              if (!contains(stored, old)) {
                return stored;
              }
              Stored now =
                  Variants.with(
                      stored,
                      fresh,
                      one -> one == replaced || Objects.equals(one.meta().vary(), meta.vary()));
              mapped(now);
              return now;
            });
    limit.waitForRoom(fresh, owner);
    limit.relieveIfNeeded();
    return fresh;
  }

  /**
   * The content of {@code old}, borrowed, under other fields, for one reader: not stored. Takes
   * {@code fields}. Returns as {@link #freshen}.
   */
  public Entry copy(Entry old, StoredMeta meta, ByteBuf fields) {
    int length = fields.readableBytes() + old.firstBlockLength() - old.fieldsLength();
    if (!transit.tryReserve(SizeClass.packed(length))) {
      fields.release();
      boolean alive = old.tryRetain();
      assert alive : "borrowed without reference";
      return old;
    }
    return freshened(old.key(), old, meta, fields, length, transit);
  }

  /** {@code owner} has room for {@code length} bytes already. Takes {@code fields}. */
  private Entry freshened(
      CacheKey key, Entry old, StoredMeta meta, ByteBuf fields, int length, MemoryLedger owner) {
    try {
      int fieldsLength = fields.readableBytes();
      int content = length - fieldsLength;
      ByteBuf first;
      try {
        first = allocator.directBuffer(length, length);
      } catch (OutOfMemoryError e) {
        owner.release(SizeClass.packed(length));
        throw e;
      }
      first.writeBytes(fields);
      first.writeBytes(old.firstBlock(), old.fieldsLength(), content);
      FurtherContent rest = old.rest() == null ? null : old.rest().retain();
      return new Entry(
          key,
          meta.withContentLength(old.contentLength()),
          first,
          fieldsLength,
          length,
          rest,
          owner);
    } finally {
      fields.release();
    }
  }

  private static boolean contains(Stored stored, Entry entry) {
    for (int i = 0; i < stored.size(); i++) {
      if (stored.get(i) == entry) {
        return true;
      }
    }
    return false;
  }

  /** Drops what is stored under {@code key}. How many entries. */
  public int remove(CacheKey key) {
    Stored stored = cache.asMap().remove(key);
    return stored == null ? 0 : stored.size();
  }

  /**
   * Drops every entry that {@code gone} says so of; it borrows them. Walks all of them: not on an
   * event loop.
   */
  public void removeIf(Predicate<Entry> gone) {
    for (Stored stored : cache.asMap().values()) {
      for (int i = 0; i < stored.size(); i++) {
        Entry entry = stored.get(i);
        if (entry.tryRetain()) {
          if (gone.test(entry)) {
            removeVariant(entry.key(), entry.meta().vary());
          }
          entry.release();
        }
      }
    }
  }

  /** Drops everything. How many entries. */
  public int clear() {
    int count = 0;
    for (Object key : cache.asMap().keySet()) {
      Stored stored = cache.asMap().remove(key);
      count += stored == null ? 0 : stored.size();
    }
    return count;
  }

  /** Changes the limit; what is too much goes at the next maintenance, which is asked for. */
  public void resize(long limitBytes) {
    limit.change(limitBytes);
  }

  /**
   * Gathers entries that are not hot any more. Asks for maintenance where something still waits for
   * room, or readers took some that they may have given back: nobody else does while nothing is
   * stored. Every second.
   */
  public void tick() {
    hot.tick();
    limit.tick();
  }

  /** Drops everything; nothing is stored any more. */
  public void close() {
    limit.close();
    clear();
    cache.cleanUp();
    limit.releaseOverdrawn();
  }

  /** Direct memory of entries that left the map while somebody still reads them. */
  public long pinnedBytes() {
    return Math.max(0, ledger.used() - mappedBytes.sum());
  }

  /** Entries whose references are spread. */
  int spreadEntries() {
    return hot.size();
  }

  /** Stored entries. */
  public long entries() {
    return Math.max(0, entries.sum());
  }

  /** Direct memory that entries keep, readers' hold on dropped ones included. */
  public long usedBytes() {
    return ledger.used();
  }

  public long limitBytes() {
    return ledger.limit();
  }

  /** What entries weigh, their heap included, and what readers hold beside them; bytes. */
  public long weighedBytes() {
    return mappedWeight.sum() * UNIT_BYTES + pinnedBytes();
  }

  /** At how many {@link #weighedBytes} one goes for another. */
  public long weighableBytes() {
    return limit.weight() * UNIT_BYTES;
  }

  public long insertions() {
    return insertions.sum();
  }

  public long evictions() {
    return evictions.sum();
  }

  public long rejections() {
    return rejections.sum();
  }

  /** Counts a response that was not stored for lack of room on its way here. */
  public void rejected() {
    rejections.increment();
  }
}

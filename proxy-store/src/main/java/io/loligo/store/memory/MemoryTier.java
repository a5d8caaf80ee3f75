package io.loligo.store.memory;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.HashedKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.map.WeighedMap;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stored responses in pooled direct memory, chosen by W-TinyLFU. Thread-safe: any thread; its
 * maintenance runs on the given executor.
 *
 * <p>The limit is hard: see {@link HardLimit}.
 */
public final class MemoryTier {
  /**
   * Heap of an entry that is not packed, except for the part that clients determine; a test
   * measures it.
   */
  public static final int HEAP_BYTES = 512;

  /** Bytes of a key and an entity tag together. */
  private static final int USUAL_KEY = 80;

  /** Weights are {@code int}: in units of this many bytes. */
  static final int UNIT_BYTES = 64;

  /** More bytes of blocks than that are not released on an event loop. */
  private static final int RELEASED_AT_ONCE = 1 << 20;

  private final ByteBufAllocator allocator;
  private final @Nullable PackedAllocator packing;
  private final MemoryLedger ledger;
  private final MemoryLedger transit;
  private final WeighedMap<Stored> map;
  private final Executor maintenance;
  private final HardLimit limit;
  private final HotEntries hot;
  private final Copies copies;
  private final LongAdder entries = new LongAdder();
  private final LongAdder mappedBytes = new LongAdder();
  private final LongAdder mappedWeight = new LongAdder();
  private final LongAdder insertions = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder evictedBytes = new LongAdder();
  private final LongAdder rejections = new LongAdder();

  /**
   * An empty tier.
   *
   * @param allocator small responses are packed if it is a {@link PackedAllocator}
   * @param limitBytes of direct memory
   * @param transit ledger of content before it gets here
   * @param maintenance runs what event loops have no time for, one task at a time
   */
  public MemoryTier(
      ByteBufAllocator allocator, long limitBytes, MemoryLedger transit, Executor maintenance) {
    this.allocator = allocator;
    this.packing = allocator instanceof PackedAllocator packed ? packed : null;
    this.ledger = new MemoryLedger(limitBytes, transit.stripes(), transit.shortage());
    this.transit = transit;
    this.hot = new HotEntries(transit.stripes());
    this.maintenance = maintenance;
    this.map =
        new WeighedMap<>(
            transit.stripes(),
            HardLimit.weight(limitBytes, ledger),
            MemoryTier::weight,
            this::left,
            maintenance);
    this.limit = new HardLimit(ledger, transit, map, this::pinnedBytes, maintenance);
    this.copies = new Copies(limit::target, this::holds, this::removeVariant, maintenance);
  }

  /**
   * Bytes that a response will weigh, which has a key of usual length and neither parts nor
   * variants.
   *
   * @param messageBytes of the response, field lines included, from 0 to 1 GB
   */
  public static int weightBytes(int messageBytes) {
    return PackedHead.fits(messageBytes)
        ? Entry.PACKED_HEAP_BYTES + SizeClass.packed(PackedHead.bytes(USUAL_KEY) + messageBytes)
        : HEAP_BYTES + USUAL_KEY + messageBytes;
  }

  private static int weight(Stored stored) {
    long bytes = 0;
    for (int i = 0; i < stored.size(); i++) {
      bytes += stored.get(i).bytes() + stored.get(i).heapBytes();
    }
    return (int) Math.min(Integer.MAX_VALUE, (bytes + UNIT_BYTES - 1) / UNIT_BYTES);
  }

  private void left(Stored stored, boolean evicted) {
    if (evicted) {
      evictions.add(stored.size());
      evictedBytes.add(stored.totalBytes());
    }
    entries.add(-stored.size());
    mappedBytes.add(-stored.totalBytes());
    mappedWeight.add(-weight(stored));
    for (int i = 0; i < stored.size(); i++) {
      hot.left(stored.get(i));
      if (isCopy(stored.get(i))) {
        copies.unmapped(stored.get(i));
      }
    }
    release(stored);
  }

  /** The references of the map. Many blocks are left to maintenance. */
  private void release(Stored stored) {
    if (stored.totalBytes() > RELEASED_AT_ONCE) {
      try {
        maintenance.execute(stored::releaseAll);
        return;
      } catch (RejectedExecutionException closing) {
        // there is no later
      }
    }
    stored.releaseAll();
  }

  /** The entry that {@code request} selects under {@code key}. Returns owned, or null. */
  public @Nullable Entry find(KeyProbe key, Fields request) {
    Stored stored = map.get(key);
    while (stored != null) {
      Entry entry = stored.select(request);
      if (entry == null || entry.tryRetain()) {
        return entry == null ? null : found(key, entry);
      }
      // it has left the map since; its successor is worth a second look
      Stored now = map.get(key);
      stored = now == stored ? null : now;
    }
    return null;
  }

  /** {@code entry}, owned, unless only its hash is that of {@code key}. */
  private @Nullable Entry found(KeyProbe key, Entry entry) {
    if (!entry.isUnder(key)) {
      entry.release();
      return null;
    }
    if (entry.isContended()) {
      hot.spread(entry, this::holds);
    }
    return entry;
  }

  /** Whether anything is stored under {@code key}. */
  public boolean holds(KeyProbe key) {
    return map.peek(key) != null;
  }

  /** Whether a response of {@code bytes} could be kept at all. */
  public boolean accepts(long bytes) {
    return limit.accepts(bytes);
  }

  /**
   * Stores a response. Borrows {@code first} and {@code rest} (retains what it keeps, which is
   * nothing if the entry {@linkplain Entry#isPacked is packed}). Returns the entry owned, or null
   * if there is no room for it or it may not be stored. An incomplete response is not stored if it
   * would replace a whole one. For {@linkplain StoredMeta#COPY copies} there is less room.
   *
   * @param request the answered request, borrowed; null: unknown
   * @param fieldsLength bytes of field lines at the start of {@code first}
   * @param firstLength bytes used in {@code first}
   * @param rest further content, {@link Entry#BLOCK_BYTES} each but the last; may be empty
   * @param lastLength bytes used in the last of {@code rest}
   * @param mayStore called in the step in which it is stored: a {@link #remove} after it has become
   *     false leaves nothing of it
   */
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
    boolean packs = rest.length == 0 && packs(key, meta, fieldsLength, firstLength);
    long bytes =
        packs ? Entry.packedBytes(key, meta, firstLength) : SizeClass.packed(first.capacity());
    for (ByteBuf block : rest) {
      bytes += SizeClass.packed(block.capacity());
    }
    MemoryLedger owner = limit.owner(bytes);
    if (owner == null) {
      rejections.increment();
      limit.relieveIfNeeded();
      return null;
    }
    limit.relieveIfShrunk(); // before the newcomer competes
    Entry entry;
    if (packs) {
      entry = packed(key, meta, first, fieldsLength, first, fieldsLength, owner);
    } else {
      for (ByteBuf block : rest) {
        block.retain().touch("SharedBlocks");
      }
      SharedBlocks blocks = rest.length == 0 ? null : new SharedBlocks(rest, lastLength, owner);
      entry =
          new Entry(
              key, meta, first.retain().touch("Entry"), fieldsLength, firstLength, blocks, owner);
    }
    if (entry == null) {
      rejections.increment();
      return null;
    }
    boolean stored =
        isCopy(entry)
            ? insertCopy(key, entry, request, mayStore)
            : insert(key, entry, request, mayStore);
    if (!stored) {
      entry.release();
      return null;
    }
    limit.waitForRoom(entry, owner);
    limit.relieveIfNeeded();
    return entry;
  }

  private boolean packs(CacheKey key, StoredMeta meta, int fieldsLength, int length) {
    return packing != null && Entry.isPackable(key, meta, fieldsLength, length);
  }

  /**
   * See {@link Entry#packed}; null if there is no memory, even if {@code owner} has room.
   *
   * @param owner where its bytes are entered already
   */
  private @Nullable Entry packed(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      int fieldsLength,
      ByteBuf content,
      int contentStart,
      MemoryLedger owner) {
    assert packing != null : "nothing is packed";
    try {
      return Entry.packed(packing, key, meta, fields, fieldsLength, content, contentStart, owner);
    } catch (OutOfMemoryError e) {
      owner.release(Entry.packedBytes(key, meta, fieldsLength + (int) meta.contentLength()));
      transit.shortage().met(e, "a copy of a response");
      return null;
    }
  }

  private boolean insertCopy(
      CacheKey key, Entry copy, @Nullable Fields request, BooleanSupplier mayStore) {
    long bytes = copy.bytes();
    if (!copies.reserve(bytes)) {
      rejections.increment();
      return false;
    }
    try {
      boolean stored = insert(key, copy, request, mayStore);
      if (stored) {
        copies.arrived(copy);
      }
      return stored;
    } finally {
      copies.settled(bytes);
    }
  }

  private boolean insert(
      CacheKey key, Entry entry, @Nullable Fields request, BooleanSupplier mayStore) {
    boolean[] refused = new boolean[1];
    Predicate<Entry> replaced = stored -> Variants.replaces(stored, entry.meta(), request);
    map.compute(
        entry,
        old -> {
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
   * is stored already: that may be newer. Returns whether it is stored.
   *
   * @param mayStore see {@link #add}
   */
  public boolean offer(Entry entry, BooleanSupplier mayStore) {
    if (!accepts(entry.bytes()) || !entry.moveTo(ledger)) {
      limit.relieveIfNeeded();
      return false;
    }
    boolean[] stored = new boolean[1];
    map.compute(
        entry,
        old -> {
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
      if (Objects.equals(stored.get(i).vary(), entry.vary())) {
        return true;
      }
    }
    return entry.vary() == null;
  }

  /** Whether a whole response is among the {@code replaced} ones. */
  private static boolean displacesWhole(Stored stored, Predicate<Entry> replaced) {
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (stored.get(i).meta().part() == null && replaced.test(stored.get(i))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a response is stored under {@code key} and was served. */
  public boolean serves(CacheKey key) {
    Stored stored = map.peek(key);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (stored.get(i).hits() > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * The responses stored under {@code key}, the most recent first; the one that {@code request}
   * selects is marked. Does not count as a request.
   */
  public List<Glimpse> peek(CacheKey key, Fields request) {
    Stored stored = map.peek(key);
    Entry selected = stored == null ? null : stored.select(request);
    List<Glimpse> seen = new ArrayList<>();
    for (int i = 0; stored != null && i < stored.size(); i++) {
      Entry entry = stored.get(i);
      if (entry.tryRetain()) {
        Glimpse one =
            new Glimpse(
                entry.meta().kept(), entry.storedLines(), false, entry.bytes(), entry.hits());
        seen.add(one.selected(entry == selected));
        entry.release();
      }
    }
    return seen;
  }

  /** Whether {@link #removeVariant} with the same arguments would leave anything. */
  public boolean holdsBesides(CacheKey key, @Nullable VarySelection vary) {
    Stored stored = map.peek(key);
    Predicate<VarySelection> gone = selection(vary);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (!gone.test(stored.get(i).vary())) {
        return true;
      }
    }
    return false;
  }

  /** Keys of stored responses; keys that come or go meanwhile may be missing. */
  public Iterator<? extends HashedKey> keys() {
    return map.iterator();
  }

  /**
   * The responses stored under {@code key}, a reference to each owned by the caller; does not count
   * as a request.
   */
  public List<Entry> retainAll(HashedKey key) {
    Stored stored = map.peek(key);
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
    Stored stored = map.peek(entry);
    return stored != null && contains(stored, entry);
  }

  /** Whether a response is stored under {@code key} with the selection {@code vary}. */
  public boolean holds(CacheKey key, @Nullable VarySelection vary) {
    Stored stored = map.peek(key);
    for (int i = 0; stored != null && i < stored.size(); i++) {
      if (Objects.equals(stored.get(i).vary(), vary)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Drops the response stored under {@code key} with the selection {@code vary}; all if that is
   * null.
   */
  public void removeVariant(CacheKey key, @Nullable VarySelection vary) {
    removeIf(key, selection(vary));
  }

  private static Predicate<VarySelection> selection(@Nullable VarySelection vary) {
    return other -> vary == null || vary.equals(other);
  }

  /**
   * Drops the responses that would hide the one that only a disk has under {@code key} with the
   * selection {@code vary}: the one with the same selection and the one that does not vary; all if
   * {@code vary} is null.
   */
  public void uncover(CacheKey key, @Nullable VarySelection vary) {
    removeIf(key, other -> vary == null || other == null || vary.equals(other));
  }

  /** Drops incomplete responses under {@code key}: a disk has parts, which memory would hide. */
  public void removeParts(CacheKey key) {
    for (Entry entry : retainAll(key)) {
      if (entry.meta().part() != null) {
        removeVariant(entry);
      }
      entry.release();
    }
  }

  private void removeVariant(Entry gone) {
    map.computeIfPresent(
        gone,
        stored -> {
          Stored now = Variants.without(stored, gone);
          if (now != null && now != stored) {
            mapped(now);
          }
          return now;
        });
  }

  private void removeIf(CacheKey key, Predicate<VarySelection> gone) {
    map.computeIfPresent(
        key,
        stored -> {
          Stored now = Variants.without(stored, gone);
          if (now != null && now != stored) {
            mapped(now);
          }
          return now;
        });
  }

  /** Drops {@code entry}, borrowed, if it is the only response stored under its key. */
  public void drop(Entry entry) {
    map.computeIfPresent(entry, stored -> stored == entry ? null : stored);
  }

  private void mapped(Stored stored) {
    entries.add(stored.size());
    mappedBytes.add(stored.totalBytes());
    mappedWeight.add(weight(stored));
    for (int i = 0; i < stored.size(); i++) {
      if (isCopy(stored.get(i))) {
        copies.mapped(stored.get(i));
      }
    }
  }

  private static boolean isCopy(Entry entry) {
    return entry.meta().has(StoredMeta.COPY);
  }

  /**
   * Replaces {@code old}, borrowed, by the same content under new fields, unless it is no longer
   * stored. Takes {@code fields}. Returns the new entry owned; if the cache has no room for a
   * second one, it is not stored, but its reader still gets the new fields; if no memory has room,
   * returns {@code old} with one more reference.
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

  private Entry again(
      CacheKey key, Entry old, StoredMeta meta, ByteBuf fields, @Nullable Entry replaced) {
    StoredMeta own = meta.withContentLength(old.contentLength());
    MemoryLedger owner = limit.owner(freshBytes(key, old, own, fields));
    if (owner == null) {
      rejections.increment();
      limit.relieveIfNeeded();
      return copy(old, meta, fields);
    }
    Entry fresh = freshened(key, old, own, fields, owner);
    if (fresh == old) {
      return old;
    }
    map.computeIfPresent(
        key,
        stored -> {
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
   * Returns an entry for one reader: the content of {@code old}, borrowed, under other fields. It
   * is not stored. Takes {@code fields}. If no memory has room, returns {@code old} with one more
   * reference.
   */
  public Entry copy(Entry old, StoredMeta meta, ByteBuf fields) {
    StoredMeta own = meta.withContentLength(old.contentLength());
    if (!transit.tryReserve(freshBytes(old.key(), old, own, fields))) {
      fields.release();
      return retained(old);
    }
    return freshened(old.key(), old, own, fields, transit);
  }

  private static Entry retained(Entry old) {
    boolean alive = old.tryRetain();
    assert alive : "borrowed without reference";
    return old;
  }

  private static int freshLength(Entry old, ByteBuf fields) {
    return fields.readableBytes() + old.firstBlockLength() - old.fieldsLength();
  }

  private boolean packsFresh(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    return old.rest() == null && packs(key, meta, fields.readableBytes(), freshLength(old, fields));
  }

  /** Bytes of memory that {@link #freshened} takes. */
  private int freshBytes(CacheKey key, Entry old, StoredMeta meta, ByteBuf fields) {
    int length = freshLength(old, fields);
    return packsFresh(key, old, meta, fields)
        ? Entry.packedBytes(key, meta, length)
        : SizeClass.packed(length);
  }

  /**
   * Returns a new entry with the content of {@code old} under other fields; {@code old} with one
   * more reference if there is no memory. Takes {@code fields}.
   *
   * @param owner has {@link #freshBytes} reserved already
   */
  private Entry freshened(
      CacheKey key, Entry old, StoredMeta meta, ByteBuf fields, MemoryLedger owner) {
    try {
      int fieldsLength = fields.readableBytes();
      ByteBuf block = old.firstBlock();
      int contentStart = old.firstIndex(block) + old.fieldsLength();
      if (packsFresh(key, old, meta, fields)) {
        ByteBuf lines = fields.slice();
        Entry fresh = packed(key, meta, lines, fieldsLength, block, contentStart, owner);
        return fresh == null ? retained(old) : fresh;
      }
      int length = freshLength(old, fields);
      ByteBuf first;
      try {
        first = allocator.directBuffer(length, length);
      } catch (OutOfMemoryError e) {
        owner.release(SizeClass.packed(length));
        throw e;
      }
      first.writeBytes(fields);
      first.writeBytes(block, contentStart, length - fieldsLength);
      FurtherContent rest = old.rest() == null ? null : old.rest().retain();
      return new Entry(key, meta, first, fieldsLength, length, rest, owner);
    } finally {
      fields.release();
    }
  }

  private static boolean contains(Stored stored, Entry entry) {
    for (int i = 0; i < stored.size(); i++) {
      if (entry == stored.get(i)) {
        return true;
      }
    }
    return false;
  }

  /** Drops the responses stored under {@code key}. Returns the number of entries. */
  public int remove(CacheKey key) {
    Stored stored = map.remove(key);
    return stored == null ? 0 : stored.size();
  }

  /**
   * Drops every entry that {@code gone} accepts; it borrows them. Walks all of them: not on an
   * event loop.
   */
  public void removeIf(Predicate<Entry> gone) {
    for (Stored stored : map) {
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

  /** Drops everything. Returns the number of entries. */
  public int clear() {
    int count = 0;
    for (HashedKey key : map) {
      Stored stored = map.remove(key);
      count += stored == null ? 0 : stored.size();
    }
    return count;
  }

  /**
   * Changes the limit: maintenance, which is requested, evicts the excess in steps of {@value
   * HardLimit#STEP_BYTES} bytes.
   */
  public void resize(long limitBytes) {
    limit.change(limitBytes);
  }

  /**
   * Gathers entries that are no longer hot. Requests maintenance if entries still wait for room, or
   * readers took some memory that they may have given back: no other call does while nothing is
   * stored. Call every second.
   */
  public void tick() {
    hot.tick();
    limit.tick();
    copies.tick();
  }

  /** Drops everything; nothing is stored any more. */
  public void close() {
    limit.close();
    clear();
    map.evictAll();
    limit.releaseOverdrawn();
  }

  /** Direct memory of entries that left the map while somebody still reads them. */
  public long pinnedBytes() {
    return Math.max(0, ledger.used() - mappedBytes.sum());
  }

  /** Stored entries. */
  public long entries() {
    return Math.max(0, entries.sum());
  }

  /** Direct memory of entries, including dropped ones that are still being read. */
  public long usedBytes() {
    return ledger.used();
  }

  /** The limit as set; it may be above that until maintenance has evicted the excess. */
  public long limitBytes() {
    return limit.target();
  }

  /**
   * The weight of entries, their heap included, and the memory that readers hold in addition;
   * bytes.
   */
  public long weighedBytes() {
    return mappedWeight.sum() * UNIT_BYTES + pinnedBytes();
  }

  /** The number of {@link #weighedBytes} from which an entry is evicted for a new one. */
  public long weighableBytes() {
    return limit.weight() * UNIT_BYTES;
  }

  /** What {@link #weighableBytes} would be with a limit of {@code limitBytes}. */
  public long weighableBytes(long limitBytes) {
    return HardLimit.weight(limitBytes, ledger) * UNIT_BYTES;
  }

  public long insertions() {
    return insertions.sum();
  }

  public long evictions() {
    return evictions.sum();
  }

  /** Direct memory of the entries that were evicted. */
  public long evictedBytes() {
    return evictedBytes.sum();
  }

  public long rejections() {
    return rejections.sum();
  }

  /** Whether there is room for a copy of {@code bytes}, as things are now. */
  public boolean hasRoomForCopy(long bytes) {
    return copies.hasRoom(bytes);
  }

  /** Stored entries that are copies. */
  public long copies() {
    return copies.count();
  }

  /** Direct memory of copies. */
  public long copyBytes() {
    return copies.bytes();
  }

  /** Counts a response that was not stored for lack of room on its way here. */
  public void rejected() {
    rejections.increment();
  }
}

package io.loligo.store.memory;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.HashedKey;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.store.packing.Chunk;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.packing.PackedBuf;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A stored response: meta, field lines and content, shared by reference. Never recycled: its count
 * is incremented only if not zero, so a stale reference from the map fails cleanly instead of
 * retaining another response's buffer. Thread-safe: any thread.
 *
 * <p>A small response in the memory tier is <em>packed</em>: everything is in one block, behind a
 * {@link PackedHead}, and this object is all that the heap has of it, key and meta included. So it
 * is small, and neither a collector nor a limit of the heap bounds the number of responses. {@link
 * #meta} is then this object itself, which reads the block: valid while the caller holds a
 * reference. Without a reference, only {@link #select}, {@link #vary}, {@link #hits}, {@link
 * #tryRetain} and the hash may be called, since the block may belong to another response already.
 * All other entries have {@link EntryDetails}.
 *
 * <p>If event loops contend for the count of a stored entry, it is {@linkplain #spread spread}:
 * each loop counts its own references until they are {@linkplain #gather gathered} again. The entry
 * is alive while they are spread.
 *
 * <p>The first block holds the field lines, the empty line, and the first bytes of content (all of
 * it for a small response), so that a small hit is one copy or one slice. Further content is in
 * blocks of {@value #BLOCK_BYTES} bytes, the last of them sized to fit.
 *
 * <p>The hash of its key is on the heap, because the map of the memory tier reads it without a
 * reference.
 */
public final class Entry extends StoredMeta implements Stored, StoredResponse {
  /** Content in each block but the first and the last; also the size a first block grows to. */
  public static final int BLOCK_BYTES = 64 << 10;

  /**
   * Heap of a packed entry and its place in the map, without details; HeapPerObject measures it.
   */
  static final int PACKED_HEAP_BYTES = 124;

  /** Content up to this size is copied to clients in any case: its block needs no references. */
  private static final int COPIED_BYTES = 4 << 10;

  private static final AtomicIntegerFieldUpdater<Entry> COUNT =
      AtomicIntegerFieldUpdater.newUpdater(Entry.class, "count");
  private static final AtomicReferenceFieldUpdater<Entry, MemoryLedger> LEDGER =
      AtomicReferenceFieldUpdater.newUpdater(Entry.class, MemoryLedger.class, "ledger");
  private static final AtomicReferenceFieldUpdater<Entry, EntryDetails> DETAILS =
      AtomicReferenceFieldUpdater.newUpdater(Entry.class, EntryDetails.class, "details");
  private static final ResourceLeakDetector<Entry> LEAKS =
      ResourceLeakDetectorFactory.instance().newResourceLeakDetector(Entry.class);

  private static final int GRANULE_BYTES = PackedAllocator.GRANULE_BYTES;

  /** After this many collisions, loops contend for the count. */
  private static final byte CONTENDED = 16;

  private final long high;
  private final long low;

  /** Of a packed entry, whose block begins {@link #at} there. */
  private final @Nullable Chunk chunk;

  private final int at;
  private volatile int count = 1;
  private int hits;
  private volatile MemoryLedger ledger;
  private volatile @Nullable EntryDetails details;
  private final short granules;
  private byte collisions;
  private volatile boolean offeredToDisk;

  /**
   * One reference, owned by the caller. Takes {@code first} and {@code rest}; the first block is
   * entered in {@code ledger} already.
   */
  Entry(
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int fieldsLength,
      int firstLength,
      @Nullable FurtherContent rest,
      MemoryLedger ledger) {
    this(
        key,
        meta,
        first,
        SizeClass.packed(first.capacity()),
        fieldsLength,
        firstLength,
        rest,
        ledger);
  }

  private Entry(
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int charge,
      int fieldsLength,
      int firstLength,
      @Nullable FurtherContent rest,
      MemoryLedger ledger) {
    this.high = key.high();
    this.low = key.low();
    this.chunk = null;
    this.at = 0;
    this.granules = 0;
    this.ledger = ledger;
    this.details =
        new EntryDetails(key, meta.kept(), first, charge, fieldsLength, firstLength, rest);
  }

  /** A packed one; {@code block}, taken, has its head. */
  private Entry(HashedKey key, @Nullable VarySelection vary, PackedBuf block, MemoryLedger ledger) {
    this.high = key.high();
    this.low = key.low();
    this.chunk = block.chunk();
    this.at = block.offset();
    this.granules = (short) (PackedAllocator.roundUp(block.capacity()) / GRANULE_BYTES);
    this.ledger = ledger;
    this.details = vary == null ? null : new EntryDetails(vary);
    ResourceLeakTracker<Entry> leak = LEAKS.track(this);
    if (leak != null) {
      details().leak = leak;
    }
  }

  /** Whether a response can be packed, see {@link #packed}. */
  static boolean isPackable(CacheKey key, StoredMeta meta, int fieldsLength, int length) {
    return PackedHead.fits(key, meta, fieldsLength, length);
  }

  /**
   * Bytes of memory that a packed response takes.
   *
   * @param length of field lines and content
   */
  static int packedBytes(CacheKey key, StoredMeta meta, int length) {
    return PackedAllocator.roundUp(PackedHead.bytes(key, meta) + length);
  }

  /**
   * A packed copy of a response. One reference, owned by the caller.
   *
   * @param allocator source of its block
   * @param fields borrowed; it begins with {@code fieldsLength} bytes of field lines
   * @param content borrowed; it has the content at {@code contentStart}
   * @param ledger where {@link #packedBytes} are entered already
   */
  static Entry packed(
      PackedAllocator allocator,
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      int fieldsLength,
      ByteBuf content,
      int contentStart,
      MemoryLedger ledger) {
    int contentLength = (int) meta.contentLength();
    int headBytes = PackedHead.bytes(key, meta);
    PackedBuf block = allocator.cut(headBytes + fieldsLength + contentLength);
    PackedHead.write(block, 0, key, meta, fields, fieldsLength);
    block.setBytes(headBytes, fields, 0, fieldsLength);
    block.setBytes(headBytes + fieldsLength, content, contentStart, contentLength);
    return new Entry(key, meta.vary(), block, ledger);
  }

  /**
   * A response read from disk, not in the memory tier yet. One reference, owned by the caller.
   * Takes {@code first} and {@code rest}.
   *
   * @param first may be a slice of a larger buffer, which is released with it
   * @param charge bytes of memory that {@code first} keeps, entered in {@code ledger} already
   * @param rest content after the first block, or null
   */
  public static Entry loaded(
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int charge,
      int fieldsLength,
      int firstLength,
      @Nullable FurtherContent rest,
      MemoryLedger ledger) {
    Entry entry = new Entry(key, meta, first, charge, fieldsLength, firstLength, rest, ledger);
    entry.hits = -1; // the request for which it is loaded is not a hit in memory
    return entry;
  }

  /**
   * The same with all further content in memory.
   *
   * @param rest taken; {@link #BLOCK_BYTES} each but the last, entered in {@code ledger} already
   * @param lastLength bytes used in the last of them
   */
  public static Entry loaded(
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int charge,
      int fieldsLength,
      int firstLength,
      ByteBuf[] rest,
      int lastLength,
      MemoryLedger ledger) {
    FurtherContent blocks = new SharedBlocks(rest, lastLength, ledger);
    return loaded(key, meta, first, charge, fieldsLength, firstLength, blocks, ledger);
  }

  /**
   * The head of a response on disk, without its content: {@link #isHeadOnly}. One reference, owned
   * by the caller. Takes {@code fields}, lines and empty line.
   *
   * @param charge bytes of memory that {@code fields} keeps, entered in {@code ledger} already
   */
  public static Entry loadedHead(
      CacheKey key, StoredMeta meta, ByteBuf fields, int charge, MemoryLedger ledger) {
    int length = fields.readableBytes();
    return loaded(key, meta, fields, charge, length, length, LeftOnDisk.ALL, ledger);
  }

  /**
   * Several parts of one response, read as one. One reference, owned by the caller.
   *
   * @param meta of all of them together; see {@link io.loligo.core.range.JoinedParts}
   * @param parts taken; in ascending order of their first bytes
   * @param newest the one of {@code parts} whose fields count
   */
  public static Entry joined(
      StoredMeta meta, List<Entry> parts, Entry newest, MemoryLedger ledger) {
    int length = newest.fieldsLength();
    ByteBuf fields = newest.retainedFirst(0, length).touch("Entry, joined");
    FurtherContent rest = new JoinedContent(parts, meta.contentStart());
    return loaded(newest.key(), meta, fields, 0, length, length, rest, ledger);
  }

  // ---- the two forms

  /** Whether all of it but this object is in one block. */
  public boolean isPacked() {
    return chunk != null;
  }

  /** The bytes of the chunk; legal if it is packed and a reference is held. */
  private ByteBuf block() {
    assert chunk != null : "not packed";
    assert count != 0 : "read without a reference";
    return chunk.view();
  }

  /** The details, made now if a packed entry has none. */
  EntryDetails details() {
    EntryDetails known = details;
    if (known == null) {
      DETAILS.compareAndSet(this, null, new EntryDetails((VarySelection) null));
      known = details;
      assert known != null : "they stay";
    }
    return known;
  }

  private @Nullable SpreadCount spreadCount() {
    EntryDetails known = details;
    return known == null ? null : known.spread;
  }

  /** The parts that it {@link #joined joins}, borrowed; empty if it is one piece. */
  public List<Entry> parts() {
    return rest() instanceof JoinedContent joined ? joined.parts() : List.of();
  }

  /**
   * Whether it was read from a disk, where parts of a response are stored beside each other; memory
   * has at most one part.
   */
  public boolean isOnDisk() {
    return diskId() != 0 || !parts().isEmpty();
  }

  /** Whether its content is not available here: it can answer requests that need none. */
  public boolean isHeadOnly() {
    return rest() == LeftOnDisk.ALL;
  }

  // ---- references

  /** Adds a reference, unless the entry is already released. */
  public boolean tryRetain() {
    SpreadCount parts = spreadCount();
    if (parts != null && parts.add(1)) {
      return true;
    }
    int before = count;
    while (before != 0) {
      if (COUNT.compareAndSet(this, before, before + 1)) {
        return true;
      }
      collided();
      before = count;
    }
    return false;
  }

  /** Two threads changed the count at the same time. */
  void collided() {
    if (collisions < CONTENDED) {
      collisions++;
    }
  }

  /** Removes a reference; the last one releases the blocks. */
  public void release() {
    SpreadCount parts = spreadCount();
    if (parts == null || !parts.add(-1)) {
      left(COUNT.decrementAndGet(this));
    }
  }

  private void left(int references) {
    if (references < 0) {
      throw new IllegalStateException("entry released too often: " + this);
    }
    if (references > 0) {
      return;
    }
    EntryDetails known = details;
    long bytes = charge();
    if (chunk != null) {
      ResourceLeakTracker<Entry> leak = known == null ? null : known.leak;
      chunk.free(at);
      ledger.release(bytes);
      if (leak != null) {
        leak.close(this);
      }
    } else {
      assert known != null && known.first != null : "not packed";
      known.first.release();
      ledger.release(bytes);
      if (known.rest != null) {
        known.rest.release();
      }
    }
  }

  /** Whether loops collided at its count so often that it should be spread. */
  boolean isContended() {
    return collisions >= CONTENDED;
  }

  /** Resets the collisions, so that it is not spread. */
  void forgetCollisions() {
    collisions = 0;
  }

  /**
   * Lets each thread count its references by itself, unless that is so already. The caller holds a
   * reference. The thread that removes the entry from the map has to {@link #gather} them;
   * otherwise it is never freed.
   *
   * @return whether the caller caused the change
   */
  boolean spread(Stripes stripes) {
    EntryDetails known = details();
    SpreadCount old = known.spread;
    forgetCollisions();
    if (old != null && !old.isClosed()) {
      return false;
    }
    ByteBuf[] further =
        known.rest instanceof SharedBlocks blocks
            ? blocks.of(block -> new EntryBlock(this, block, 0, block.capacity()))
            : null;
    SpreadCount parts = new SpreadCount(stripes, own(), further);
    if (!EntryDetails.SPREAD.compareAndSet(known, old, parts)) {
      return false;
    }
    COUNT.addAndGet(this, SpreadCount.BIAS);
    parts.open();
    return true;
  }

  /** The first block as a buffer whose references are those of this entry. */
  private EntryBlock own() {
    if (chunk != null) {
      ByteBuf block = block();
      return new EntryBlock(this, block, PackedHead.fieldsStart(block, at), firstBlockLength());
    }
    ByteBuf first = first();
    return new EntryBlock(this, first, 0, first.capacity());
  }

  private ByteBuf first() {
    EntryDetails known = details;
    assert known != null && known.first != null : "packed";
    return known.first;
  }

  /** Whether each thread counts its references by itself. */
  boolean isSpread() {
    SpreadCount parts = spreadCount();
    return parts != null && parts.isOpen();
  }

  /** Counts all references in one place again; no effect if they are. Any thread. */
  void gather() {
    SpreadCount parts = spreadCount();
    if (parts != null && parts.beginClosing()) {
      int references = COUNT.addAndGet(this, (int) parts.close() - SpreadCount.BIAS);
      hits += (int) Math.min(parts.hits(), Integer.MAX_VALUE - hits());
      parts.closed();
      left(references);
    }
  }

  /** Hits while it is spread, since the last call; 0: it is not. Maintenance thread. */
  long recentHits() {
    SpreadCount parts = spreadCount();
    return parts == null ? 0 : parts.recentHits();
  }

  // ---- key

  @Override
  public long high() {
    return high;
  }

  @Override
  public long low() {
    return low;
  }

  /** The key; of a packed entry a new object each time. */
  public CacheKey key() {
    if (chunk != null) {
      ByteBuf block = block();
      int length = PackedHead.keyLength(block, at);
      return StoredForm.readKey(block, PackedHead.keyStart(at), length, this);
    }
    EntryDetails known = details;
    assert known != null && known.key != null : "not packed";
    return known.key;
  }

  /** Whether {@code key} is its key, byte for byte. */
  boolean isUnder(KeyProbe key) {
    if (chunk != null) {
      ByteBuf block = block();
      return key.isAt(block, PackedHead.keyStart(at), PackedHead.keyLength(block, at));
    }
    return key.matches(key());
  }

  @Override
  public String toString() {
    return "entry " + Long.toHexString(high) + ", " + count + " references";
  }

  // ---- meta

  @Override
  public StoredMeta meta() {
    EntryDetails known = details;
    StoredMeta changed = known == null ? null : known.meta;
    return changed == null ? this : changed;
  }

  /** Makes it stale from {@code millis} on, unless it is stale already. */
  public void becomeStale(long millis) {
    change(before -> before.staleSince(millis));
  }

  /** Makes it validated before each use. */
  public void validateFirst() {
    change(StoredMeta::validatedFirst);
  }

  private void change(UnaryOperator<StoredMeta> how) {
    StoredMeta seen = meta();
    if (how.apply(seen) == seen) {
      return;
    }
    EntryDetails known = details();
    synchronized (known) { // two changes at once: neither is lost
      StoredMeta before = meta();
      StoredMeta after = how.apply(before);
      if (after != before) {
        known.meta = after;
      }
    }
  }

  /** Its meta can be read without a reference from now on. */
  void keepMeta() {
    StoredMeta now = meta();
    if (now == this) {
      details().meta = now.kept();
    }
  }

  @Override
  public int status() {
    return PackedHead.status(block(), at);
  }

  @Override
  public long requestTimeMillis() {
    return PackedHead.requestTimeMillis(block(), at);
  }

  @Override
  public long responseTimeMillis() {
    return PackedHead.responseTimeMillis(block(), at);
  }

  @Override
  public long dateMillis() {
    return PackedHead.dateMillis(block(), at);
  }

  @Override
  public long lastModifiedMillis() {
    return PackedHead.lastModifiedMillis(block(), at);
  }

  @Override
  public long initialAgeSeconds() {
    return PackedHead.initialAgeSeconds(block(), at);
  }

  @Override
  public long lifetimeSeconds() {
    return PackedHead.lifetimeSeconds(block(), at);
  }

  @Override
  public long staleWhileRevalidateSeconds() {
    return PackedHead.staleWhileRevalidateSeconds(block(), at);
  }

  @Override
  public long staleIfErrorSeconds() {
    return PackedHead.staleIfErrorSeconds(block(), at);
  }

  @Override
  public int flags() {
    return PackedHead.flags(block(), at);
  }

  @Override
  public byte @Nullable [] etag() {
    return hasEtag() ? PackedHead.etag(block(), at) : null;
  }

  @Override
  public boolean hasEtag() {
    return PackedHead.hasEtag(block(), at);
  }

  @Override
  public @Nullable VarySelection vary() {
    EntryDetails known = details;
    return known == null ? null : known.vary;
  }

  @Override
  public @Nullable ContentPart part() {
    StoredMeta other = meta();
    return other == this ? null : other.part();
  }

  /** Bytes of the whole content, of which it may have a {@linkplain StoredMeta#part part} only. */
  @Override
  public long contentLength() {
    return chunk != null ? PackedHead.contentLength(block(), at) : meta().contentLength();
  }

  /** Bytes of content that are stored: of the whole, or of its part. */
  @Override
  public long storedLength() {
    return chunk != null ? PackedHead.contentLength(block(), at) : meta().storedLength();
  }

  // ---- what the tiers know of it

  /** Number of the purge up to which it was judged; see {@link #judgedAt(long)}. */
  public long judgedAt() {
    return chunk != null ? PackedHead.judgedAt(block(), at) : details().judgedAt;
  }

  /** It was compared with all purges up to {@code serial}. */
  public void judgedAt(long serial) {
    if (chunk != null) {
      PackedHead.judgedAt(block(), at, serial);
    } else {
      details().judgedAt = serial;
    }
  }

  /** See {@link CacheGroups}; not to be changed. */
  public long[] groups() {
    if (chunk != null) {
      return CacheGroups.of(key(), StoredFields.index(fields()));
    }
    EntryDetails known = details();
    long[] groups = known.groups;
    if (groups == null) {
      groups = CacheGroups.of(key(), StoredFields.index(fields()));
      known.groups = groups;
    }
    return groups;
  }

  /** Bytes at the start of the field lines that no client gets; see {@link HiddenFields}. */
  public int hiddenLength() {
    if (chunk != null) {
      return PackedHead.hiddenLength(block(), at);
    }
    EntryDetails known = details();
    int length = known.hiddenLength;
    if (length < 0) {
      length = meta().has(StoredMeta.HIDES_FIELDS) ? HiddenFields.length(fields()) : 0;
      known.hiddenLength = length;
    }
    return length;
  }

  /** Number of the object on disk that it is a copy of, or 0. */
  public long diskId() {
    return chunk != null ? PackedHead.diskId(block(), at) : details().diskId;
  }

  /** See {@link #diskId()}. */
  public void diskId(long id) {
    if (chunk != null) {
      PackedHead.diskId(block(), at, id);
    } else {
      details().diskId = id;
    }
  }

  /** Whether a directory could take it when it arrived. */
  public boolean isOfferedToDisk() {
    return offeredToDisk;
  }

  /** See {@link #isOfferedToDisk}. */
  public void offerToDisk() {
    offeredToDisk = true;
  }

  /** Approximate number of hits in memory. */
  public int hits() {
    SpreadCount parts = spreadCount();
    long spreadHits = parts == null || !parts.isOpen() ? 0 : parts.hits();
    return (int) Math.min(Math.max(0, hits) + spreadHits, Integer.MAX_VALUE);
  }

  /** Counts one hit. */
  public void hit() {
    SpreadCount parts = spreadCount();
    if (parts == null || !parts.hit()) {
      hits++;
    }
  }

  // ---- field lines and content

  /** Content-Type as stored, empty if there is none: computed once and kept. */
  public String contentType() {
    EntryDetails known = details;
    String type = chunk != null ? ContentTypes.of(PackedHead.contentType(block(), at)) : null;
    if (type == null && known != null) {
      type = known.contentType;
    }
    if (type != null) {
      return type;
    }
    String found = StoredFields.index(fields()).get(FieldName.CONTENT_TYPE);
    String value = found == null ? "" : found;
    int number = ContentTypes.number(value);
    String shared = number == 0 ? value : ContentTypes.shared(value);
    if (chunk != null && number != 0) {
      PackedHead.contentType(block(), at, number);
    } else {
      details().contentType = shared;
    }
    return shared;
  }

  /** Bytes of field lines and the empty line at the start of {@link #firstBlock}. */
  public int fieldsLength() {
    return chunk != null ? PackedHead.fieldsLength(block(), at) : details().fieldsLength;
  }

  /** Returns a new array each time. */
  @Override
  public byte[] storedLines() {
    return lines(0);
  }

  /** Returns a new array each time. */
  @Override
  public byte[] visibleLines() {
    return lines(hiddenLength());
  }

  private byte[] lines(int start) {
    byte[] lines = new byte[fieldsLength() - start];
    ByteBuf block = chunk != null ? block() : first();
    block.getBytes(firstIndex(block) + start, lines);
    return lines;
  }

  /** All field lines and the empty line, borrowed while a reference is held; not to be retained. */
  public ByteBuf fields() {
    ByteBuf block = chunk != null ? block() : first();
    return block.slice(firstIndex(block), fieldsLength());
  }

  /**
   * The block with the field lines, from {@link #firstIndex} on, and the first content; borrowed
   * while a reference is held. Its own indices are meaningless.
   */
  public ByteBuf firstBlock() {
    if (chunk != null && PackedHead.contentLength(block(), at) <= COPIED_BYTES) {
      return block();
    }
    SpreadCount parts = spreadCount();
    if (parts != null) {
      return parts.first();
    }
    return chunk != null ? own() : first();
  }

  /** Where the field lines begin in {@code block}, the result of {@link #firstBlock}. */
  public int firstIndex(ByteBuf block) {
    return chunk != null && chunk.isView(block) ? PackedHead.fieldsStart(block, at) : 0;
  }

  /** Bytes used in {@link #firstBlock}: fields, empty line and the content that fits. */
  public int firstBlockLength() {
    if (chunk != null) {
      ByteBuf block = block();
      return PackedHead.fieldsLength(block, at) + PackedHead.contentLength(block, at);
    }
    return details().firstLength;
  }

  /** {@code length} bytes of the first block from {@code index} on. Returns owned. */
  private ByteBuf retainedFirst(int index, int length) {
    SpreadCount parts = spreadCount();
    ByteBuf block = parts != null ? parts.first() : chunk != null ? own() : first();
    return block.retainedSlice(index, length);
  }

  /**
   * Content from {@code offset}: at most {@code max} bytes, at most to the end of their block.
   * Returns owned: a retained slice. Constant time. {@code offset} is within the stored content.
   * Legal if {@link #isResident}.
   */
  public ByteBuf retainedContent(long offset, int max) {
    StoredMeta now = meta();
    if (offset < now.contentStart() || offset >= now.contentEnd()) {
      throw new IndexOutOfBoundsException(
          "offset: "
              + offset
              + " (expected: "
              + now.contentStart()
              + " to "
              + now.contentEnd()
              + ")");
    }
    long start = offset - now.contentStart();
    int fields = fieldsLength();
    int inFirst = firstBlockLength() - fields;
    if (start < inFirst) {
      int length = (int) Math.min(max, inFirst - start);
      return retainedFirst(fields + (int) start, length);
    }
    SpreadCount parts = spreadCount();
    FurtherContent rest = rest();
    assert rest != null : "no content behind the first block";
    return parts == null || parts.rest() == null
        ? rest.retainedContent(start - inFirst, max)
        : ((SharedBlocks) rest).retainedContent(parts.rest(), start - inFirst, max);
  }

  /** Whether content at {@code offset} is in memory; otherwise {@link #read} gets it. */
  public boolean isResident(long offset) {
    FurtherContent rest = rest();
    return rest == null
        || rest.isResident()
        || offset - meta().contentStart() < firstBlockLength() - fieldsLength();
  }

  /**
   * Reads at most {@code max} bytes of content from {@code offset}, from disk if they are not in
   * memory, verified; see {@link FurtherContent#read}. Borrows the caller's reference only for the
   * call.
   */
  public void read(long offset, int max, EventExecutor loop, FurtherContent.Listener then) {
    int inFirst = firstBlockLength() - fieldsLength();
    long start = offset - meta().contentStart();
    if (start < inFirst) {
      ByteBuf content = retainedContent(offset, max);
      loop.execute(() -> then.content(content));
    } else {
      FurtherContent rest = rest();
      assert rest != null : "no content behind the first block";
      rest.read(start - inFirst, max, loop, then);
    }
  }

  // ---- sizes

  private int charge() {
    return chunk != null ? granules * GRANULE_BYTES : details().charge;
  }

  /** Bytes of direct memory that it keeps. */
  public long bytes() {
    FurtherContent rest = rest();
    return charge() + (rest == null ? 0 : rest.bytes());
  }

  /** Bytes of heap, of which clients and origins determine a part: long URLs, selecting fields. */
  int heapBytes() {
    VarySelection vary = vary();
    int selection = vary == null ? 0 : vary.weightBytes();
    if (chunk != null) {
      return PACKED_HEAP_BYTES + (vary == null ? 0 : MemoryTier.HEAP_BYTES + selection);
    }
    byte[] etag = meta().etag();
    return MemoryTier.HEAP_BYTES + key().length() + (etag == null ? 0 : etag.length) + selection;
  }

  @Nullable FurtherContent rest() {
    return chunk != null ? null : details().rest;
  }

  /**
   * Enters its memory in {@code other} instead, if that has room; returns whether all of it is
   * there. Any thread that holds a reference: disk threads and the maintenance thread may move an
   * entry at the same time.
   */
  boolean moveTo(MemoryLedger other) {
    FurtherContent rest = rest();
    return other.takeOver(this, LEDGER, charge()) && (rest == null || rest.moveTo(other));
  }

  /** Whether the caller holds the only reference. */
  boolean isLastReference() {
    return count == 1;
  }

  @Override
  public @Nullable Entry select(Fields request) {
    VarySelection vary = vary();
    return vary == null || vary.matches(request) ? this : null;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public Entry get(int number) {
    return this;
  }
}

package io.loligo.store.memory;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * A stored response: meta, field lines and content, shared by reference. Never recycled: its count
 * is incremented only if not zero, so a stale reference from the map fails cleanly instead of
 * retaining another response's buffer. Thread-safe: any thread.
 *
 * <p>If event loops contend for the count of a stored entry, it is {@linkplain #spread spread}:
 * each loop counts its own references until they are {@linkplain #gather gathered} again. The entry
 * is alive while they are spread.
 *
 * <p>The first block holds the field lines, the empty line, and the first bytes of content (all of
 * it for a small response), so that a small hit is one copy or one slice. Further content is in
 * blocks of {@value #BLOCK_BYTES} bytes, the last of them sized to fit.
 */
public final class Entry implements Stored, StoredResponse {
  /** Content in each block but the first and the last; also the size a first block grows to. */
  public static final int BLOCK_BYTES = 64 << 10;

  private static final AtomicIntegerFieldUpdater<Entry> COUNT =
      AtomicIntegerFieldUpdater.newUpdater(Entry.class, "count");
  private static final AtomicReferenceFieldUpdater<Entry, MemoryLedger> LEDGER =
      AtomicReferenceFieldUpdater.newUpdater(Entry.class, MemoryLedger.class, "ledger");

  private static final AtomicReferenceFieldUpdater<Entry, SpreadCount> SPREAD =
      AtomicReferenceFieldUpdater.newUpdater(Entry.class, SpreadCount.class, "spread");

  /** After this many collisions, loops contend for the count. */
  private static final byte CONTENDED = 16;

  private final CacheKey key;
  private volatile StoredMeta meta;
  private final ByteBuf first;
  private final @Nullable FurtherContent rest;
  private final int fieldsLength;
  private final int firstLength;
  private final int charge;
  private volatile MemoryLedger ledger;
  private volatile int count = 1;
  private volatile @Nullable SpreadCount spread;
  private byte collisions;
  private volatile long diskId;
  private volatile boolean offeredToDisk;
  private int hits;
  private @Nullable String contentType;
  private long @Nullable [] groups;
  private int hiddenLength = -1;
  private volatile long judgedAt;

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
    this.charge = charge;
    this.key = key;
    this.meta = meta;
    this.first = first;
    this.fieldsLength = fieldsLength;
    this.firstLength = firstLength;
    this.rest = rest;
    this.ledger = ledger;
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
    int length = newest.fieldsLength;
    ByteBuf fields = newest.first.retainedSlice(0, length).touch("Entry, joined");
    FurtherContent rest = new JoinedContent(parts, meta.contentStart());
    return loaded(newest.key, meta, fields, 0, length, length, rest, ledger);
  }

  /** The parts that it {@link #joined joins}, borrowed; empty if it is one piece. */
  public List<Entry> parts() {
    return rest instanceof JoinedContent joined ? joined.parts() : List.of();
  }

  /**
   * Whether it was read from a disk, where parts of a response are stored beside each other; memory
   * has at most one part.
   */
  public boolean isOnDisk() {
    return diskId != 0 || !parts().isEmpty();
  }

  /** Whether its content is not available here: it can answer requests that need none. */
  public boolean isHeadOnly() {
    return rest == LeftOnDisk.ALL;
  }

  /** Adds a reference, unless the entry is already released. */
  public boolean tryRetain() {
    SpreadCount parts = spread;
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
    SpreadCount parts = spread;
    if (parts == null || !parts.add(-1)) {
      left(COUNT.decrementAndGet(this));
    }
  }

  private void left(int references) {
    if (references < 0) {
      throw new IllegalStateException("entry released too often: " + key);
    }
    if (references == 0) {
      int bytes = charge;
      first.release();
      ledger.release(bytes);
      if (rest != null) {
        rest.release();
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
    SpreadCount old = spread;
    forgetCollisions();
    if (old != null && !old.isClosed()) {
      return false;
    }
    ByteBuf[] further =
        rest instanceof SharedBlocks blocks
            ? blocks.of(block -> new EntryBlock(this, block))
            : null;
    SpreadCount parts = new SpreadCount(stripes, new EntryBlock(this, first), further);
    if (!SPREAD.compareAndSet(this, old, parts)) {
      return false;
    }
    COUNT.addAndGet(this, SpreadCount.BIAS);
    parts.open();
    return true;
  }

  /** Whether each thread counts its references by itself. */
  boolean isSpread() {
    SpreadCount parts = spread;
    return parts != null && parts.isOpen();
  }

  /** Counts all references in one place again; no effect if they are. Any thread. */
  void gather() {
    SpreadCount parts = spread;
    if (parts != null && parts.beginClosing()) {
      int references = COUNT.addAndGet(this, (int) parts.close() - SpreadCount.BIAS);
      hits += (int) Math.min(parts.hits(), Integer.MAX_VALUE - hits());
      parts.closed();
      left(references);
    }
  }

  /** Hits while it is spread, since the last call; 0: it is not. Maintenance thread. */
  long recentHits() {
    SpreadCount parts = spread;
    return parts == null ? 0 : parts.recentHits();
  }

  public CacheKey key() {
    return key;
  }

  @Override
  public StoredMeta meta() {
    return meta;
  }

  /** Makes it stale from {@code millis} on, unless it is stale already. */
  public void staleSince(long millis) {
    meta = meta.staleSince(millis);
  }

  /** Number of the purge up to which it was judged; see {@link #judgedAt(long)}. */
  public long judgedAt() {
    return judgedAt;
  }

  /** It was compared with all purges up to {@code serial}. */
  public void judgedAt(long serial) {
    judgedAt = serial;
  }

  /** See {@link CacheGroups}: computed once and kept; not to be changed. */
  public long[] groups() {
    long[] known = groups;
    if (known == null) {
      known = CacheGroups.of(key, StoredFields.index(first.slice(0, fieldsLength)));
      groups = known;
    }
    return known;
  }

  /** Bytes at the start of the field lines that no client gets; see {@link HiddenFields}. */
  public int hiddenLength() {
    int known = hiddenLength;
    if (known < 0) {
      boolean hides = meta.has(StoredMeta.HIDES_FIELDS);
      known = hides ? HiddenFields.length(first.slice(0, fieldsLength)) : 0;
      hiddenLength = known;
    }
    return known;
  }

  /** Number of the object on disk that it is a copy of, or 0. */
  public long diskId() {
    return diskId;
  }

  /** See {@link #diskId()}. */
  public void diskId(long id) {
    diskId = id;
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
    SpreadCount parts = spread;
    long spreadHits = parts == null || !parts.isOpen() ? 0 : parts.hits();
    return (int) Math.min(Math.max(0, hits) + spreadHits, Integer.MAX_VALUE);
  }

  /** Counts one hit. */
  public void hit() {
    SpreadCount parts = spread;
    if (parts == null || !parts.hit()) {
      hits++;
    }
  }

  /** Content-Type as stored, empty if there is none: computed once and kept. */
  public String contentType() {
    String known = contentType;
    if (known == null) {
      String found = StoredFields.index(first.slice(0, fieldsLength)).get(FieldName.CONTENT_TYPE);
      known = found == null ? "" : ContentTypes.shared(found);
      contentType = known;
    }
    return known;
  }

  /** Bytes of field lines and the empty line at the start of {@link #firstBlock}. */
  public int fieldsLength() {
    return fieldsLength;
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
    byte[] lines = new byte[fieldsLength - start];
    first.getBytes(start, lines);
    return lines;
  }

  /** Bytes of the whole content, of which it may have a {@linkplain StoredMeta#part part} only. */
  public long contentLength() {
    return meta.contentLength();
  }

  /** Bytes of content that are stored: of the whole, or of its part. */
  public long storedLength() {
    return meta.storedLength();
  }

  /** Fields, empty line, first content; borrowed while a reference is held; indices meaningless. */
  public ByteBuf firstBlock() {
    SpreadCount parts = spread;
    return parts == null ? first : parts.first();
  }

  /** Bytes used in {@link #firstBlock}: fields, empty line and the content that fits. */
  public int firstBlockLength() {
    return firstLength;
  }

  /**
   * Content from {@code offset}: at most {@code max} bytes, at most to the end of their block.
   * Returns owned: a retained slice. Constant time. {@code offset} is within the stored content.
   * Legal if {@link #isResident}.
   */
  public ByteBuf retainedContent(long offset, int max) {
    StoredMeta now = meta;
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
    long at = offset - now.contentStart();
    int inFirst = firstLength - fieldsLength;
    if (at < inFirst) {
      int from = fieldsLength + (int) at;
      return firstBlock().retainedSlice(from, Math.min(max, firstLength - from));
    }
    SpreadCount parts = spread;
    assert rest != null : "no content behind the first block";
    return parts == null || parts.rest() == null
        ? rest.retainedContent(at - inFirst, max)
        : ((SharedBlocks) rest).retainedContent(parts.rest(), at - inFirst, max);
  }

  /** Whether content at {@code offset} is in memory; otherwise {@link #read} gets it. */
  public boolean isResident(long offset) {
    long at = offset - meta.contentStart();
    return at < firstLength - fieldsLength || rest == null || rest.isResident();
  }

  /**
   * Reads at most {@code max} bytes of content from {@code offset}, from disk if they are not in
   * memory, verified; see {@link FurtherContent#read}. Borrows the caller's reference only for the
   * call.
   */
  public void read(long offset, int max, EventExecutor loop, FurtherContent.Listener then) {
    int inFirst = firstLength - fieldsLength;
    long at = offset - meta.contentStart();
    if (at < inFirst) {
      ByteBuf content = retainedContent(offset, max);
      loop.execute(() -> then.content(content));
    } else {
      assert rest != null : "no content behind the first block";
      rest.read(at - inFirst, max, loop, then);
    }
  }

  /** Bytes of direct memory that it keeps. */
  public long bytes() {
    return charge + (rest == null ? 0 : rest.bytes());
  }

  /** Bytes of heap whose number clients and origins determine: long URLs, selecting fields. */
  long chosenHeapBytes() {
    return (long) key.length()
        + (meta.etag() == null ? 0 : meta.etag().length)
        + (meta.vary() == null ? 0 : meta.vary().weightBytes());
  }

  @Nullable FurtherContent rest() {
    return rest;
  }

  /**
   * Enters its memory in {@code other} instead, if that has room; returns whether all of it is
   * there. Any thread that holds a reference: disk threads and the maintenance thread may move an
   * entry at the same time.
   */
  boolean moveTo(MemoryLedger other) {
    return other.takeOver(this, LEDGER, charge) && (rest == null || rest.moveTo(other));
  }

  /** Whether the caller holds the only reference. */
  boolean isLastReference() {
    return count == 1;
  }

  @Override
  public @Nullable Entry select(Fields request) {
    return meta.isSelectedBy(request) ? this : null;
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

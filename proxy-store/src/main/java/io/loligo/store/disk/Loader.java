package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.record.RecordMap;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Finds and reads responses. Thread-safe: disk threads. */
final class Loader {
  /** How a load ended. */
  enum Outcome {
    FOUND,
    ABSENT,
    /** What was there is not what was written: it is dropped. */
    DAMAGED,
    /** There is no memory to read into. */
    BUSY
  }

  /**
   * What a load found.
   *
   * @param entry owned by who gets it; null unless FOUND
   * @param hits times it was loaded since it was written, this one included
   */
  record Loaded(Entry entry, Outcome outcome, int hits) {
    static Loaded none(Outcome outcome) {
      return new Loaded(null, outcome, 0);
    }
  }

  private final Catalogue catalogue;
  private final Dropping dropping;
  private final Blocks blocks;
  private final Geometry geometry;
  private final Secret secret;
  private final MemoryLedger transit;
  private final DiskThreads threads;
  private final DirectoryCounters counters;
  private final DiskTier.MemoryView memory;
  private final ReadFailures failures;
  private final Consumer<Throwable> broken;

  /**
   * @param broken told that the disk does not do what it must
   */
  Loader(
      Catalogue catalogue,
      Dropping dropping,
      Blocks blocks,
      Geometry geometry,
      Secret secret,
      MemoryLedger transit,
      DiskThreads threads,
      DirectoryCounters counters,
      DiskTier.MemoryView memory,
      ReadFailures failures,
      Consumer<Throwable> broken) {
    this.memory = memory;
    this.catalogue = catalogue;
    this.dropping = dropping;
    this.blocks = blocks;
    this.geometry = geometry;
    this.secret = secret;
    this.transit = transit;
    this.threads = threads;
    this.counters = counters;
    this.failures = failures;
    this.broken = broken;
  }

  /** To {@link #load} in, for requests that waited together. */
  LoadRound round() {
    return new LoadRound(catalogue);
  }

  /**
   * Loads the preferred variant under {@code key} that {@code request} selects, unless {@code
   * round} has it.
   */
  Loaded load(CacheKey key, Fields request, DiskTier.Wanted wanted, LoadRound round)
      throws IOException {
    List<Stored> left = round.pinAll(secret.hash().of(key, null).high());
    Loaded loaded = Loaded.none(Outcome.ABSENT);
    while (!left.isEmpty()) {
      Stored next = left.size() == 1 ? left.get(0) : preferred(left, key, request);
      if (next == null) {
        return loaded;
      }
      left.remove(next);
      Loaded one = load(next, key, request, wanted, round);
      if (one.outcome() == Outcome.FOUND || one.outcome() == Outcome.BUSY) {
        return one;
      }
      if (one.outcome() == Outcome.DAMAGED) {
        loaded = one;
      }
    }
    return loaded;
  }

  /**
   * The one of {@code variants} that is {@linkplain VarySelection#prefers preferred} for {@code
   * request}, as far as records tell; one whose record is too short to tell will do where no other
   * is known to. Null: none is selected.
   */
  private Stored preferred(List<Stored> variants, CacheKey key, Fields request) throws IOException {
    Stored preferred = null;
    Stored untold = null;
    StoredMeta best = null;
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    try {
      for (Stored variant : variants) {
        record.clear();
        if (!catalogue.record(variant, record) || !StoredRecord.isWhole(record)) {
          return variant;
        }
        ByteBuf block = StoredRecord.block(record);
        if (!StoredRecord.reachesFields(block)) {
          untold = variant;
          continue;
        }
        StoredMeta meta = FirstBlock.meta(block);
        if (FirstBlock.isOf(key, block)
            && (meta.vary() == null || meta.vary().matches(request))
            && (best == null || !VarySelection.prefers(best, meta))) {
          preferred = variant;
          best = meta;
        }
      }
      return preferred == null ? untold : preferred;
    } finally {
      record.release();
    }
  }

  /**
   * Loads the newest variants under {@code key} that {@code which} says so of, {@code max} at most,
   * whatever selects them. One whose record is too short to tell is left out.
   */
  List<Entry> variants(CacheKey key, Predicate<StoredMeta> which, int max) throws IOException {
    List<Entry> entries = new ArrayList<>();
    boolean whole = false;
    try (LoadRound round = round()) {
      List<Stored> stored = round.pinAll(secret.hash().of(key, null).high());
      for (Stored one : newest(stored, key, which, max)) {
        Loaded loaded = load(one, key, null, DiskTier.Wanted.UNASKED, round);
        if (loaded.entry() != null) {
          entries.add(loaded.entry());
        }
      }
      whole = true;
      return entries;
    } finally {
      if (!whole) {
        entries.forEach(Entry::release);
      }
    }
  }

  /** Those of {@code variants} whose records {@code which} agrees to, the newest first. */
  private List<Stored> newest(
      List<Stored> variants, CacheKey key, Predicate<StoredMeta> which, int max)
      throws IOException {
    record Dated(Stored variant, long millis, long id) {}
    List<Dated> agreed = new ArrayList<>();
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    try {
      for (Stored variant : variants) {
        record.clear();
        if (!catalogue.record(variant, record) || !StoredRecord.isWhole(record)) {
          continue;
        }
        ByteBuf block = StoredRecord.block(record);
        if (StoredRecord.reachesFields(block) && FirstBlock.isOf(key, block)) {
          StoredMeta meta = FirstBlock.meta(block);
          if (which.test(meta)) {
            agreed.add(new Dated(variant, meta.responseTimeMillis(), Block.id(block)));
          }
        }
      }
    } finally {
      record.release();
    }
    return agreed.stream()
        .sorted(Comparator.comparingLong(Dated::millis).thenComparingLong(Dated::id).reversed())
        .limit(max)
        .map(Dated::variant)
        .toList();
  }

  /**
   * @param request null: whatever selects it
   */
  private Loaded load(
      Stored stored, CacheKey key, Fields request, DiskTier.Wanted wanted, LoadRound round)
      throws IOException {
    Loaded cheap = again(stored, request, wanted, round);
    if (cheap == null
        && wanted == DiskTier.Wanted.HEAD
        && !stored.inRecord()
        && catalogue.isInSlabs(stored)) {
      cheap = head(stored, key, request, round);
    }
    if (cheap != null) {
      return cheap;
    }
    int charge = SizeClass.packed(stored.length());
    if (!transit.tryReserve(charge)) {
      return Loaded.none(Outcome.BUSY);
    }
    Entry entry = null;
    try {
      boolean inRecord = stored.inRecord();
      ByteBuf block = inRecord ? readRecord(stored) : null;
      if (!inRecord || (block == null && !catalogue.isStill(stored))) {
        // what has taken its place may be longer than a record, the old one stands in the slabs
        block = readFirst(stored);
      }
      if (block == null || !stored.isSame(block)) {
        if (block != null) {
          block.release();
        }
        return dropDamaged(stored);
      }
      if (!inRecord && !catalogue.isInSlabs(stored)) {
        compare(stored, block);
      }
      StoredMeta meta = null;
      try {
        meta = selected(block, key, request);
      } finally {
        if (meta == null) {
          block.release();
        }
      }
      if (meta == null) {
        return Loaded.none(Outcome.ABSENT);
      }
      int hits = hits(stored, wanted);
      Loaded made = entry(stored, block, key, meta, charge, wanted, hits);
      entry = made.entry();
      if (entry == null) {
        return made;
      }
      count(inRecord, stored, wanted);
      boolean kept =
          wanted != DiskTier.Wanted.UNASKED && mayGoToMemory(stored, entry.contentLength(), hits);
      round.keep(stored, entry, inRecord, kept);
      return new Loaded(entry, Outcome.FOUND, hits);
    } finally {
      if (entry == null) {
        transit.release(charge);
      }
    }
  }

  /** {@code block}, borrowed, is what the slabs have: whether the record is a copy of it. */
  private void compare(Stored stored, ByteBuf block) throws IOException {
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    try {
      if (catalogue.record(stored, record)
          && StoredRecord.isWhole(record)
          && StoredRecord.place(record) == stored.place()) {
        ByteBuf copy = StoredRecord.block(record);
        int length = Math.min(copy.capacity(), block.writerIndex());
        if (ByteBufUtil.equals(copy, 0, block, 0, length)) {
          catalogue.seenInSlabs(stored);
        }
      }
    } finally {
      record.release();
    }
  }

  /** What {@code round} has of {@code stored}; null where it has to be loaded. */
  private Loaded again(Stored stored, Fields request, DiskTier.Wanted wanted, LoadRound round) {
    LoadRound.Held held = round.find(stored);
    if (held == null) {
      return null;
    }
    Entry entry = held.entry();
    if (entry.select(request) == null) {
      return Loaded.none(Outcome.ABSENT);
    }
    long length = entry.contentLength();
    boolean resident = length == 0 || entry.isResident(length - 1);
    if (wanted != DiskTier.Wanted.HEAD
        && (entry.isHeadOnly()
            || (!resident && !held.whole() && memory.wants(length, catalogue.hits(stored) + 1)))) {
      return null;
    }
    boolean alive = entry.tryRetain();
    assert alive : "held without reference";
    count(held.inRecord(), stored, wanted);
    int hits = hits(stored, wanted);
    mayGoToMemory(stored, length, hits);
    return new Loaded(entry, Outcome.FOUND, hits);
  }

  /** Whether memory wants what is being loaded, as whoever asked for it may offer it there. */
  private boolean mayGoToMemory(Stored stored, long contentLength, int hits) {
    boolean wants = memory.wants(contentLength, hits);
    if (wants) {
      catalogue.wentToMemory(stored.high(), stored.low());
    }
    return wants;
  }

  /** The head of {@code stored} from its record; null where that does not have it. */
  private Loaded head(Stored stored, CacheKey key, Fields request, LoadRound round)
      throws IOException {
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    try {
      if (!catalogue.record(stored, record)
          || !StoredRecord.isWhole(record)
          || StoredRecord.place(record) != stored.place()) {
        return null;
      }
      ByteBuf block = StoredRecord.block(record);
      if (!StoredRecord.holdsHead(block) || !stored.isSame(block) || !FirstBlock.isOf(key, block)) {
        return null;
      }
      StoredMeta meta = FirstBlock.meta(block);
      if (meta.vary() != null && !meta.vary().matches(request)) {
        return Loaded.none(Outcome.ABSENT);
      }
      int charge = SizeClass.packed(FirstBlock.fieldsLength(block));
      if (!transit.tryReserve(charge)) {
        return Loaded.none(Outcome.BUSY);
      }
      ByteBuf fields = blocks.buffer(FirstBlock.fieldsLength(block));
      fields.writeBytes(block, FirstBlock.fieldsStart(block), FirstBlock.fieldsLength(block));
      Entry entry = Entry.loadedHead(key, meta, fields, charge, transit);
      entry.diskId(Block.id(block));
      int hits = hits(stored, DiskTier.Wanted.HEAD);
      count(true, stored, DiskTier.Wanted.HEAD);
      round.keep(stored, entry, true, false);
      return new Loaded(entry, Outcome.FOUND, hits);
    } finally {
      record.release();
    }
  }

  /** Hits with this one, if it is one: a request is, however often it loads. */
  private int hits(Stored stored, DiskTier.Wanted wanted) {
    return isFirst(wanted) ? catalogue.hit(stored) : catalogue.hits(stored);
  }

  private static boolean isFirst(DiskTier.Wanted wanted) {
    return wanted == DiskTier.Wanted.CONTENT || wanted == DiskTier.Wanted.HEAD;
  }

  private void count(boolean inRecord, Stored stored, DiskTier.Wanted wanted) {
    if (!isFirst(wanted)) {
      return;
    }
    counters.hits.increment();
    if (inRecord) {
      counters.recordHits.increment();
    } else if (stored.pieces().length == 0) {
      counters.singleReads.increment();
    }
  }

  /**
   * What a {@link #peek} saw.
   *
   * @param variants the newest first
   * @param outcome DAMAGED or BUSY where one of them could not be looked at
   */
  record Peeked(List<Glimpse> variants, Outcome outcome) {}

  /** Looks at all variants under {@code key}: none is counted as asked for, none dropped. */
  Peeked peek(CacheKey key) throws IOException {
    List<Glimpse> seen = new ArrayList<>();
    Outcome worst = Outcome.ABSENT;
    List<Stored> variants = catalogue.pinAll(secret.hash().of(key, null).high());
    try {
      for (Stored variant : variants) {
        Outcome outcome = peek(variant, key, seen);
        worst = outcome.compareTo(worst) > 0 ? outcome : worst;
      }
    } finally {
      for (Stored variant : variants) {
        catalogue.unpin(variant);
      }
    }
    seen.sort(
        Comparator.comparingLong((Glimpse one) -> one.meta().responseTimeMillis()).reversed());
    boolean found = worst == Outcome.ABSENT && !seen.isEmpty();
    return new Peeked(seen, found ? Outcome.FOUND : worst);
  }

  private Outcome peek(Stored stored, CacheKey key, List<Glimpse> into) throws IOException {
    int charge = SizeClass.packed(stored.length());
    if (!transit.tryReserve(charge)) {
      return Outcome.BUSY;
    }
    ByteBuf block = null;
    try {
      block =
          stored.inRecord()
              ? readRecord(stored)
              : blocks.readFirst(stored.place(), stored.length());
      if (block == null || !stored.isSame(block)) {
        return catalogue.isStill(stored) ? Outcome.DAMAGED : Outcome.ABSENT;
      }
      if (FirstBlock.isOf(key, block)) {
        byte[] fields = new byte[FirstBlock.fieldsLength(block)];
        block.getBytes(FirstBlock.fieldsStart(block), fields);
        int hits = catalogue.hits(stored);
        into.add(new Glimpse(FirstBlock.meta(block), fields, true, stored.length(), hits));
      }
      return Outcome.ABSENT;
    } finally {
      if (block != null) {
        block.release();
      }
      transit.release(charge);
    }
  }

  private Loaded dropDamaged(Stored stored) {
    try {
      if (!dropping.drop(stored)) {
        return Loaded.none(Outcome.ABSENT); // it was replaced or removed meanwhile
      }
      counters.damaged.increment();
    } catch (IOException e) {
      broken.accept(e);
    }
    return Loaded.none(Outcome.DAMAGED);
  }

  /** Returns owned; null where it is damaged, or the disk cannot read it. */
  private ByteBuf readFirst(Stored stored) {
    counters.reads.increment();
    counters.readBytes.add(stored.length());
    try {
      ByteBuf block = blocks.readFirst(stored.place(), stored.length());
      failures.none();
      return block;
    } catch (IOException e) {
      failures.failed(e);
      return null;
    }
  }

  /** Returns owned, or null. */
  private ByteBuf readRecord(Stored stored) throws IOException {
    ByteBuf record = blocks.buffer(RecordMap.RECORD_BYTES);
    ByteBuf block = null;
    try {
      if (catalogue.record(stored, record) && StoredRecord.isWhole(record)) {
        ByteBuf copy = StoredRecord.block(record);
        if (Block.isWhole(copy, Block.FIRST) && FirstBlock.isSound(copy)) {
          block = blocks.buffer(copy.readableBytes());
          block.writeBytes(copy);
        }
      }
      return block;
    } finally {
      record.release();
    }
  }

  /** The meta of {@code block}, borrowed; null where it is of another key or variant. */
  private StoredMeta selected(ByteBuf block, CacheKey key, Fields request) {
    if (!FirstBlock.isOf(key, block)
        || Layout.of(block, geometry).pieces() != FirstBlock.pieces(block)) {
      return null;
    }
    StoredMeta meta = FirstBlock.meta(block);
    boolean matches = request == null || meta.vary() == null || meta.vary().matches(request);
    return matches ? meta : null;
  }

  /** Takes {@code block}. Without an entry where its content cannot be had. */
  private Loaded entry(
      Stored stored,
      ByteBuf block,
      CacheKey key,
      StoredMeta meta,
      int charge,
      DiskTier.Wanted wanted,
      int hits) {
    boolean kept = false;
    try {
      Layout layout = Layout.of(block, geometry);
      ByteBuf first =
          block.slice(
              FirstBlock.fieldsStart(block),
              FirstBlock.fieldsLength(block) + layout.firstContent());
      boolean whole =
          wanted != DiskTier.Wanted.UNASKED && memory.wants(layout.contentLength(), hits);
      Loaded made = entry(stored, layout, Block.id(block), key, meta, first, charge, block, whole);
      kept = made.entry() != null;
      if (kept) {
        made.entry().diskId(Block.id(block));
      }
      return made;
    } finally {
      if (!kept) {
        block.release();
      }
    }
  }

  /**
   * Takes {@code first}, a slice of {@code block}, and {@code block} with it, where it is FOUND.
   */
  private Loaded entry(
      Stored stored,
      Layout layout,
      long id,
      CacheKey key,
      StoredMeta meta,
      ByteBuf first,
      int charge,
      ByteBuf block,
      boolean whole) {
    int fieldsLength = FirstBlock.fieldsLength(block);
    int length = first.capacity();
    if (layout.pieces() == 0) {
      return found(Entry.loaded(key, meta, first, charge, fieldsLength, length, null, transit));
    }
    if (whole) {
      Assembly all = new Assembly(layout.contentLength() - layout.firstContent());
      if (all.fill(stored, layout, id)) {
        return found(
            Entry.loaded(
                key,
                meta,
                first,
                charge,
                fieldsLength,
                length,
                all.blocks,
                all.lastLength,
                transit));
      }
      if (!catalogue.isStill(stored)) {
        return Loaded.none(Outcome.DAMAGED); // a piece of it
      }
    }
    if (!transit.tryReserve(DiskContent.CHARGE)) {
      return Loaded.none(Outcome.BUSY);
    }
    catalogue.pinAgain(stored);
    FurtherContent rest = new DiskContent(stored, layout, id, this);
    return found(Entry.loaded(key, meta, first, charge, fieldsLength, length, rest, transit));
  }

  private static Loaded found(Entry entry) {
    return new Loaded(entry, Outcome.FOUND, 0);
  }

  /** Further content put together in memory, in the blocks that entries have. */
  private final class Assembly {
    private final ByteBuf[] blocks;
    private final int lastLength;
    private final long length;

    Assembly(long length) {
      this.length = length;
      this.blocks = new ByteBuf[(int) ((length - 1) / Entry.BLOCK_BYTES) + 1];
      this.lastLength = (int) (length - (blocks.length - 1L) * Entry.BLOCK_BYTES);
    }

    /** Reads all; false, and nothing is held, where that failed. */
    boolean fill(Stored stored, Layout layout, long id) {
      boolean done = false;
      try {
        done = allocate() && read(stored, layout, id);
      } finally {
        if (!done) {
          release();
        }
      }
      return done;
    }

    private boolean read(Stored stored, Layout layout, long id) {
      long at = 0;
      for (long number = 0; at < length; number++) {
        ByteBuf further = further(stored, layout, id, number);
        if (further == null) {
          return false;
        }
        at += further.readableBytes();
        append(further);
      }
      return true;
    }

    private boolean allocate() {
      for (int i = 0; i < blocks.length; i++) {
        int bytes = i == blocks.length - 1 ? lastLength : Entry.BLOCK_BYTES;
        int charge = SizeClass.packed(bytes);
        if (!transit.tryReserve(charge)) {
          return false;
        }
        try {
          blocks[i] = Loader.this.blocks.buffer(bytes);
        } finally {
          if (blocks[i] == null) {
            transit.release(charge);
          }
        }
      }
      return true;
    }

    private void append(ByteBuf further) {
      for (int i = 0; further.isReadable(); i++) {
        int octets = Math.min(further.readableBytes(), blocks[i].writableBytes());
        blocks[i].writeBytes(further, octets);
      }
      further.release();
    }

    private void release() {
      for (ByteBuf block : blocks) {
        if (block != null) {
          transit.release(SizeClass.packed(block.capacity()));
          block.release();
        }
      }
    }
  }

  // For DiskContent

  MemoryLedger transit() {
    return transit;
  }

  DiskThreads threads() {
    return threads;
  }

  /**
   * Further block {@code number} of a pinned object; owned, or null where it is damaged or cannot
   * be read: then the object is dropped.
   */
  ByteBuf further(Stored stored, Layout layout, long id, long number) {
    int content = layout.contentOfBlock(number);
    counters.reads.increment();
    counters.readBytes.add(content);
    ByteBuf block = null;
    try {
      block =
          blocks.readFurther(
              layout.placeOf(number, stored.pieces()), content, id, (int) number + 1);
      failures.none();
    } catch (IOException e) {
      failures.failed(e);
    } catch (OutOfMemoryError e) {
      MemoryShortage.OF_PROCESS.met(e, "a read from disk");
      return null;
    }
    if (block == null) {
      dropDamaged(stored);
    }
    return block;
  }

  /** Lets go of {@code stored}. Any thread but event loops. */
  void unpin(Stored stored) {
    threads.urgent(() -> catalogue.unpin(stored));
  }
}

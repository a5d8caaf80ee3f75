package io.loligo.store.disk.read;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.range.JoinedParts;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.context.ReadFailures;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds and reads responses. Thread-safe: disk threads. */
public final class Loader {
  /**
   * The result of a load.
   *
   * @param entry owned by its receiver; null unless FOUND
   * @param hits times it was loaded since it was written, this one included
   */
  public record Loaded(@Nullable Entry entry, LoadOutcome outcome, int hits) {
    public static Loaded none(LoadOutcome outcome) {
      return new Loaded(null, outcome, 0);
    }
  }

  /** The decision of memory about loaded responses. */
  public interface MemoryWish {
    /**
     * Whether it wants a copy of a response that was just requested.
     *
     * @param contentLength bytes of content
     * @param hits requests for it at the disk, this one included
     */
    boolean wants(long contentLength, int hits);
  }

  private final Catalogue catalogue;
  private final Records records;
  private final Blocks blocks;
  private final Secret secret;
  private final MemoryLedger transit;
  private final DiskThreads threads;
  private final DirectoryCounters counters;
  private final MemoryWish memory;
  private final ReadFailures failures;
  private final PieceReader pieces;

  /** Repeated lookups at most, if a response has moved before it was read. */
  private static final int MAX_LOOKS = 4;

  public Loader(
      Catalogue catalogue,
      Records records,
      Blocks blocks,
      Secret secret,
      MemoryLedger transit,
      DiskThreads threads,
      DirectoryCounters counters,
      MemoryWish memory,
      ReadFailures failures) {
    this.memory = memory;
    this.catalogue = catalogue;
    this.records = records;
    this.blocks = blocks;
    this.secret = secret;
    this.transit = transit;
    this.threads = threads;
    this.counters = counters;
    this.failures = failures;
    this.pieces = new PieceReader(catalogue, blocks, transit, threads, counters, failures);
  }

  /**
   * A first block that was read: owned, and entered in the ledger of transit with {@code charge}.
   */
  private record Read(
      IndexedResponse stored, ByteBuf block, int charge, StoredMeta meta, Source source) {}

  /** The source of a first block. */
  private enum Source {
    RECORD,
    DISK,
    /** Without a wait: it need not be remembered. */
    NOW
  }

  /** The outcome of an attempt to read a first block without success. */
  private enum Miss {
    /** Of another key, or another variant. */
    OTHER,
    /** It has moved or was dropped. */
    MOVED,
    DAMAGED,
    BUSY
  }

  /** Either. */
  private record Tried(@Nullable Read read, @Nullable Miss miss) {
    static Tried none(Miss why) {
      return new Tried(null, why);
    }
  }

  /**
   * Loads the preferred variant under {@code key} that {@code request} selects, unless {@code
   * round} has it. Disk threads.
   */
  public Loaded load(CacheKey key, Fields request, Wanted wanted, LoadRound round)
      throws IOException {
    Loaded loaded = null;
    for (int look = 0; look < MAX_LOOKS && loaded == null; look++) {
      loaded = loadOnce(key, request, wanted, round);
    }
    return loaded == null ? Loaded.none(LoadOutcome.ABSENT) : loaded;
  }

  /** Null: look it up again. */
  private @Nullable Loaded loadOnce(CacheKey key, Fields request, Wanted wanted, LoadRound round)
      throws IOException {
    List<IndexedResponse> all = catalogue.variants(secret.hash().of(key, null).high());
    List<IndexedResponse> variants = new ArrayList<>(all);
    variants.removeIf(stored -> round.excludes(stored, request));
    if (variants.isEmpty()) {
      return Loaded.none(LoadOutcome.ABSENT);
    }
    if (variants.size() == 1) {
      Loaded again = again(variants.get(0), request, wanted, round);
      if (again != null) {
        return again;
      }
      if (wanted == Wanted.HEAD && variants.get(0).length() > StoredHead.COPY_BYTES) {
        Loaded head = head(variants.get(0), key, request, round);
        if (head != null) {
          return head;
        }
      }
    }
    Reads reads = new Reads(key, request, round);
    boolean done = false;
    try {
      reads.readAll(variants);
      done = true;
    } finally {
      if (!done) {
        reads.letGoAll();
      }
    }
    return reads.choose(wanted);
  }

  /** The stored responses that a load has read, as candidates. Confined to one thread. */
  private final class Reads extends Candidates<Read> {
    private final CacheKey key;
    private final Fields request;
    private final LoadRound round;
    private Miss worst = Miss.OTHER;

    Reads(CacheKey key, Fields request, LoadRound round) {
      this.key = key;
      this.request = request;
      this.round = round;
    }

    @Override
    @Nullable Read read(IndexedResponse variant) throws IOException {
      Tried tried = Loader.this.read(variant, key, request, round);
      Miss miss = tried.miss;
      worst = miss != null && miss.compareTo(worst) > 0 ? miss : worst;
      return tried.read;
    }

    @Override
    StoredMeta meta(Read read) {
      return read.meta;
    }

    @Override
    void letGo(Read read) {
      Loader.this.letGo(read);
    }

    /** Takes everything that was read; null: look it up again. */
    @Nullable Loaded choose(Wanted wanted) {
      Read whole = whole();
      if (whole != null) {
        parts().forEach(this::letGo);
        return finish(whole, key, wanted, round);
      }
      if (!parts().isEmpty()) {
        return worst == Miss.MOVED ? lookAgain() : join(wanted);
      }
      return switch (worst) {
        case MOVED -> null;
        case OTHER -> Loaded.none(LoadOutcome.ABSENT);
        case DAMAGED -> Loaded.none(LoadOutcome.DAMAGED);
        case BUSY -> Loaded.none(LoadOutcome.BUSY);
      };
    }

    private @Nullable Loaded lookAgain() {
      letGoAll();
      return null;
    }

    private @Nullable Loaded join(Wanted wanted) {
      List<Read> parts = parts();
      JoinedParts joined = joined(request);
      for (int number : joined.outdated()) {
        catalogue.drop(parts.get(number).stored);
      }
      List<Integer> used = joined.used();
      List<Read> needed = new ArrayList<>();
      for (int number : used) {
        needed.add(parts.get(number));
      }
      for (int i = 0; i < parts.size(); i++) {
        if (!used.contains(i)) {
          letGo(parts.get(i));
        }
      }
      if (needed.size() == 1) {
        return finish(needed.get(0), key, wanted, round);
      }
      return join(needed, used.indexOf(joined.newest()), joined.meta(), wanted);
    }

    /** Takes {@code needed}; null: look it up again, because one of them has just been dropped. */
    private @Nullable Loaded join(List<Read> needed, int newest, StoredMeta meta, Wanted wanted) {
      List<Entry> entries = new ArrayList<>();
      boolean whole = false;
      try {
        while (!needed.isEmpty()) {
          Entry one = finish(needed.remove(0), key, wanted, round).entry();
          if (one == null) {
            return null;
          }
          entries.add(one);
        }
        whole = true;
        Entry all = Entry.joined(meta, entries, entries.get(newest), transit);
        return new Loaded(all, LoadOutcome.FOUND, 0);
      } finally {
        needed.forEach(this::letGo);
        if (!whole) {
          entries.forEach(Entry::release);
        }
      }
    }
  }

  private void letGo(@Nullable Read read) {
    if (read != null) {
      read.block.release();
      transit.release(read.charge);
    }
  }

  /**
   * @param request null: any
   */
  private Tried read(
      IndexedResponse stored, CacheKey key, @Nullable Fields request, LoadRound round)
      throws IOException {
    int charge = SizeClass.packed(stored.length());
    if (!transit.tryReserve(charge)) {
      return Tried.none(Miss.BUSY);
    }
    ByteBuf block = null;
    Read read = null;
    try {
      block = records.whole(stored);
      boolean inRecord = block != null;
      if (block == null) {
        block = readFirst(stored);
      }
      if (block == null || !stored.isSame(block)) {
        return Tried.none(pieces.dropDamaged(stored) ? Miss.DAMAGED : Miss.MOVED);
      }
      StoredMeta meta = FirstBlock.isOf(key, block) ? FirstBlock.meta(block) : null;
      round.judge(stored, meta);
      if (meta == null || round.excludes(stored, request)) {
        return Tried.none(Miss.OTHER);
      }
      read = new Read(stored, block, charge, meta, inRecord ? Source.RECORD : Source.DISK);
      return new Tried(read, null);
    } finally {
      if (read == null) {
        if (block != null) {
          block.release();
        }
        transit.release(charge);
      }
    }
  }

  /**
   * Does the same as {@link #load} without waiting for a disk; null if that is not possible, or the
   * stored bytes are not valid. Any thread.
   */
  public @Nullable Loaded loadNow(CacheKey key, Fields request, Wanted wanted) {
    List<IndexedResponse> variants = catalogue.variants(secret.hash().of(key, null).high());
    if (variants.size() != 1) {
      return null;
    }
    IndexedResponse stored = variants.get(0);
    int charge = SizeClass.packed(stored.length());
    if (!transit.tryReserve(charge)) {
      return null;
    }
    ByteBuf block = null;
    Read read = null;
    try {
      block = blocks.readFirstNow(stored.place(), stored.length());
      if (block == null || !stored.isSame(block)) {
        return null;
      }
      StoredMeta meta = selected(block, key, request);
      if (meta == null) {
        return Loaded.none(LoadOutcome.ABSENT);
      }
      boolean needsMore =
          FirstBlock.pieces(block) > 0
              && meta.part() == null
              && memory.wants(FirstBlock.contentLength(block), catalogue.hits(stored) + 1);
      if (needsMore) {
        return null;
      }
      counters.reads.increment();
      counters.readBytes.add(stored.length());
      read = new Read(stored, block, charge, meta, Source.NOW);
    } finally {
      if (read == null) {
        if (block != null) {
          block.release();
        }
        transit.release(charge);
      }
    }
    try (LoadRound round = new LoadRound()) {
      return finish(read, key, wanted, round);
    }
  }

  /** Takes {@code read}, and makes an entry of it if its content is available. */
  private Loaded finish(Read read, CacheKey key, Wanted wanted, LoadRound round) {
    IndexedResponse stored = read.stored;
    Entry entry = null;
    try {
      int hits = hits(stored, wanted);
      Loaded made = entry(read, key, wanted, hits);
      entry = made.entry();
      if (entry == null) {
        return made;
      }
      boolean inRecord = read.source == Source.RECORD;
      count(inRecord, stored, wanted);
      boolean kept = wanted != Wanted.UNASKED && mayGoToMemory(stored, entry, hits);
      round.keep(stored, entry, inRecord, kept);
      return new Loaded(entry, LoadOutcome.FOUND, hits);
    } finally {
      if (entry == null) {
        transit.release(read.charge);
      }
    }
  }

  /**
   * Loads the newest variants under {@code key} that {@code which} accepts, {@code max} at most,
   * whatever requests select them.
   */
  public List<Entry> variants(CacheKey key, Predicate<StoredMeta> which, int max)
      throws IOException {
    List<Read> agreed = new ArrayList<>();
    List<Entry> entries = new ArrayList<>();
    boolean whole = false;
    try (LoadRound round = new LoadRound()) {
      for (IndexedResponse stored : catalogue.variants(secret.hash().of(key, null).high())) {
        Read read = read(stored, key, null, round).read;
        if (read != null && which.test(read.meta)) {
          agreed.add(read);
        } else {
          letGo(read);
        }
      }
      agreed.sort(
          Comparator.comparingLong((Read read) -> read.meta.responseTimeMillis())
              .thenComparingLong(read -> Block.id(read.block))
              .reversed());
      for (int i = 0; i < max && !agreed.isEmpty(); i++) {
        Loaded loaded = finish(agreed.remove(0), key, Wanted.UNASKED, round);
        if (loaded.entry() != null) {
          entries.add(loaded.entry());
        }
      }
      whole = true;
      return entries;
    } finally {
      agreed.forEach(this::letGo);
      if (!whole) {
        entries.forEach(Entry::release);
      }
    }
  }

  /** The entry of {@code stored} in {@code round}; null if it has to be loaded. */
  private @Nullable Loaded again(
      IndexedResponse stored, Fields request, Wanted wanted, LoadRound round) {
    LoadRound.Held held = round.find(stored);
    if (held == null) {
      return null;
    }
    Entry entry = held.entry();
    if (entry.select(request) == null) {
      return Loaded.none(LoadOutcome.ABSENT);
    }
    long end = entry.meta().contentEnd();
    boolean resident = entry.storedLength() == 0 || entry.isResident(end - 1);
    if (wanted != Wanted.HEAD
        && (entry.isHeadOnly()
            || (!resident && !held.whole() && wants(entry, catalogue.hits(stored) + 1)))) {
      return null;
    }
    boolean alive = entry.tryRetain();
    assert alive : "held without reference";
    count(held.inRecord(), stored, wanted);
    int hits = hits(stored, wanted);
    mayGoToMemory(stored, entry, hits);
    return new Loaded(entry, LoadOutcome.FOUND, hits);
  }

  /** Whether memory wants the response being loaded, as the requester may offer it there. */
  private boolean mayGoToMemory(IndexedResponse stored, Entry entry, int hits) {
    boolean wants = wants(entry, hits);
    if (wants) {
      catalogue.wentToMemory(stored.high(), stored.low());
    }
    return wants;
  }

  /** Memory wants no part, because a part would hide others. */
  private boolean wants(Entry entry, int hits) {
    return entry.meta().part() == null && memory.wants(entry.contentLength(), hits);
  }

  /** The head of {@code stored} from its record; null if the record lacks it. */
  private @Nullable Loaded head(
      IndexedResponse stored, CacheKey key, @Nullable Fields request, LoadRound round)
      throws IOException {
    ByteBuf block = records.head(stored);
    if (block == null) {
      return null;
    }
    try {
      StoredMeta meta = selected(block, key, request);
      if (meta == null) {
        return Loaded.none(LoadOutcome.ABSENT);
      }
      int charge = SizeClass.packed(FirstBlock.fieldsLength(block));
      if (!transit.tryReserve(charge)) {
        return Loaded.none(LoadOutcome.BUSY);
      }
      ByteBuf fields = null;
      try {
        fields = blocks.buffer(FirstBlock.fieldsLength(block));
      } finally {
        if (fields == null) {
          transit.release(charge);
        }
      }
      fields.writeBytes(block, FirstBlock.fieldsStart(block), FirstBlock.fieldsLength(block));
      Entry entry = Entry.loadedHead(key, meta, fields, charge, transit);
      entry.diskId(Block.id(block));
      int hits = hits(stored, Wanted.HEAD);
      count(true, stored, Wanted.HEAD);
      round.keep(stored, entry, true, false);
      return new Loaded(entry, LoadOutcome.FOUND, hits);
    } finally {
      block.release();
    }
  }

  /**
   * Hits including this one, if it counts as one: a request counts once, however often it loads.
   */
  private int hits(IndexedResponse stored, Wanted wanted) {
    return isFirst(wanted) ? catalogue.hit(stored) : catalogue.hits(stored);
  }

  private static boolean isFirst(Wanted wanted) {
    return wanted == Wanted.CONTENT || wanted == Wanted.HEAD;
  }

  private void count(boolean inRecord, IndexedResponse stored, Wanted wanted) {
    if (!isFirst(wanted)) {
      return;
    }
    counters.hits.increment();
    if (inRecord) {
      counters.recordHits.increment();
    } else if (stored.pieces() == null) {
      counters.singleReads.increment();
    }
  }

  /**
   * Looks at all variants under {@code key}, and selects as {@link #load} does: none is counted as
   * requested, none dropped.
   *
   * @param request null: selects none
   */
  public Peeked peek(CacheKey key, @Nullable Fields request) throws IOException {
    Looks looks = new Looks(catalogue, blocks, transit, key, request);
    looks.readAll(catalogue.variants(secret.hash().of(key, null).high()));
    return looks.peeked();
  }

  /** Returns owned; null if it is damaged, or the disk cannot read it. */
  private @Nullable ByteBuf readFirst(IndexedResponse stored) {
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

  /** The meta of {@code block}, borrowed; null if it is of another key or variant. */
  private static @Nullable StoredMeta selected(
      ByteBuf block, CacheKey key, @Nullable Fields request) {
    if (!FirstBlock.isOf(key, block)) {
      return null;
    }
    StoredMeta meta = FirstBlock.meta(block);
    boolean matches = request == null || meta.vary() == null || meta.vary().matches(request);
    return matches ? meta : null;
  }

  /** Takes the block of {@code read}. The result has no entry if its content is not available. */
  private Loaded entry(Read read, CacheKey key, Wanted wanted, int hits) {
    ByteBuf block = read.block;
    boolean kept = false;
    try {
      Layout layout = Layout.of(block);
      if (layout.pieces() != FirstBlock.pieces(block)
          || (layout.pieces() > 0) != (read.stored.pieces() != null)) {
        return Loaded.none(
            pieces.dropDamaged(read.stored) ? LoadOutcome.DAMAGED : LoadOutcome.ABSENT);
      }
      ByteBuf first =
          block.slice(
              FirstBlock.fieldsStart(block),
              FirstBlock.fieldsLength(block) + layout.firstContent());
      // memory may have changed its decision since, and an event loop does not wait for further
      // blocks
      boolean whole =
          wanted != Wanted.UNASKED
              && read.source != Source.NOW
              && read.meta.part() == null
              && memory.wants(layout.contentLength(), hits);
      Loaded made = entry(read, layout, key, first, whole);
      Entry loaded = made.entry();
      kept = loaded != null;
      if (loaded != null) {
        loaded.diskId(Block.id(block));
        if (read.source == Source.DISK && (wanted == Wanted.HEAD || StoredHead.isTiny(block))) {
          records.offer(read.stored, block, threads);
        }
      }
      return made;
    } finally {
      if (!kept) {
        block.release();
      }
    }
  }

  /** Takes {@code first}, a slice of the block of {@code read}, and the block with it, if FOUND. */
  private Loaded entry(Read read, Layout layout, CacheKey key, ByteBuf first, boolean whole) {
    IndexedResponse stored = read.stored;
    long id = Block.id(read.block);
    int fieldsLength = FirstBlock.fieldsLength(read.block);
    int length = first.capacity();
    if (layout.pieces() == 0) {
      return found(
          Entry.loaded(key, read.meta, first, read.charge, fieldsLength, length, null, transit));
    }
    if (!catalogue.beginReading(stored)) {
      return Loaded.none(LoadOutcome.ABSENT);
    }
    boolean handedOn = false;
    try {
      if (whole) {
        ContentAssembly all =
            new ContentAssembly(pieces, blocks, layout.contentLength() - layout.firstContent());
        if (all.fill(stored, layout, id)) {
          return found(
              Entry.loaded(
                  key,
                  read.meta,
                  first,
                  read.charge,
                  fieldsLength,
                  length,
                  all.blocks(),
                  all.lastLength(),
                  transit));
        }
        if (!catalogue.isStill(stored)) {
          return Loaded.none(LoadOutcome.DAMAGED); // a piece of it
        }
      }
      FurtherContent rest = new DiskContent(stored, layout, id, pieces);
      handedOn = true;
      return found(
          Entry.loaded(key, read.meta, first, read.charge, fieldsLength, length, rest, transit));
    } finally {
      if (!handedOn) {
        catalogue.endReading(stored);
      }
    }
  }

  private static Loaded found(Entry entry) {
    return new Loaded(entry, LoadOutcome.FOUND, 0);
  }
}

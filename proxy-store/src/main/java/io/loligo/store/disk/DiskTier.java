package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.write.Write;
import io.loligo.store.inflight.Spool;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.FileStore;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All directories on disk. Thread-safe: any thread; nothing here blocks but {@link #claim}, {@link
 * #prepare} and {@link #close}.
 *
 * <p>An object is in one directory: that of its older version, else the one with the largest share
 * of free space. Among full directories the key draws one, a directory of twice the size twice as
 * often, so that objects stay equally long in each, and a key that returns is known to the
 * admission there. If a directory was away for a while, two may have the object: then the newest is
 * found, and the older one is dropped. A response that is being removed is not found from the call
 * on; {@link Roll} covers directories that do not hear of the removal.
 */
public final class DiskTier implements AutoCloseable {
  /** Told the result of a load, on a disk thread. */
  public interface LoadListener {
    /**
     * Takes {@code entry}, null unless FOUND.
     *
     * @param hits times it was loaded since it was written
     */
    void loaded(
        @Nullable Entry entry, LoadOutcome outcome, int hits, long queueNanos, long readNanos);
  }

  /** The questions of the disk to memory. */
  public interface MemoryView {
    /** Whether it holds {@code key} and was asked for it. */
    boolean serves(CacheKey key);

    /**
     * Whether it wants a copy of a response that was just requested.
     *
     * @param contentLength bytes of content
     * @param hits requests for it at the disk, this one included
     */
    boolean wants(long contentLength, int hits);

    /** Whether it holds {@code entry}, borrowed. */
    boolean holds(Entry entry);

    /** {@code entry}, borrowed, is on disk now. Returns whether memory keeps it. */
    boolean written(Entry entry);

    /**
     * The response stored under {@code key} with the selection {@code vary} is older than the one
     * that arrived.
     */
    void superseded(CacheKey key, @Nullable VarySelection vary);

    /** Whether anybody wants to hear of {@link #found}. */
    default boolean watches() {
      return false;
    }

    /** A response is stored on disk: it was read again to verify it. On a disk thread. */
    default void found(CacheKey key, StoredMeta meta) {}

    /** Everything stored in {@code directory} was told to {@link #found} once more. */
    default void wentRound(String directory) {}

    /** A part came to disk under {@code key}: a part in memory would hide it. */
    default void partStored(CacheKey key) {}

    /**
     * An earlier process has, or may have, left a response under another key of a URL than its own.
     * Called while directories are being opened.
     *
     * @param pathHash of the URL; empty: any
     */
    void alternativeLeft(OptionalInt pathHash);
  }

  private final Directories directories;
  private final Surroundings around;
  private final MemoryView memory;
  private final PendingChanges pending = new PendingChanges();
  private final TierSearch search;
  private final Roll roll;
  private final TierRemovals removals;
  private volatile boolean onSecondRequest;
  private Runnable whenOpened = () -> {};
  private @Nullable Purges purges;
  private volatile boolean closed;

  /** What a directory needs of the process. */
  private record Surroundings(
      AtomicLong ids,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      MemoryView memory,
      Medium medium) {
    DiskDirectory claim(CacheDir dir, DiskSettings disk) throws IOException {
      return DiskDirectory.claim(dir, disk, ids, allocator, transit, memory, medium);
    }
  }

  private DiskTier(
      List<DiskDirectory> claimed, Roll roll, Surroundings around, boolean onSecondRequest) {
    this.onSecondRequest = onSecondRequest;
    this.around = around;
    this.memory = around.memory;
    this.roll = roll;
    this.directories = new Directories(claimed);
    this.search = new TierSearch(directories, pending);
    this.removals = new TierRemovals(directories, pending, roll);
  }

  /**
   * Claims all directories of {@code disk}, to be {@linkplain #open opened} later.
   *
   * @throws IOException one cannot be claimed; names it and the remedy
   */
  public static DiskTier claim(
      DiskSettings disk, ByteBufAllocator allocator, MemoryLedger transit, MemoryView memory)
      throws IOException {
    return claim(disk, allocator, transit, memory, SystemMedium.SYSTEM);
  }

  /** The same on {@code medium}. */
  public static DiskTier claim(
      DiskSettings disk,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      MemoryView memory,
      Medium medium)
      throws IOException {
    List<DiskDirectory> claimed = new ArrayList<>();
    Surroundings around = new Surroundings(new AtomicLong(), allocator, transit, memory, medium);
    Roll roll;
    try {
      for (CacheDir dir : disk.dirs()) {
        claimed.add(around.claim(dir, disk));
        checkSpace(claimed);
      }
      for (DiskDirectory directory : claimed) {
        directory.fit();
      }
      roll = Roll.call(List.copyOf(claimed), medium);
    } catch (IOException e) {
      claimed.forEach(DiskDirectory::close);
      throw e;
    }
    DiskTier tier = new DiskTier(claimed, roll, around, disk.onSecondRequest());
    claimed.forEach(tier::watch);
    return tier;
  }

  private void watch(DiskDirectory directory) {
    directory.whenOff(() -> removals.left(directory));
    directory.whenBack(() -> returned(directory));
  }

  /**
   * Prepares to use the directories of {@code wanted} instead of the present ones: claims the new
   * ones, and blocks meanwhile. To be committed or closed, by the same thread.
   *
   * @throws IOException one cannot be claimed; names it and the remedy. Nothing has changed then
   */
  public DirectoryChange prepare(DiskSettings wanted) throws IOException {
    return DirectoryChange.prepare(this, wanted, DirectoryChange.DRAIN_NANOS);
  }

  /** The directories in use. */
  Directories directories() {
    return directories;
  }

  /** Claims {@code dir}, to {@link #join} later. */
  DiskDirectory claim(CacheDir dir, DiskSettings disk) throws IOException {
    return around.claim(dir, disk);
  }

  /** Other settings of the tier. */
  void use(DiskSettings wanted) {
    onSecondRequest = wanted.onSecondRequest();
  }

  /**
   * Uses {@code directory}, claimed before, from now on, and opens it in the background.
   *
   * @param former the {@linkplain #pause paused} one in the same folder, closed by now; null: none
   * @return completes when it is ready, or off
   * @throws IOException it cannot be used
   */
  CompletableFuture<Void> join(DiskDirectory directory, @Nullable DiskDirectory former)
      throws IOException {
    if (closed) {
      throw new IOException("the store is closed");
    }
    directory.behind(true); // until the roll knows
    watch(directory);
    directory.whenReady(whenOpened);
    // first: it hears of each removal that the roll no longer counts
    directories.add(directory, former);
    try {
      if (former == null) {
        roll.join(directory);
      } else {
        directory.replace(former);
        roll.replace(former, directory);
      }
    } catch (IOException | RuntimeException e) {
      directories.remove(directory);
      throw e;
    }
    directory.waitForContentOnly();
    Purges known = purges;
    if (known != null) {
      directory.loadInto(known);
    }
    return directory.open();
  }

  /** Nothing is asked of {@code directory} any more; calls in progress go on. */
  void leave(DiskDirectory directory) {
    roll.leave(directory);
    directories.remove(directory);
  }

  /**
   * The same, but {@code directory} hears of removals, and misses them once it is closed, until
   * another one {@linkplain #join replaces} it or it is {@linkplain #abandon abandoned}.
   */
  void pause(DiskDirectory directory) {
    roll.pause(directory);
    directories.pause(directory);
  }

  /** No other directory can replace {@code paused}, which is closed. */
  void abandon(DiskDirectory paused) {
    leave(paused);
    if (paused.removals().missedAny()) {
      removals.abandoned(paused);
    }
  }

  /** No directory in use is another process's any more. */
  void takeBack() {
    roll.takeBack();
  }

  /** Whether the last of {@code claimed} has room beside the others on the same file system. */
  static void checkSpace(List<DiskDirectory> claimed) throws IOException {
    DiskDirectory last = claimed.get(claimed.size() - 1);
    FileStore on = last.claim().missing().on();
    long wanted = 0;
    for (DiskDirectory directory : claimed) {
      DirectoryClaim.Missing missing = directory.claim().missing();
      wanted += missing.on().equals(on) ? missing.bytes() : 0;
    }
    if (wanted > on.getUsableSpace()) {
      throw last.claim()
          .refusal(
              "no space: "
                  + (wanted >> 20)
                  + " MB wanted with those before it on the same file system, "
                  + (on.getUsableSpace() >> 20)
                  + " MB there: free some, or make them smaller",
              null);
    }
  }

  /** Begins to open all directories, in the background. Call once. */
  public void open() {
    directories.all().forEach(DiskDirectory::open);
  }

  private void returned(DiskDirectory directory) {
    directory.behind(directories.all().size() > 1);
    roll.returned(directory);
  }

  /** A hint; see {@link DiskDirectory#mayHold}. */
  public boolean mayHold(KeyProbe key) {
    return search.mayHold(key);
  }

  /** See {@link #mayHold(KeyProbe)}. */
  public boolean mayHold(CacheKey key) {
    return search.mayHold(key);
  }

  /**
   * Nothing is found under {@code key}, nor written late, until {@link #reveal}: for a removal here
   * and in memory. Call it before anything is removed.
   */
  public void hide(CacheKey key) {
    pending.hide(key);
  }

  /** Ends one {@link #hide}. */
  public void reveal(CacheKey key) {
    pending.reveal(key);
  }

  /** The same for everything. */
  public void hideAll() {
    pending.hideAll(1);
  }

  /** Ends one {@link #hideAll}. */
  public void revealAll() {
    pending.revealAll();
  }

  /** A number for {@link #isAsOf}, to be asked for before a load. */
  public long asOf(CacheKey key) {
    return pending.asOf(key);
  }

  /**
   * Whether nothing under {@code key} was removed or written since {@link #asOf} gave {@code
   * number}, or is about to be; now and then false although nothing was. A later removal removes it
   * from memory after this.
   */
  public boolean isAsOf(CacheKey key, long number) {
    return pending.isAsOf(key, number);
  }

  /**
   * Runs {@code then} each time a directory has been opened; on a disk thread.
   *
   * @return completes when it has run for the present ones: they are ready, or off; it runs again
   *     each time one is opened again, or a new one is opened
   */
  public CompletableFuture<Void> whenOpened(Runnable then) {
    whenOpened = then;
    return CompletableFuture.allOf(
        directories.all().stream()
            .map(
                directory -> {
                  directory.whenReady(then);
                  return directory.opened();
                })
            .toArray(CompletableFuture[]::new));
  }

  /**
   * The result of {@link #loadNow}.
   *
   * @param entry owned by the caller; null unless FOUND
   * @param hits times it was loaded since it was written
   */
  public record LoadedNow(@Nullable Entry entry, LoadOutcome outcome, int hits) {}

  /**
   * Does the same as {@link #load} if no wait for the disk is needed; else null. Any thread; never
   * blocks.
   */
  public @Nullable LoadedNow loadNow(CacheKey key, Fields request, Wanted wanted) {
    return search.loadNow(key, request, wanted);
  }

  /**
   * Loads the variant under {@code key} that {@code request} selects, for {@code loop}; {@code
   * then} is told on a disk thread or at once.
   */
  public void load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, LoadListener then) {
    search.load(key, request, wanted, loop, then);
  }

  /** Told the result of a {@link #peek}, on a disk thread or at once. */
  public interface PeekListener {
    /**
     * Takes the result.
     *
     * @param variants the newest of each directory first
     * @param selected the response that {@link #load} would return; null if there is none
     * @param load the outcome of such a load
     * @param all DAMAGED or BUSY if one of the variants could not be read
     */
    void peeked(
        List<Glimpse> variants, @Nullable Glimpse selected, LoadOutcome load, LoadOutcome all);
  }

  /**
   * Looks at all variants under {@code key}, and selects as {@link #load} does.
   *
   * @param request null: selects none
   */
  public void peek(CacheKey key, @Nullable Fields request, EventExecutor loop, PeekListener then) {
    search.peek(key, request, loop, then);
  }

  /**
   * Loads the newest variants under {@code key} that {@code which} accepts, whatever requests
   * select them; {@code then} takes them, {@code max} at most, on a disk thread or at once.
   */
  public void variants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    search.variants(key, which, max, loop, then);
  }

  /** Whether several responses are stored under {@code key}. On disk threads. */
  public boolean holdsSeveral(CacheKey key) {
    int count = 0;
    for (DiskDirectory directory : directories.all()) {
      count += directory.count(key);
    }
    return count > 1;
  }

  /** Whether some directory may take content of so many bytes; -1: unknown. */
  public boolean takes(long contentLength) {
    for (DiskDirectory directory : directories.all()) {
      if (directory.writes().takes(contentLength)) {
        return true;
      }
    }
    return false;
  }

  /**
   * A response with the selection {@code vary} will be written under {@code key}: call it before
   * memory shows the response.
   */
  public PendingWrite announce(CacheKey key, @Nullable VarySelection vary) {
    return announce(key, vary, false, false);
  }

  /** The same for the response of {@code meta}; a part replaces only parts. */
  public PendingWrite announceOf(CacheKey key, StoredMeta meta) {
    return announce(key, meta.vary(), meta.part() != null, false);
  }

  /**
   * A response on disk will get the head {@code meta}.
   *
   * @param quiet whether requests may find it with its present head meanwhile
   */
  public PendingWrite announceHead(CacheKey key, StoredMeta meta, boolean quiet) {
    return announce(key, meta.vary(), meta.part() != null, quiet);
  }

  private PendingWrite announce(
      CacheKey key, @Nullable VarySelection vary, boolean part, boolean quiet) {
    PendingWrite write = new PendingWrite(pending, key, vary, part, quiet, !isNone());
    if (write.isAnnounced()) {
      pending.add(write);
    }
    return write;
  }

  /** Writes {@code entry}, borrowed, all of it in memory, in the background. */
  public void write(Entry entry, PendingWrite announced) {
    write(entry, announced, false);
  }

  /**
   * Replaces the head of the response on disk of which {@code entry}, borrowed, is a copy. The new
   * head is that of {@code entry}; the content on disk stays.
   */
  public void freshen(Entry entry, PendingWrite announced) {
    write(entry, announced, true);
  }

  private void write(Entry entry, PendingWrite announced, boolean fresh) {
    if (isNone() || isOfOneRequest(entry.meta())) {
      return; // a packed entry makes meta and key anew each time
    }
    CacheKey key = entry.key();
    DiskDirectory directory = announced.isAnnounced() ? choose(key, entry.storedLength()) : null;
    if (directory == null) {
      if (!fresh) {
        supersede(key);
      }
      return;
    }
    entry.offerToDisk();
    pending.begin(announced);
    directory
        .writes()
        .write(
            entry,
            fresh,
            false,
            announced::isCancelled,
            outcome -> {
              if (outcome == Write.Ended.NOT_WRITTEN && !fresh) {
                supersede(key); // before the older one can be found again
              }
              announced.end();
              if (outcome == Write.Ended.WRITTEN) {
                written(directory, entry);
              }
            });
    if (directories.hearing().size() > 1 && entry.meta().part() == null) {
      removeElsewhere(key, entry.meta().vary(), directory);
    }
  }

  private void written(DiskDirectory directory, Entry entry) {
    if (memory.written(entry)) {
      directory.writes().wentToMemory(entry);
    }
  }

  /**
   * Writes {@code entry}, borrowed, all of it in memory, which arrived while no directory could
   * take it. Does nothing if a newer response is stored by now, or on its way.
   */
  public void writeLate(Entry entry) {
    CacheKey key = entry.key();
    DiskDirectory directory = choose(key, entry.contentLength());
    if (directory == null || pending.isChanging(key) || isOfOneRequest(entry.meta())) {
      return;
    }
    entry.offerToDisk();
    PendingWrite announced = announce(key, entry.meta().vary());
    directory
        .writes()
        .write(
            entry,
            false,
            true,
            () -> announced.isCancelled() || !memory.holds(entry),
            outcome -> {
              if (outcome == Write.Ended.WRITTEN) {
                if (memory.holds(entry) && !pending.isBeingRemoved(key)) {
                  written(directory, entry);
                } else {
                  // a removal came in between, and may have looked for writes before this one
                  supersede(key);
                }
              }
              announced.end();
            });
  }

  /** Whether some directory has time for {@link #writeLate}. */
  public boolean isCalm() {
    for (DiskDirectory directory : directories.all()) {
      if (directory.writes().isCalm()) {
        return true;
      }
    }
    return false;
  }

  /** Opens a spool to disk; see {@link io.loligo.store.inflight.Landing#spool}. */
  public @Nullable Spool spool(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      long contentLength,
      EventExecutor loop,
      Spool.Listener listener) {
    if (isOfOneRequest(meta)) {
      return null;
    }
    boolean part = meta.part() != null;
    DiskDirectory directory = choose(key, contentLength);
    Spool spool =
        directory == null
            ? null
            : directory
                .writes()
                .spool(
                    key,
                    meta,
                    fields,
                    contentLength,
                    loop,
                    listener,
                    part
                        ? () -> {}
                        : () -> {
                          supersede(key);
                          memory.superseded(key, meta.vary());
                        });
    if (part) {
      return spool;
    }
    if (spool == null) {
      hide(key);
      supersede(key);
      memory.superseded(key, meta.vary());
      reveal(key);
    } else if (directories.hearing().size() > 1) {
      removeElsewhere(key, meta.vary(), directory);
    }
    return spool;
  }

  /**
   * A response that does not vary replaces all variants; one with a selection leaves other
   * variants, which may be too large or small for {@code but}.
   */
  private void removeElsewhere(
      CacheKey key, @Nullable VarySelection vary, @Nullable DiskDirectory but) {
    for (DiskDirectory directory : directories.hearing()) {
      boolean away = directory.isOff() || directory.isClosed();
      boolean may = directory.isOpening() || away || directory.holds(key);
      if (directory != but && may) {
        directory.removals().removeOlder(key, vary);
      }
    }
  }

  /** Such a response is kept in memory only, because a client can make up any number of them. */
  private static boolean isOfOneRequest(StoredMeta meta) {
    return meta.vary() != null && meta.vary().isOfOneRequest();
  }

  private @Nullable DiskDirectory choose(CacheKey key, long contentLength) {
    DiskDirectory best = null;
    double bestRank = Double.NEGATIVE_INFINITY;
    List<DiskDirectory> all = directories.all();
    for (int i = 0; i < all.size(); i++) {
      DiskDirectory directory = all.get(i);
      if (!directory.writes().takes(contentLength)) {
        continue;
      }
      if (all.size() == 1 || directory.mayHold(key)) {
        return directory;
      }
      long slabBytes = directory.geometry().slabBytes();
      double rank =
          directory.isFull()
              ? draw(key, i, slabBytes)
              : 1 - (double) directory.storedBytes() / slabBytes;
      if (rank > bestRank) {
        best = directory;
        bestRank = rank;
      }
    }
    return best;
  }

  /**
   * A number below 0 for a key and a directory, always the same: it is the highest of several
   * directories as often as the directory's share of the total {@code weight} (weighted rendezvous
   * hashing).
   */
  private static double draw(CacheKey key, int directory, long weight) {
    SplittableRandom random =
        new SplittableRandom((long) directory << Integer.SIZE | (key.hashCode() & 0xffff_ffffL));
    return Math.log(1 - random.nextDouble()) / weight - Double.MIN_NORMAL;
  }

  /**
   * Drops all variants under {@code key}: none is found from now on. Once no killed process can
   * bring them back, {@code then} is told their number on a disk thread, or -1 if a disk did not
   * confirm.
   *
   * @param durably whether not even a power failure may bring them back: {@code then} waits for the
   *     disks
   */
  public void remove(CacheKey key, boolean durably, IntConsumer then) {
    removals.remove(key, durably, then);
  }

  /**
   * The same, durably, if a disk may have, or be about to have, anything under {@code key}; else
   * false, and {@code then} is not told. Call it between {@link #hide} and {@link #reveal}, after
   * memory has forgotten it: entries in memory may be on their way to disk.
   */
  public boolean forget(CacheKey key, IntConsumer then) {
    return removals.forget(key, then);
  }

  /**
   * Drops the responses stored under {@code key}, because clients have received a newer one. They
   * are not found from now on.
   */
  public void supersede(CacheKey key) {
    removals.supersede(key);
  }

  /** Whether requests wait for a directory that is being opened. */
  public boolean isAwaited() {
    return directories.all().stream().anyMatch(directory -> directory.reads().isAwaited());
  }

  /** Whether a response is written only when it is requested again. */
  public boolean isOnSecondRequest() {
    return onSecondRequest;
  }

  /** Whether there is no directory. */
  public boolean isNone() {
    return directories.hearing().isEmpty();
  }

  /** Tells {@code into} the purges noted before this start, and those of later directories. */
  public void loadInto(Purges into) {
    purges = into;
    removals.loadInto(into);
  }

  /**
   * Notes a purge in every directory; {@code then} is told whether all of them have it.
   *
   * @param durably whether not even a power failure may undo it: {@code then} waits for the disks
   */
  public void mark(
      Purges.Table table, long[] numbers, long millis, boolean durably, Consumer<Boolean> then) {
    removals.mark(table, numbers, millis, durably, then);
  }

  /** The same for a pattern, durably. */
  public void ban(Ban ban, Consumer<Boolean> then) {
    removals.ban(ban, then);
  }

  /** The same for a moment until which everything is validated before its next use. */
  public void validateUntil(long millis, Consumer<Boolean> then) {
    removals.validateUntil(millis, then);
  }

  /** Whether some directory has not yet been compared with {@code ban}. */
  public boolean isSweeping(Ban ban) {
    return directories.all().stream().anyMatch(directory -> directory.isSweeping(ban));
  }

  /** Pending writes to disk under such keys are cancelled. */
  public void cancelIf(Predicate<CacheKey> which) {
    pending.cancelIf(which);
  }

  /** Drops everything, in the background. Returns the number of responses. */
  public int clear() {
    return removals.clear();
  }

  /** The regular work of the directories. */
  public void tick() {
    directories.all().forEach(DiskDirectory::tick);
  }

  /** Numbers of each directory. */
  public List<DiskStats> stats() {
    return directories.all().stream().map(DiskDirectory::stats).toList();
  }

  /** Takes no further responses; everything else goes on. The first step of {@link #give}. */
  public void takeNoMore() {
    directories.all().forEach(DiskDirectory::takeNoMore);
  }

  /** Takes responses again in directories that were not given away after all. */
  public void takeAgain() {
    directories.all().forEach(DiskDirectory::takeAgain);
  }

  /** Responses that are still arriving on a disk, or being read from where they arrive. */
  public int arriving() {
    return directories.all().stream().mapToInt(DiskDirectory::arriving).sum();
  }

  /**
   * Releases all directories, so that another process may open them; see {@link
   * DiskDirectory#give}. A purge is not confirmed any more. Blocks; {@link #close} follows.
   *
   * @throws IOException one cannot be released in time
   */
  public void give() throws IOException {
    long deadlineNanos = System.nanoTime() + DiskDirectory.FLUSH_NANOS;
    roll.give();
    for (DiskDirectory directory : directories.all()) {
      directory.give(deadlineNanos);
    }
  }

  /** Closes all cleanly, at the same time. Blocks. */
  @Override
  public void close() {
    closed = true;
    directories.all().forEach(DiskDirectory::beginClose);
    long deadlineNanos = System.nanoTime() + DiskDirectory.FLUSH_NANOS;
    directories.all().forEach(directory -> directory.close(deadlineNanos));
  }
}

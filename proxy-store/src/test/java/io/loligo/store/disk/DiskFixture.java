package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A store with directories on disk, and a loop to ask from. */
public final class DiskFixture implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 30;

  /** The pause between two looks: the awaited work needs the core more than the next look. */
  private static final long PAUSE_NANOS = 20_000;

  public final StoreFixture store;
  final EventExecutor loop = new DefaultEventExecutor();
  final WatchedMedium medium;

  /** A loaded response, copied. */
  public record Found(LoadOutcome outcome, byte[] content, String fields) {}

  public DiskFixture(DiskSettings disk) throws IOException {
    this(16 << 20, disk);
  }

  public DiskFixture(long cacheBytes, DiskSettings disk) throws IOException {
    this(cacheBytes, disk, SlabFile::new);
  }

  /** With other slabs than the usual file. */
  DiskFixture(long cacheBytes, DiskSettings disk, Slab.Opener slabs) throws IOException {
    this(cacheBytes, disk, new SystemMedium(slabs));
  }

  /** On {@code other}, which has threads of its own. */
  DiskFixture(long cacheBytes, DiskSettings disk, Medium other) throws IOException {
    medium = new WatchedMedium(other);
    store =
        new StoreFixture(
            cacheBytes,
            (allocator, transit, memory) ->
                DiskTier.claim(disk, allocator, transit, memory, medium));
    store.store.opened().join();
  }

  /** Over a store of the caller's, closed with this. */
  public DiskFixture(StoreFixture store) {
    this(store, null);
  }

  /** The same on {@code medium}. */
  public DiskFixture(StoreFixture store, WatchedMedium medium) {
    this.store = store;
    this.medium = medium;
  }

  /** Stores and waits until it is on disk, or was not wanted there. */
  public void put(String url, byte[] bytes) {
    store.fill(url, bytes);
    settle();
  }

  /** Waits until nothing waits to be written, in buffers neither. */
  public void settle() {
    awaitIdle();
    store.store.tick();
    awaitIdle();
    store.store.tick(); // buffers are written when they have waited from one tick to the next
    awaitIdle();
    // a removal has ended when a later one has
    purge("http://nobody/");
    awaitIdle();
  }

  /** Waits until {@code what} is so. */
  public static void await(BooleanSupplier what) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!what.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Ticks until {@code what} is true: the progress per tick depends on the machine. */
  void tickUntil(BooleanSupplier what) {
    await(
        () -> {
          store.store.tick();
          awaitIdle();
          return what.getAsBoolean();
        });
  }

  /** Waits until no task of the disk waits or is being done. */
  private void awaitIdle() {
    if (medium != null) {
      medium.awaitIdle();
    } else {
      await(
          () ->
              store.store.diskStats().stream()
                  .noneMatch(stats -> stats.queuedBytes() > 0 || stats.queueDepth() > 0));
    }
  }

  /** Copies a directory, whether it is in use or not: as a killed process would leave it now. */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
      for (Path file : files) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** Of the first directory. */
  public DiskStats stats() {
    return store.store.diskStats().get(0);
  }

  /** Loads from disk, even if memory has a copy. */
  public Found load(String url) {
    return load(url, noFields());
  }

  Found load(String url, Fields request) {
    if (!store.store.mayLoad(probe(url))) {
      return new Found(LoadOutcome.ABSENT, null, null);
    }
    CompletableFuture<Found> found = new CompletableFuture<>();
    loop.execute(
        () ->
            store.store.load(
                key(url),
                request,
                Wanted.CONTENT,
                loop,
                (entry, report) -> {
                  if (entry == null) {
                    found.complete(new Found(report.outcome(), null, null));
                  } else {
                    collect(entry, new byte[(int) entry.contentLength()], 0, found);
                  }
                }));
    return get(found);
  }

  private void collect(Entry entry, byte[] bytes, int at, CompletableFuture<Found> found) {
    if (at == bytes.length) {
      byte[] fields = new byte[entry.fieldsLength()];
      entry.firstBlock().getBytes(0, fields);
      entry.release();
      found.complete(
          new Found(
              LoadOutcome.FOUND,
              bytes,
              new String(fields, java.nio.charset.StandardCharsets.ISO_8859_1)));
      return;
    }
    entry.read(
        at,
        64 << 10,
        loop,
        (ByteBuf content) -> {
          if (content == null) {
            entry.release();
            found.complete(new Found(LoadOutcome.DAMAGED, null, null));
            return;
          }
          int length = content.readableBytes();
          content.readBytes(bytes, at, length);
          content.release();
          collect(entry, bytes, at + length, found);
        });
  }

  public int purge(String url) {
    return get(purging(url));
  }

  /** How many there were, when the purge is confirmed; -1 where it cannot be. */
  public CompletableFuture<Integer> purging(String url) {
    CompletableFuture<Integer> count = new CompletableFuture<>();
    store.store.purge(
        new Purge.Url(key(url), false),
        loop,
        purged -> count.complete(purged.outcome() == Outcome.DONE ? purged.count() : -1));
    return count;
  }

  /** It is open, serves, stores, and finds newly stored responses. */
  void assertWorks() {
    DiskStats stats = stats();
    assertThat(stats.state()).as(stats.reason()).isEqualTo(DiskStats.State.READY);
    assertThat(stats.reason()).isEmpty();
    byte[] bytes = bytes(7777);
    store.fill("http://new/", bytes);
    assertThat(load("http://new/").content()).isEqualTo(bytes);
  }

  public static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    store.close();
  }
}

package io.loligo.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** A store over an allocator that counts, and the tools to fill it. */
public final class StoreFixture implements AutoCloseable {
  public static final long GAP = 64 << 10;
  public static final int STREAM_BUFFER = 64 << 10;

  // one for all tests, as its chunks outlive it; without thread caches, so that counts are exact
  private static final PooledByteBufAllocator ALLOCATOR =
      new PooledByteBufAllocator(true, 0, 1, 8192, 9, 0, 0, false);

  public final PooledByteBufAllocator allocator = ALLOCATOR;

  /** That of the store: as in the proxy, small responses are packed. */
  private final PackedAllocator packing = new PackedAllocator(ALLOCATOR);

  private final long activeBefore = active();
  public final MemoryLedger transit;
  public final TieredStore store;

  public StoreFixture() {
    this(16 << 20, 512 << 10, 16 << 20, Runnable::run);
  }

  public StoreFixture(long cacheBytes, long maxObject, long transitBytes, Executor maintenance) {
    transit = new MemoryLedger(transitBytes);
    try {
      store = store(packing, cacheBytes, maxObject, DiskSettings.NONE, transit, maintenance);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static TieredStore store(
      ByteBufAllocator allocator,
      long cacheBytes,
      long maxObject,
      DiskSettings disk,
      MemoryLedger transit,
      Executor maintenance)
      throws IOException {
    return new TieredStore(
        allocator,
        new MemorySettings(cacheBytes, maxObject, transit.limit(), STREAM_BUFFER, GAP),
        disk,
        transit,
        maintenance);
  }

  /** With directories; waits until they are ready, or off. */
  public StoreFixture(long cacheBytes, DiskSettings disk) throws IOException {
    transit = new MemoryLedger(32 << 20);
    store = store(packing, cacheBytes, 512 << 10, disk, transit, Runnable::run);
    store.open().join();
  }

  /** Without directories, on another clock. */
  public StoreFixture(LongSupplier clock) throws IOException {
    transit = new MemoryLedger(32 << 20);
    store =
        new TieredStore(
            packing,
            new MemorySettings(16 << 20, 512 << 10, transit.limit(), STREAM_BUFFER, GAP),
            DiskSettings.NONE,
            transit,
            Runnable::run,
            clock);
  }

  /** Claims directories for a test, in its own way. */
  public interface Disks {
    DiskTier claim(ByteBufAllocator allocator, MemoryLedger transit, DiskTier.MemoryView memory)
        throws IOException;
  }

  /** With the directories that {@code disks} claims; does not wait until they are ready. */
  public StoreFixture(long cacheBytes, Disks disks) throws IOException {
    transit = new MemoryLedger(32 << 20);
    store =
        new TieredStore(
            packing,
            new MemorySettings(cacheBytes, 512 << 10, transit.limit(), STREAM_BUFFER, GAP),
            memory -> disks.claim(packing, transit, memory),
            transit,
            Runnable::run,
            System::currentTimeMillis);
    store.open();
  }

  /** A cache_dir of {@code bytes} at {@code path}. */
  public static CacheDir dir(Path path, long bytes) {
    return new CacheDir("rock", path.toString(), bytes, 0, -1, false, "test.conf:1");
  }

  /** Directories with the usual settings, and patience. */
  public static DiskSettings disk(CacheDir... dirs) {
    return DiskSettings.with(List.of(dirs)).loadTimeoutMillis(0).build();
  }

  public static KeyProbe probe(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return new KeyProbe().append(bytes, 0, bytes.length).seal();
  }

  public static CacheKey key(String text) {
    return probe(text).toKey();
  }

  public static StoredMeta meta() {
    return StoredMeta.builder(200).lifetimeSeconds(60).build();
  }

  public static Fields noFields() {
    return new Fields(1);
  }

  public static ResponseHead head() {
    ResponseHead head = new ResponseHead();
    head.clear(new byte[0]);
    head.statusLine(11, 200, 0, 0);
    return head;
  }

  /** Bytes that differ from place to place. */
  public static byte[] bytes(int count) {
    return RandomBytes.of(count, count);
  }

  /** A buffer of exactly {@code bytes[from, to)}. Returns owned. */
  public ByteBuf buffer(byte[] bytes, int from, int to) {
    return allocator.directBuffer(to - from).writeBytes(bytes, from, to - from);
  }

  public ByteBuf buffer(byte[] bytes) {
    return buffer(bytes, 0, bytes.length);
  }

  public ByteBuf fields(String lines) {
    return buffer(lines.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Stores {@code bytes} under {@code url} by a fetch on a loop of its own; its entry, owned. */
  public Entry put(String url, byte[] bytes) {
    return put(url, meta(), bytes);
  }

  public Entry put(String url, StoredMeta meta, byte[] bytes) {
    return put(url, meta, "A: b\r\n", bytes);
  }

  /** The same with field lines of its own, each with its CRLF. */
  public Entry put(String url, StoredMeta meta, String lines, byte[] bytes) {
    fetch(url, meta, lines, bytes, new SilentWriter());
    return store.find(probe(url), noFields());
  }

  /** The same as the answer to a request with the fields {@code request}; nothing to release. */
  public void fillFor(String url, Fields request, StoredMeta meta, byte[] bytes) {
    SilentWriter writer =
        new SilentWriter() {
          @Override
          public Fields answered() {
            return request;
          }
        };
    fetch(url, meta, "A: b\r\n", bytes, writer);
  }

  private void fetch(
      String url, StoredMeta meta, String lines, byte[] bytes, InFlight.Writer writer) {
    ManualLoops loops = new ManualLoops();
    ManualLoops.Loop loop = loops.add();
    loop.call(
        () -> {
          InFlight flight = store.begin(key(url), true, loop, writer);
          flight.head(head(), meta, true, fields(lines + "\r\n"), bytes.length);
          flight.content(buffer(bytes));
          flight.end(null);
        });
  }

  /** The same, without anything to release. */
  public void fill(String url, byte[] bytes) {
    fill(url, meta(), bytes);
  }

  public void fill(String url, StoredMeta meta, byte[] bytes) {
    Entry entry = put(url, meta, bytes);
    if (entry != null) {
      entry.release();
    }
  }

  /** All bytes of content of {@code entry}, borrowed. */
  public static byte[] content(Entry entry) {
    byte[] bytes = new byte[(int) entry.contentLength()];
    int at = 0;
    while (at < bytes.length) {
      ByteBuf slice = entry.retainedContent(at, Integer.MAX_VALUE);
      int length = slice.readableBytes();
      slice.readBytes(bytes, at, length);
      slice.release();
      at += length;
    }
    return bytes;
  }

  /** Buffers of the allocator that are not released. */
  public long activeBuffers() {
    return active() - activeBefore;
  }

  private static long active() {
    return ALLOCATOR.metric().directArenas().stream()
        .mapToLong(PoolArenaMetric::numActiveAllocations)
        .sum();
  }

  /** Closes the store; nothing of its memory may be left, nor be in a ledger. */
  @Override
  public void close() {
    store.close();
    assertThat(activeBuffers()).as("buffers not released").isZero();
    assertThat(store.stats().memoryBytes()).as("ledger of the tier").isZero();
    assertThat(transit.used()).as("ledger of transit").isZero();
    assertThat(store.stats().inFlight()).as("fetches").isZero();
    assertThat(store.stats().entries()).as("entries").isZero();
  }

  /** Reads on without being told. */
  public static class SilentWriter implements InFlight.Writer {
    public int resumed;
    public int deserted;

    @Override
    public void resume() {
      resumed++;
    }

    @Override
    public void deserted() {
      deserted++;
    }
  }
}

package io.loligo.bench.capacity;

import io.loligo.bench.micro.NoWriter;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * Responses with different URLs and entity tags, and stores without disks that take them. Confined
 * to one thread.
 */
final class SmallResponses {
  private static final long TRANSIT_BYTES = 16 << 20;
  private static final String FIELDS =
      "Content-Type: text/html; charset=utf-8\r\nCache-Control: max-age=86400\r\n"
          + "Last-Modified: Fri, 27 Nov 2026 10:00:00 GMT\r\n\r\n";

  private final int contentBytes;
  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ResponseHead head = new ResponseHead();

  /**
   * @param contentBytes of each response
   */
  SmallResponses(int contentBytes) {
    this.contentBytes = contentBytes;
    head.clear(new byte[0]);
    head.statusLine(11, 200, 0, 0);
  }

  /**
   * A new store.
   *
   * @param bytes {@code cache_mem}
   * @param maintenance runs one task at a time
   */
  TieredStore store(long bytes, Executor maintenance) throws IOException {
    Stripes stripes = new Stripes(1);
    return new TieredStore(
        new PackedAllocator(allocator, stripes, bytes),
        new MemorySettings(bytes, 512 << 10, TRANSIT_BYTES, 64 << 10, 64 << 10),
        DiskSettings.NONE,
        new MemoryLedger(TRANSIT_BYTES, stripes),
        maintenance);
  }

  /** Stores {@code count} responses in {@code store}, from the one with number {@code first} on. */
  void fill(TieredStore store, int first, int count) {
    for (int i = first; i < first + count; i++) {
      InFlight fetch = store.begin(key(i), false, channel.eventLoop(), new NoWriter());
      assert fetch != null : "no memory";
      fetch.head(head, meta(i), true, text(FIELDS), contentBytes);
      fetch.content(allocator.directBuffer(contentBytes, contentBytes).writeZero(contentBytes));
      fetch.end(null);
      channel.runPendingTasks();
    }
  }

  private static CacheKey key(int number) {
    return Objects.requireNonNull(CacheKeys.of("http://origin.example/pictures/" + number));
  }

  private StoredMeta meta(int number) {
    long now = System.currentTimeMillis();
    return StoredMeta.builder(200)
        .requestTimeMillis(now)
        .responseTimeMillis(now)
        .dateMillis(now)
        .lastModifiedMillis(now)
        .lifetimeSeconds(86_400)
        .etag(("\"" + Integer.toHexString(number) + "-96\"").getBytes(StandardCharsets.US_ASCII))
        .contentLength(contentBytes)
        .build();
  }

  private ByteBuf text(String text) {
    return allocator.directBuffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Direct memory that the allocator has taken from the system, bytes. */
  long direct() {
    return allocator.metric().usedDirectMemory();
  }
}

package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The destination of complete responses: the tiers. Thread-safe: any event loop. */
public interface Landing {
  /** Whether a response of {@code bytes} could be stored at all. */
  boolean accepts(long bytes);

  /**
   * Stores a complete response. Borrows the buffers, see {@link
   * io.loligo.store.memory.MemoryTier#add}, and {@code request}. Returns the entry owned, or null
   * if it is not stored.
   */
  @Nullable Entry add(
      CacheKey key,
      StoredMeta meta,
      @Nullable Fields request,
      ByteBuf first,
      int fieldsLength,
      int firstLength,
      ByteBuf[] rest,
      int lastLength,
      BooleanSupplier mayStore);

  /**
   * Opens a spool to disk for a response that memory will not hold. Borrows {@code fields} (copies
   * what it keeps). Null if no tier on disk takes it.
   *
   * @param contentLength -1 if unknown
   * @param loop the writer's
   */
  @Nullable Spool spool(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      long contentLength,
      EventExecutor loop,
      Spool.Listener listener);

  /** A response that was to be stored is not, for lack of room. */
  void rejected();
}

package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.VarySelection;
import io.loligo.store.memory.Entry;
import java.util.OptionalInt;

/** A view of memory that asks another one; subclasses change single answers. Thread-safe. */
public abstract class ForwardingMemoryView implements DiskTier.MemoryView {
  private final DiskTier.MemoryView memory;

  protected ForwardingMemoryView(DiskTier.MemoryView memory) {
    this.memory = memory;
  }

  @Override
  public boolean serves(CacheKey key) {
    return memory.serves(key);
  }

  @Override
  public boolean wants(long contentLength, int hits) {
    return memory.wants(contentLength, hits);
  }

  @Override
  public boolean holds(Entry entry) {
    return memory.holds(entry);
  }

  @Override
  public boolean written(Entry entry) {
    return memory.written(entry);
  }

  @Override
  public void superseded(CacheKey key, VarySelection vary) {
    memory.superseded(key, vary);
  }

  @Override
  public void partStored(CacheKey key) {
    memory.partStored(key);
  }

  @Override
  public void alternativeLeft(OptionalInt pathHash) {
    memory.alternativeLeft(pathHash);
  }
}

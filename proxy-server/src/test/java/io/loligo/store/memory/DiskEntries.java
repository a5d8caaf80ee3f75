package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;

/** Makes entries whose further content is anything, for tests. Stateless. */
public final class DiskEntries {
  private DiskEntries() {}

  /**
   * The same response as {@code whole}, borrowed, with only {@code first} in memory. Takes {@code
   * first}: its fields, empty line and first content; and {@code rest}, or null. Returns owned.
   */
  public static Entry of(Entry whole, ByteBuf first, FurtherContent rest) {
    MemoryLedger ledger = new MemoryLedger(Long.MAX_VALUE);
    ledger.force(SizeClass.packed(first.capacity()));
    return new Entry(
        whole.key(), whole.meta(), first, whole.fieldsLength(), first.writerIndex(), rest, ledger);
  }
}

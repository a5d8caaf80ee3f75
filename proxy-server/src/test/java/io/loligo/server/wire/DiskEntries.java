package io.loligo.server.wire;

import io.loligo.store.memory.Entry;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;

/** Makes entries whose further content is anything, for tests. Stateless. */
final class DiskEntries {
  private DiskEntries() {}

  /**
   * The same response as {@code whole}, borrowed, with only {@code first} in memory. Takes {@code
   * first}: its fields, empty line and first content; and {@code rest}, or null. Returns owned.
   */
  static Entry of(Entry whole, ByteBuf first, FurtherContent rest) {
    MemoryLedger ledger = new MemoryLedger(Long.MAX_VALUE);
    int charge = SizeClass.packed(first.capacity());
    ledger.force(charge);
    return Entry.loaded(
        whole.key(),
        whole.meta(),
        first,
        charge,
        whole.fieldsLength(),
        first.writerIndex(),
        rest,
        ledger);
  }
}

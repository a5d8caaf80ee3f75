package io.loligo.store.disk.read;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.range.JoinedParts;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A look at all variants under a key, which counts and drops nothing. It holds copies of heads, no
 * buffers. Confined to one disk thread.
 */
final class Looks extends Candidates<Looks.Seen> {
  /** A response that was looked at. */
  record Seen(int number, long id, StoredMeta meta) {}

  private final Catalogue catalogue;
  private final Blocks blocks;
  private final MemoryLedger transit;
  private final CacheKey key;
  private final @Nullable Fields request;
  private final List<Glimpse> seen = new ArrayList<>();
  private LoadOutcome worst = LoadOutcome.ABSENT;

  /**
   * @param request null: selects none
   */
  Looks(
      Catalogue catalogue,
      Blocks blocks,
      MemoryLedger transit,
      CacheKey key,
      @Nullable Fields request) {
    this.catalogue = catalogue;
    this.blocks = blocks;
    this.transit = transit;
    this.key = key;
    this.request = request;
  }

  @Override
  @Nullable Seen read(IndexedResponse variant) throws IOException {
    int charge = SizeClass.packed(variant.length());
    if (!transit.tryReserve(charge)) {
      failed(LoadOutcome.BUSY);
      return null;
    }
    ByteBuf block = null;
    try {
      block = blocks.readFirst(variant.place(), variant.length());
      if (block == null || !variant.isSame(block)) {
        failed(catalogue.isStill(variant) ? LoadOutcome.DAMAGED : LoadOutcome.ABSENT);
        return null;
      }
      return FirstBlock.isOf(key, block) ? seen(variant, block) : null;
    } finally {
      if (block != null) {
        block.release();
      }
      transit.release(charge);
    }
  }

  private @Nullable Seen seen(IndexedResponse variant, ByteBuf block) {
    StoredMeta meta = FirstBlock.meta(block);
    byte[] lines = new byte[FirstBlock.fieldsLength(block)];
    block.getBytes(FirstBlock.fieldsStart(block), lines);
    seen.add(new Glimpse(meta, lines, true, variant.length(), catalogue.hits(variant)));
    return request != null && meta.isSelectedBy(request)
        ? new Seen(seen.size() - 1, Block.id(block), meta)
        : null;
  }

  private void failed(LoadOutcome why) {
    worst = why.compareTo(worst) > 0 ? why : worst;
  }

  @Override
  StoredMeta meta(Seen read) {
    return read.meta;
  }

  @Override
  void letGo(Seen read) {}

  @Override
  void skip(IndexedResponse part) throws IOException {
    read(part);
  }

  /** The result, once everything is read. */
  Peeked peeked() {
    Glimpse selected = null;
    long id = 0;
    Seen whole = whole();
    if (whole != null) {
      selected = select(whole);
      id = whole.id;
    } else if (request != null && !parts().isEmpty()) {
      JoinedParts joined = joined(request);
      joined.used().forEach(number -> select(parts().get(number)));
      Seen newest = parts().get(joined.newest());
      selected = seen.get(newest.number).with(joined.meta());
      id = joined.used().size() == 1 ? newest.id : 0;
    }
    boolean any = !seen.isEmpty();
    seen.sort(
        Comparator.comparingLong((Glimpse one) -> one.meta().responseTimeMillis()).reversed());
    LoadOutcome all = worst == LoadOutcome.ABSENT && any ? LoadOutcome.FOUND : worst;
    return new Peeked(seen, selected, id, selected == null ? worst : LoadOutcome.FOUND, all);
  }

  private Glimpse select(Seen one) {
    Glimpse selected = seen.get(one.number).selected(true);
    seen.set(one.number, selected);
    return selected;
  }
}

package io.loligo.store.disk.write;

import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.index.Publication;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.Extent;
import io.loligo.store.disk.segment.Room;
import io.loligo.store.disk.space.Space;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes responses. A response of a single block goes into a buffer, on any thread; all others are
 * for disk threads. Thread-safe.
 */
public final class Writer {
  /** The outcome of a write. */
  public enum Outcome {
    WRITTEN,
    /** The admission refused it, or it fits nowhere. */
    REFUSED,
    /** No segment could be emptied for it. */
    NO_SPACE,
    /** It was cancelled. */
    CANCELLED
  }

  private final Catalogue catalogue;
  private final Blocks blocks;
  private final Space space;
  private final Geometry geometry;
  private final Secret secret;

  public Writer(Catalogue catalogue, Blocks blocks, Space space, Geometry geometry, Secret secret) {
    this.catalogue = catalogue;
    this.blocks = blocks;
    this.space = space;
    this.geometry = geometry;
    this.secret = secret;
  }

  /**
   * Writes {@code write} if that needs no wait: a complete response of one block for which there is
   * room. Null: a disk thread has to do it. Any thread.
   */
  public @Nullable Outcome writeNow(Write write) {
    if (write.fresh() || write.isLarge()) {
      return null;
    }
    if (write.cancelled().getAsBoolean()) {
      return Outcome.CANCELLED;
    }
    ByteBuf meta = meta(write.entry().meta());
    try {
      Layout layout = layout(write, meta);
      if (layout == null) {
        return Outcome.REFUSED;
      }
      if (layout.pieces() > 0) {
        return null;
      }
      StoredHash hash = hash(write);
      Lane lane = place(write, hash, layout, meta);
      if (lane == null) {
        return Outcome.REFUSED;
      }
      int length = length(write, layout, meta);
      Room room =
          catalogue
              .segments()
              .reserve(Block.aligned(length), Contents.ENTRY_BYTES, lane, false, false);
      if (room == null) {
        return null;
      }
      Outcome outcome = put(write, hash, meta, layout, Contents.NO_PIECES, room);
      return outcome == Outcome.NO_SPACE ? null : outcome;
    } finally {
      meta.release();
    }
  }

  /** Writes {@code write}; space is made for it. Disk threads. */
  public Outcome write(Write write) throws IOException {
    if (write.fresh()) {
      return freshen(write);
    }
    if (write.cancelled().getAsBoolean()) {
      return Outcome.CANCELLED;
    }
    List<Extent> extents = new ArrayList<>();
    ByteBuf meta = meta(write.entry().meta());
    try {
      Layout layout = layout(write, meta);
      if (layout == null) {
        return Outcome.REFUSED;
      }
      StoredHash hash = hash(write);
      Lane lane = place(write, hash, layout, meta);
      if (lane == null) {
        return Outcome.REFUSED;
      }
      long[] pieces = writePieces(write, layout, lane, extents);
      if (pieces == null) {
        return Outcome.NO_SPACE;
      }
      int length = length(write, layout, meta);
      Outcome outcome = Outcome.NO_SPACE;
      for (int round = 0; round < 2 && outcome == Outcome.NO_SPACE; round++) {
        Room room = round == 0 || space.makeSlots() ? reserve(length, pieces.length, lane) : null;
        if (room != null) {
          outcome = put(write, hash, meta, layout, pieces, room);
        }
      }
      return outcome;
    } finally {
      meta.release();
      for (Extent extent : extents) {
        catalogue.segments().unpin(extent.place());
      }
    }
  }

  private @Nullable Room reserve(int length, int pieces, Lane lane) throws IOException {
    return space.reserve(Block.aligned(length), Contents.entryBytes(pieces), lane);
  }

  private StoredHash hash(Write write) {
    return secret.hash().ofStored(write.entry().key(), write.entry().meta());
  }

  private @Nullable Layout layout(Write write, ByteBuf meta) {
    return Layout.of(write.entry().storedLength(), headBytes(write, meta), geometry);
  }

  private static int headBytes(Write write, ByteBuf meta) {
    return write.entry().key().length() + meta.readableBytes() + write.entry().fieldsLength();
  }

  private static int length(Write write, Layout layout, ByteBuf meta) {
    return FirstBlock.bytes(headBytes(write, meta), layout.pieces(), layout.firstContent());
  }

  /** Its lane, decided once however often it is tried; null: none. */
  private @Nullable Lane place(Write write, StoredHash hash, Layout layout, ByteBuf meta) {
    if (write.lane() == null) {
      long bytes = length(write, layout, meta) + layout.pieceBytes();
      write.lane(catalogue.place(hash.high(), bytes).lane());
    }
    return write.lane();
  }

  /** Fills {@code room} with the first block and publishes it; on failure nothing of it stays. */
  private Outcome put(
      Write write, StoredHash hash, ByteBuf meta, Layout layout, long[] pieces, Room room) {
    ByteBuf block = room.block();
    boolean published = false;
    try {
      Entry entry = write.entry();
      FirstBlock.begin(
          block,
          write.id(),
          hash.high(),
          hash.low(),
          entry.key(),
          meta,
          layout,
          pieces,
          entry.fields());
      copy(entry, 0, layout.firstContent(), block);
      Outcome outcome =
          publish(
              block,
              room,
              new Publication(block, room.place(), pieces, layout)
                  .alone(isAlone(entry.meta()))
                  .part(entry.meta().part() != null)
                  .onlyWhereAbsent(write.late())
                  .unless(write.cancelled()));
      published = outcome == Outcome.WRITTEN;
      return outcome;
    } finally {
      if (!published) {
        Block.strike(block);
      }
      catalogue.segments().done(room);
    }
  }

  private Outcome publish(ByteBuf block, Room room, Publication publication) {
    room.seal(block);
    return switch (catalogue.publish(publication)) {
      case DONE -> Outcome.WRITTEN;
      case NO_RECORD -> Outcome.NO_SPACE;
      case CANCELLED, MOVED -> Outcome.CANCELLED;
    };
  }

  private ByteBuf meta(StoredMeta meta) {
    ByteBuf bytes = blocks.buffer(StoredForm.metaBytes(meta));
    boolean written = false;
    try {
      StoredForm.writeMeta(meta, bytes);
      written = true;
      return bytes;
    } finally {
      if (!written) {
        bytes.release();
      }
    }
  }

  /** Null if there is no space. */
  private long @Nullable [] writePieces(Write write, Layout layout, Lane lane, List<Extent> extents)
      throws IOException {
    long[] pieces = new long[layout.pieces()];
    long number = 0;
    for (int i = 0; i < pieces.length; i++) {
      Extent extent = space.allocate(layout.bytesOf(i), lane);
      if (extent == null) {
        return null;
      }
      extents.add(extent);
      pieces[i] = extent.place();
      for (long end = number + layout.blocksOf(i); number < end; number++) {
        writeFurther(write, layout, number, layout.placeOf(number, pieces), extent);
      }
    }
    return pieces;
  }

  private void writeFurther(Write write, Layout layout, long number, long place, Extent extent)
      throws IOException {
    ByteBuf block = blocks.pageBuffer(Block.HEADER_BYTES + layout.contentOfBlock(number));
    try {
      Block.begin(block, Block.FURTHER, write.id(), (int) number + 1);
      copy(write.entry(), layout.startOf(number), layout.contentOfBlock(number), block);
      Block.seal(block, extent.lane().ordinal(), extent.generation());
      write.wrote(blocks.writePages(place, block));
    } finally {
      block.release();
    }
  }

  private static void copy(Entry entry, long from, int bytes, ByteBuf out) {
    long at = entry.meta().contentStart() + from;
    int left = bytes;
    while (left > 0) {
      ByteBuf content = entry.retainedContent(at, left);
      at += content.readableBytes();
      left -= content.readableBytes();
      out.writeBytes(content);
      content.release();
    }
  }

  /**
   * Writes {@code block}, borrowed, not sealed yet, the first of a response whose pieces are
   * written, and publishes it. Disk threads.
   */
  Outcome commit(
      ByteBuf block, Lane lane, long[] pieces, Layout layout, StoredMeta meta, BooleanSupplier not)
      throws IOException {
    boolean part = meta.part() != null;
    return commit(block, lane, new Terms(pieces, layout, isAlone(meta), part, null, not));
  }

  /** Whether no other variant stays beside it. */
  private static boolean isAlone(StoredMeta meta) {
    return meta.vary() == null && meta.part() == null;
  }

  /** The conditions for the publication of a complete first block; see {@link Publication}. */
  private record Terms(
      long[] pieces,
      Layout layout,
      boolean alone,
      boolean part,
      @Nullable IndexedResponse moved,
      BooleanSupplier not) {}

  private Outcome commit(ByteBuf block, Lane lane, Terms terms) throws IOException {
    Outcome outcome = Outcome.NO_SPACE;
    for (int round = 0; round < 2 && outcome == Outcome.NO_SPACE; round++) {
      Room room =
          round == 0 || space.makeSlots()
              ? reserve(block.writerIndex(), terms.pieces.length, lane)
              : null;
      if (room != null) {
        outcome = put(block, room, terms);
      }
    }
    return outcome;
  }

  private Outcome put(ByteBuf block, Room room, Terms terms) {
    ByteBuf copy = room.block();
    boolean published = false;
    try {
      copy.writeBytes(block, 0, block.writerIndex());
      Outcome outcome =
          publish(
              copy,
              room,
              new Publication(copy, room.place(), terms.pieces, terms.layout)
                  .alone(terms.alone)
                  .part(terms.part)
                  .moved(terms.moved)
                  .unless(terms.not));
      published = outcome == Outcome.WRITTEN;
      return outcome;
    } finally {
      if (!published) {
        Block.strike(copy);
      }
      catalogue.segments().done(room);
    }
  }

  /**
   * Gives response {@code diskId()} of an entry the head of that entry: a new first block over the
   * same pieces, its content read back. Does nothing if another response has replaced it.
   */
  private Outcome freshen(Write write) throws IOException {
    Entry fresh = write.entry();
    StoredHash hash = secret.hash().ofStored(fresh.key(), fresh.meta());
    for (IndexedResponse stored : catalogue.variants(hash.high())) {
      if (stored.low() == hash.low()) {
        return freshen(fresh, stored, write.cancelled());
      }
    }
    return Outcome.CANCELLED;
  }

  private Outcome freshen(Entry fresh, IndexedResponse stored, BooleanSupplier cancelled)
      throws IOException {
    ByteBuf old = blocks.tryReadFirst(stored.place(), stored.length());
    if (old == null) {
      return Outcome.CANCELLED;
    }
    ByteBuf meta = null;
    ByteBuf block = null;
    try {
      if (!stored.isSame(old) || Block.id(old) != fresh.diskId()) {
        return Outcome.CANCELLED;
      }
      meta = meta(fresh.meta());
      int first = FirstBlock.firstContent(old);
      int length =
          old.writerIndex()
              - FirstBlock.fieldsLength(old)
              - FirstBlock.metaLength(old)
              + fresh.fieldsLength()
              + meta.readableBytes();
      if (FirstBlock.contentLength(old) != fresh.storedLength() || length > Block.MAX_BYTES) {
        return Outcome.REFUSED;
      }
      block = blocks.buffer(length);
      Layout layout = Layout.of(old);
      FirstBlock.begin(
          block,
          Block.id(old),
          stored.high(),
          stored.low(),
          fresh.key(),
          meta,
          layout,
          FirstBlock.allPieces(old),
          fresh.fields());
      block.writeBytes(old, old.writerIndex() - first, first);
      return commit(
          block,
          Lane.values()[Block.lane(old)],
          new Terms(FirstBlock.allPieces(old), layout, false, false, stored, cancelled));
    } finally {
      old.release();
      if (meta != null) {
        meta.release();
      }
      if (block != null) {
        block.release();
      }
    }
  }
}

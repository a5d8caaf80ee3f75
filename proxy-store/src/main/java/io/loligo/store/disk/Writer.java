package io.loligo.store.disk;

import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.admission.DiskAdmission.Placement;
import io.loligo.store.admission.Lane;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Writes responses that are complete in memory. Thread-safe: disk threads. */
final class Writer {
  /** How a write ended. */
  enum Outcome {
    WRITTEN,
    /** The admission does not want it, or it fits nowhere. */
    REFUSED,
    /** Nothing could be emptied for it. */
    NO_SPACE,
    /** It is not wanted any more. */
    CANCELLED
  }

  private final Catalogue catalogue;
  private final Unsettled unsettled;
  private final Publisher publisher;
  private final Blocks blocks;
  private final Space space;
  private final Geometry geometry;
  private final Secret secret;

  Writer(
      Catalogue catalogue,
      Unsettled unsettled,
      Publisher publisher,
      Blocks blocks,
      Space space,
      Geometry geometry,
      Secret secret) {
    this.catalogue = catalogue;
    this.unsettled = unsettled;
    this.publisher = publisher;
    this.blocks = blocks;
    this.space = space;
    this.geometry = geometry;
    this.secret = secret;
  }

  /** Does {@code writes}, small ones together, and tells each what became of it. */
  void write(List<Write> writes) {
    long bytes = writes.stream().mapToLong(Write::blockBytes).sum();
    try (WriteGroup group = new WriteGroup(catalogue, unsettled, blocks, space, publisher, bytes)) {
      for (Write write : writes) {
        try {
          Outcome outcome = write.fresh() ? freshen(write) : write(write, group);
          if (outcome != null) {
            write.ended(outcome);
          }
        } catch (IOException | RuntimeException | Error e) {
          write.failed(e);
        }
      }
    }
  }

  /** Writes an entry that is all in memory; null: {@code group} does. */
  private Outcome write(Write write, WriteGroup group) throws IOException {
    if (write.cancelled().getAsBoolean()) {
      return Outcome.CANCELLED;
    }
    Entry entry = write.entry();
    ByteBuf meta = meta(entry.meta());
    List<Extent> extents = new ArrayList<>();
    try {
      int headBytes = entry.key().length() + meta.readableBytes() + entry.fieldsLength();
      Layout layout = Layout.of(entry.contentLength(), headBytes, geometry);
      if (layout == null) {
        return Outcome.REFUSED;
      }
      StoredHash hash = secret.hash().of(entry.key(), entry.meta().vary());
      int length = FirstBlock.bytes(headBytes, layout.pieces(), layout.firstContent());
      Placement placement = catalogue.place(hash.high(), length + layout.pieceBytes());
      Lane lane = placement.lane();
      if (lane == null) {
        return Outcome.REFUSED;
      }
      if (layout.pieces() == 0 && length <= WriteGroup.MAX_BLOCK_BYTES) {
        boolean added =
            group.add(
                write,
                lane,
                layout,
                length,
                block -> fill(block, write, hash, meta, Stored.NO_PIECES, layout));
        return added ? null : Outcome.NO_SPACE;
      }
      group.flush();
      long[] pieces = writePieces(entry, write.id(), layout, lane, extents);
      if (pieces == null) {
        return Outcome.NO_SPACE;
      }
      ByteBuf block = blocks.buffer(length);
      try {
        fill(block, write, hash, meta, pieces, layout);
        return commit(
            block, lane, pieces, layout, entry.meta(), write.late(), write.cancelled(), extents);
      } finally {
        block.release();
      }
    } finally {
      meta.release();
      for (Extent extent : extents) {
        catalogue.unpin(extent.place());
      }
    }
  }

  /** Makes {@code block} the first of {@code write}, unsealed. */
  private static void fill(
      ByteBuf block, Write write, StoredHash hash, ByteBuf meta, long[] pieces, Layout layout) {
    Entry entry = write.entry();
    FirstBlock.begin(
        block,
        write.id(),
        hash.high(),
        hash.low(),
        entry.key(),
        meta,
        entry.contentLength(),
        pieces,
        entry.firstBlock().slice(0, entry.fieldsLength()),
        layout.firstContent());
    copy(entry, 0, layout.firstContent(), block);
  }

  private ByteBuf meta(StoredMeta meta) {
    ByteBuf octets = blocks.buffer(StoredForm.metaBytes(meta));
    boolean written = false;
    try {
      StoredForm.writeMeta(meta, octets);
      written = true;
      return octets;
    } finally {
      if (!written) {
        octets.release();
      }
    }
  }

  /** Null where there is no space. */
  private long[] writePieces(Entry entry, long id, Layout layout, Lane lane, List<Extent> extents)
      throws IOException {
    long[] pieces = new long[layout.pieces()];
    long number = 0;
    for (int i = 0; i < pieces.length; i++) {
      Extent extent = space.allocate(layout.bytesOf(i), lane, 0);
      if (extent == null) {
        return null;
      }
      extents.add(extent);
      pieces[i] = extent.place();
      long end = number + (layout.contentOfPiece(i) - 1) / Block.FURTHER_CONTENT + 1;
      for (; number < end; number++) {
        writeFurther(entry, id, layout, number, layout.placeOf(number, pieces), extent);
      }
    }
    return pieces;
  }

  private void writeFurther(
      Entry entry, long id, Layout layout, long number, long place, Extent extent)
      throws IOException {
    ByteBuf block = blocks.buffer(Block.HEADER_BYTES + layout.contentOfBlock(number));
    try {
      Block.begin(block, Block.FURTHER, id, (int) number + 1);
      copy(entry, layout.startOf(number), layout.contentOfBlock(number), block);
      Block.seal(block, extent.lane().ordinal(), extent.generation());
      blocks.write(place, block);
    } finally {
      block.release();
    }
  }

  private static void copy(Entry entry, long from, int octets, ByteBuf out) {
    long at = from;
    int left = octets;
    while (left > 0) {
      ByteBuf content = entry.retainedContent(at, left);
      at += content.readableBytes();
      left -= content.readableBytes();
      out.writeBytes(content);
      content.release();
    }
  }

  /**
   * Seals and writes the first block, borrowed, and makes the object known; what it displaces is
   * struck out.
   */
  Outcome commit(
      ByteBuf block,
      Lane lane,
      long[] pieces,
      Layout layout,
      StoredMeta meta,
      boolean late,
      BooleanSupplier cancelled,
      List<Extent> extents)
      throws IOException {
    Extent extent = space.allocate(Block.aligned(block.writerIndex()), lane, 0);
    if (extent == null) {
      return Outcome.NO_SPACE;
    }
    extents.add(extent);
    Block.seal(block, extent.lane().ordinal(), extent.generation());
    return publisher.publish(
        new Publication(block, extent.place(), extent.lane(), pieces, layout)
            .alone(meta.vary() == null)
            .onlyWhereAbsent(late)
            .unless(cancelled));
  }

  /**
   * Gives object {@code diskId()} of an entry the head of that: a new first block over the same
   * pieces, its content read back from disk. Nothing changes where another object has taken its
   * place.
   */
  private Outcome freshen(Write write) throws IOException {
    Entry fresh = write.entry();
    StoredHash hash = secret.hash().of(fresh.key(), fresh.meta().vary());
    for (Stored stored : catalogue.pinAll(hash.high())) {
      try {
        if (stored.low() == hash.low()) {
          return freshen(fresh, stored, write.cancelled());
        }
      } finally {
        catalogue.unpin(stored);
      }
    }
    return Outcome.CANCELLED;
  }

  private Outcome freshen(Entry fresh, Stored stored, BooleanSupplier cancelled)
      throws IOException {
    ByteBuf old = blocks.tryReadFirst(stored.place(), stored.length());
    if (old == null) {
      return Outcome.CANCELLED;
    }
    ByteBuf meta = meta(fresh.meta());
    ByteBuf block = blocks.buffer(Block.MAX_BYTES);
    List<Extent> extents = new ArrayList<>();
    try {
      int first = FirstBlock.firstContent(old);
      int length =
          old.writerIndex()
              - FirstBlock.fieldsLength(old)
              - FirstBlock.metaLength(old)
              + fresh.fieldsLength()
              + meta.readableBytes();
      if (!stored.isSame(old) || Block.id(old) != fresh.diskId()) {
        return Outcome.CANCELLED;
      }
      if (FirstBlock.contentLength(old) != fresh.contentLength() || length > Block.MAX_BYTES) {
        return Outcome.REFUSED;
      }
      long[] pieces = FirstBlock.allPieces(old);
      ByteBuf fields = fresh.firstBlock().slice(0, fresh.fieldsLength());
      FirstBlock.begin(
          block,
          Block.id(old),
          stored.high(),
          stored.low(),
          fresh.key(),
          meta,
          fresh.contentLength(),
          pieces,
          fields,
          first);
      block.writeBytes(old, old.writerIndex() - first, first);
      Lane lane = Lane.values()[Block.lane(old)];
      Extent extent =
          space.allocate(Block.aligned(block.writerIndex()), lane, Block.generation(old));
      if (extent == null) {
        return Outcome.NO_SPACE;
      }
      extents.add(extent);
      Block.seal(block, extent.lane().ordinal(), extent.generation());
      return publisher.publish(
          new Publication(block, extent.place(), extent.lane(), pieces, Layout.of(old, geometry))
              .moved(stored)
              .unless(cancelled));
    } finally {
      for (Extent extent : extents) {
        catalogue.unpin(extent.place());
      }
      old.release();
      meta.release();
      block.release();
    }
  }
}

package io.loligo.store.disk.write;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredHash;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.admission.DiskAdmission.Placement;
import io.loligo.store.admission.Lane;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.disk.context.DirectoryCounters;
import io.loligo.store.disk.context.ReadFailures;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.Extent;
import io.loligo.store.disk.space.Space;
import io.loligo.store.inflight.Spool;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a response to disk while it arrives: further blocks as they fill, and at the end the first
 * one, which commits it. Its calls belong to the writer's event loop; disk threads do the work, one
 * task at a time.
 *
 * <p>The first content waits in memory for the end, and one further block is being filled: both are
 * entered in the ledger of transit from the start.
 */
public final class DiskSpool implements Spool {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpool.class);

  /** Bytes of memory reserved in the ledger of transit. */
  public static final int CHARGE = 2 * SizeClass.packed(Block.STRIDE);

  /** Bytes that may be pending for the disk. */
  private static final int CREDIT_BYTES = 4 * Block.MAX_BYTES;

  /** Pieces of an object of unknown length, at most. */
  private static final int MAX_PIECES = 2048;

  private final Catalogue catalogue;
  private final Blocks blocks;
  private final Space space;
  private final Writer writer;
  private final DiskThreads threads;
  private final MemoryLedger transit;
  private final DirectoryCounters counters;
  private final Medium medium;
  private final Consumer<Throwable> broken;
  private final ReadFailures failures;
  private final EventExecutor loop;
  private final Listener listener;
  private final Consumer<StoredMeta> complete;
  private final Runnable superseded;
  private final CacheKey key;
  private final Secret secret;
  private final long high;
  private final ByteBuf fields;
  private final long id;
  private final long announced;
  private final long maxBytes;
  private final Layout layout;

  private final Queue<ByteBuf> incoming = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();

  // used by the loop
  private long received;
  private boolean failureTold;

  // set by the loop before the task of a disk thread, which then moves it on
  private long busySinceNanos;

  // set by the loop, read by disk threads
  private volatile @Nullable StoredMeta ending;
  private volatile boolean closed;

  // used by one disk thread at a time
  private final List<Extent> extents = new ArrayList<>();
  private @Nullable Lane lane;
  private @Nullable ByteBuf current;
  private long blockCount;
  private long blockNanos;
  private long busyNanos;
  private boolean over;
  private boolean released;

  // written by disk threads, read by all
  private final ByteBuf first;
  private volatile long[] pieces = Contents.NO_PIECES;
  private volatile long length;
  private volatile boolean failed;
  private volatile boolean stored;

  /**
   * Borrows {@code fields}. {@link #CHARGE} is entered in {@code transit} already.
   *
   * @param complete given the meta of the stored response, on a disk thread
   * @param superseded called if it fails: clients have received a newer response than the stored
   *     one
   */
  public DiskSpool(
      DirectoryContext context,
      Writer writer,
      CacheKey key,
      ByteBuf fields,
      Bounds bounds,
      long id,
      EventExecutor loop,
      Listener listener,
      Consumer<StoredMeta> complete,
      Runnable superseded) {
    this.complete = complete;
    this.superseded = superseded;
    this.catalogue = context.catalogue();
    this.blocks = context.blocks();
    this.space = context.space();
    this.writer = writer;
    this.threads = context.threads();
    this.transit = context.transit();
    this.counters = context.counters();
    this.medium = context.medium();
    this.broken = context.broken();
    this.failures = context.failures();
    this.key = key;
    this.secret = context.secret();
    this.high = secret.hash().of(key, null).high();
    this.fields = blocks.buffer(fields.readableBytes());
    this.first = firstOr(bounds.layout().firstContent(), this.fields);
    this.fields.writeBytes(fields, fields.readerIndex(), fields.readableBytes());
    this.announced = bounds.announced();
    this.maxBytes = bounds.maxBytes();
    this.layout = bounds.layout();
    this.id = id;
    this.loop = loop;
    this.listener = listener;
    counters.inUse.begin();
    counters.spools.incrementAndGet();
    tell(
        () -> {
          if (!closed) {
            listener.credit(CREDIT_BYTES);
          }
        });
  }

  /** Owned; if there is no memory, {@code other}, owned too, is released. */
  private ByteBuf firstOr(int room, ByteBuf other) {
    try {
      return blocks.buffer(room);
    } catch (OutOfMemoryError e) {
      other.release();
      throw e;
    }
  }

  /**
   * The content that may arrive.
   *
   * @param layout of content of the announced length, or of any length if none was
   * @param maxBytes of content
   */
  public record Bounds(Layout layout, long maxBytes) {
    private static final long ANY_LENGTH = Long.MAX_VALUE;

    /**
     * Those of a response on a disk with {@code geometry}; null if it cannot be stored.
     *
     * @param announced bytes of content; -1: unknown
     */
    public static @Nullable Bounds of(long announced, int headBytes, Geometry geometry) {
      Layout layout;
      if (announced >= 0) {
        layout = Layout.of(announced, headBytes, geometry);
      } else {
        int pieces = MAX_PIECES * FirstBlock.PIECE_BYTES;
        int room = Block.MAX_BYTES - FirstBlock.FIXED_BYTES - headBytes - pieces;
        layout = room < 0 ? null : new Layout(ANY_LENGTH, room, geometry.unknownPieceBlocks());
      }
      return layout == null ? null : new Bounds(layout, geometry.maxContentBytes());
    }

    /** The same with no more than {@code bytes} of content; -1: no further limit. */
    public Bounds atMost(long bytes) {
      return bytes < 0 ? this : new Bounds(layout, Math.min(maxBytes, bytes));
    }

    /** Bytes of content that were announced; -1: unknown. */
    long announced() {
      return layout.contentLength() == ANY_LENGTH ? -1 : layout.contentLength();
    }
  }

  @Override
  public void content(ByteBuf content) {
    received += content.readableBytes();
    if (failed || received > maxBytes) {
      content.release();
      fail();
      return;
    }
    incoming.add(content.touch("DiskSpool"));
    schedule();
  }

  @Override
  public void end(StoredMeta meta) {
    ending = meta;
    schedule();
  }

  private void schedule() {
    if (work.getAndIncrement() != 0) {
      return;
    }
    busySinceNanos = medium.nanos();
    if (!threads.write(this::work, CREDIT_BYTES, true)) {
      counters.queueSkips.increment();
      fail();
      finishWork();
    }
  }

  /**
   * On the loop: no thread works on it, because it could not be queued; the final result is still
   * reported.
   */
  private void finishWork() {
    if (!threads.urgent(this::work)) {
      work();
    }
  }

  private void drop() {
    for (ByteBuf content = incoming.poll(); content != null; content = incoming.poll()) {
      content.release();
    }
  }

  @Override
  public void read(long offset, int max, FurtherContent.Listener then) {
    if (offset < layout.firstContent()) {
      int bytes = (int) Math.min(max, Math.min(received, layout.firstContent()) - offset);
      ByteBuf content = failed ? null : first.retainedSlice((int) offset, bytes);
      tell(() -> then.content(content));
    } else if (failed || !threads.read(() -> readNow(offset, max, then), loop)) {
      tell(() -> then.content(null));
    }
  }

  private void readNow(long offset, int max, FurtherContent.Listener then) {
    ByteBuf block = null;
    try {
      long number = layout.blockAt(offset);
      long end = length == 0 ? Long.MAX_VALUE : length;
      int content = (int) Math.min(Block.FURTHER_CONTENT, end - layout.startOf(number));
      counters.reads.increment();
      counters.readBytes.add(content);
      block = blocks.readFurther(layout.placeOf(number, pieces), content, id, (int) number + 1);
      failures.none();
      if (block != null) {
        block.skipBytes((int) (offset - layout.startOf(number)));
        block.writerIndex(block.readerIndex() + Math.min(max, block.readableBytes()));
      }
    } catch (IOException e) {
      failures.failed(e);
    } catch (OutOfMemoryError e) {
      transit.shortage().met(e, "a read from disk");
    } catch (RuntimeException | Error e) {
      LOG.warn("cannot read back {}; next: report this defect, with the trace", key, e);
    }
    ByteBuf content = block;
    if (!tell(() -> then.content(content)) && content != null) {
      content.release();
    }
  }

  @Override
  public void close() {
    closed = true;
    schedule();
  }

  // Disk threads, one at a time

  private void work() {
    int done = work.get();
    while (done != 0) {
      boolean last = closed;
      try {
        take();
      } catch (IOException | RuntimeException | Error e) {
        fail();
        if (e instanceof OutOfMemoryError noMemory) {
          transit.shortage().met(noMemory, "a write to disk");
        } else {
          broken.accept(e);
        }
      }
      if (last || (closed && loop.isShuttingDown())) {
        release();
      }
      busy();
      done = work.addAndGet(-done);
    }
  }

  /** Counts the time since the task was queued, or since the last call. */
  private void busy() {
    long now = medium.nanos();
    busyNanos += now - busySinceNanos;
    busySinceNanos = now;
  }

  private void take() throws IOException {
    long consumed = 0;
    for (ByteBuf content = incoming.poll(); content != null; content = incoming.poll()) {
      consumed += content.readableBytes();
      try {
        if (!failed) {
          append(content);
        }
      } finally {
        content.release();
      }
    }
    if (failed || closed) {
      return;
    }
    long credit = consumed;
    long readable = first.writerIndex() + blockCount * Block.FURTHER_CONTENT;
    if (credit > 0) {
      tell(
          () -> {
            if (!closed && !failed) {
              listener.readable(readable);
              listener.credit(credit);
            }
          });
    }
    StoredMeta meta = ending;
    if (meta != null && !over && incoming.isEmpty()) {
      finish(meta);
    }
  }

  private void append(ByteBuf content) throws IOException {
    first.writeBytes(content, Math.min(content.readableBytes(), first.writableBytes()));
    while (content.isReadable() && !failed) {
      if (current == null) {
        current = blocks.pageBuffer(Block.MAX_BYTES);
        Block.begin(current, Block.FURTHER, id, (int) blockCount + 1);
      }
      int room = Block.MAX_BYTES - current.writerIndex();
      current.writeBytes(content, Math.min(content.readableBytes(), room));
      if (current.writerIndex() == Block.MAX_BYTES) {
        writeCurrent();
      }
    }
  }

  private void writeCurrent() throws IOException {
    Extent extent = extent();
    if (extent == null) {
      counters.spaceSkips.increment();
      fail();
      return;
    }
    ByteBuf block = current;
    assert block != null : "no block to write";
    Block.seal(block, extent.lane().ordinal(), extent.generation());
    blockNanos += blocks.writePages(layout.placeOf(blockCount, pieces), block);
    blockCount++;
    block.release();
    current = null;
  }

  /** The piece that takes the next block; null if there is no room. */
  private @Nullable Extent extent() throws IOException {
    if (blockCount % layout.pieceBlocks() != 0) {
      return extents.get(extents.size() - 1);
    }
    int number = extents.size();
    if (announced < 0 && number == MAX_PIECES) {
      return null;
    }
    if (lane == null ? !place() : !mayGrow()) {
      return null;
    }
    assert lane != null : "no place";
    Extent extent =
        space.allocate(announced < 0 ? layout.fullPieceBytes() : layout.bytesOf(number), lane);
    if (extent != null) {
      extents.add(extent);
      long[] more = Arrays.copyOf(pieces, number + 1);
      more[number] = extent.place();
      pieces = more;
    }
    return extent;
  }

  private boolean place() {
    long bytes = announced < 0 ? received(Block.MAX_BYTES) : announced;
    Placement placement = catalogue.place(high, bytes);
    lane = placement.lane();
    if (lane == null) {
      counters.refusals.increment();
    }
    return lane != null;
  }

  /**
   * Whether a further piece is allowed: the size so far of one of unknown length is known by now.
   */
  private boolean mayGrow() {
    assert lane != null : "no place";
    boolean may =
        announced >= 0 || catalogue.mayGrow(lane, high, blockCount * Block.MAX_BYTES + received(0));
    if (!may) {
      counters.refusals.increment();
    }
    return may;
  }

  private long received(int atLeast) {
    return Math.max(atLeast, first.writerIndex());
  }

  private void finish(StoredMeta meta) throws IOException {
    over = true;
    if (current != null) {
      writeCurrent();
    }
    if (failed || (lane == null && !place())) {
      fail();
      return;
    }
    long contentLength = meta.storedLength();
    Layout exact = new Layout(contentLength, first.writerIndex(), layout.pieceBlocks());
    if (contentLength != announced && !extents.isEmpty()) {
      catalogue.segments().trim(extents.get(extents.size() - 1), exact.lastPieceBytes());
    }
    length = contentLength;
    if (meta.part() == null) {
      complete.accept(meta);
    }
    Writer.Outcome outcome = isSurpassed(meta) ? Writer.Outcome.CANCELLED : commit(meta, exact);
    if (meta.part() != null) {
      complete.accept(meta);
    }
    if (outcome == Writer.Outcome.NO_SPACE || outcome == Writer.Outcome.REFUSED) {
      counters.spaceSkips.increment();
      fail();
      return;
    }
    stored = true;
    if (outcome == Writer.Outcome.WRITTEN) {
      counters.writes.increment();
      counters.writtenBytes.add(contentLength);
      busy();
      long bytes = fields.readableBytes() + contentLength;
      medium.watch().stored(bytes, busyNanos, blockCount, blockNanos);
    }
    boolean told =
        tell(
            () -> {
              if (!closed) {
                listener.readable(contentLength);
                listener.ended();
              }
            });
    if (!told) {
      closed = true; // the loop has ended: no other code will
    }
  }

  /** Whether {@code meta} is of a part, and a stored part begins at the same byte and is longer. */
  private boolean isSurpassed(StoredMeta meta) {
    if (meta.part() == null || !meta.canBeContinued()) {
      return false;
    }
    long low = secret.hash().ofStored(key, meta).low();
    for (IndexedResponse there : catalogue.variants(high)) {
      if (there.part() && there.low() == low && isLonger(there, meta)) {
        return true;
      }
    }
    return false;
  }

  private boolean isLonger(IndexedResponse there, StoredMeta meta) {
    ByteBuf block = blocks.tryReadFirst(there.place(), there.length());
    if (block == null) {
      return false;
    }
    try {
      if (!there.isSame(block) || !FirstBlock.isOf(key, block)) {
        return false;
      }
      StoredMeta stored = FirstBlock.meta(block);
      return Arrays.equals(stored.etag(), meta.etag()) && stored.contentEnd() > meta.contentEnd();
    } finally {
      block.release();
    }
  }

  private Writer.Outcome commit(StoredMeta meta, Layout exact) throws IOException {
    StoredHash hash = secret.hash().ofStored(key, meta);
    ByteBuf storedMeta = blocks.buffer(StoredForm.metaBytes(meta));
    ByteBuf block = null;
    try {
      StoredForm.writeMeta(meta, storedMeta);
      int headBytes = key.length() + storedMeta.readableBytes() + fields.readableBytes();
      int bytes = FirstBlock.bytes(headBytes, pieces.length, first.writerIndex());
      if (bytes > Block.MAX_BYTES) {
        return Writer.Outcome.REFUSED;
      }
      block = blocks.buffer(bytes);
      FirstBlock.begin(block, id, hash.high(), hash.low(), key, storedMeta, exact, pieces, fields);
      block.writeBytes(first, 0, first.writerIndex());
      assert lane != null : "no place";
      return writer.commit(block, lane, pieces, exact, meta, () -> !listener.mayStore());
    } finally {
      storedMeta.release();
      if (block != null) {
        block.release();
      }
    }
  }

  private void fail() {
    StoredMeta ends = ending;
    if (!failed && !stored && (ends == null || ends.part() == null)) {
      superseded.run();
    }
    failed = true;
    tell(
        () -> {
          if (!closed && !failureTold) {
            failureTold = true;
            listener.failed();
          }
        });
  }

  private boolean tell(Runnable what) {
    try {
      loop.execute(what);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }

  private void release() {
    if (released) {
      return;
    }
    released = true;
    counters.inUse.end();
    counters.spools.decrementAndGet();
    drop();
    if (current != null) {
      current.release();
    }
    first.release();
    fields.release();
    transit.release(CHARGE);
    for (Extent extent : extents) {
      catalogue.segments().unpin(extent.place());
    }
  }
}

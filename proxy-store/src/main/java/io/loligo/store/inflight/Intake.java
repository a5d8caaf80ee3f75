package io.loligo.store.inflight;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.inflight.InFlight.Arrived;
import io.loligo.store.inflight.InFlight.Refusal;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Takes in the content of one fetch, and holds it in one of three ways until all readers have it.
 * If a way fails, the next one down in the table follows, never the one before. Confined to the
 * writer's loop.
 *
 * <table>
 *   <caption>ways</caption>
 *   <tr><th>way</th><th>for</th><th>in memory</th><th>the writer reads on</th>
 *     <th>a lagging reader</th></tr>
 *   <tr><td>kept</td><td>content that memory will store</td>
 *     <td>all, in the blocks of the entry to be</td><td>always</td>
 *     <td>reads on from memory</td></tr>
 *   <tr><td>spooled</td>
 *     <td>content that the disk will store: too large for memory, or no room there</td>
 *     <td>bytes that are not on disk yet, and bytes that readers within the gap have not read</td>
 *     <td>less than the gap ahead of the fastest consumer, a reader or the disk, and less than a
 *     window ahead of the bytes on disk</td>
 *     <td>reads on from disk</td></tr>
 *   <tr><td>passed on</td><td>content that is not stored, or cannot be; a small response of another
 *     node that is not copied</td>
 *     <td>bytes that readers have not read</td>
 *     <td>less than the gap ahead of the fastest reader; if memory is scarce, when that reader has
 *     all</td>
 *     <td>is closed ({@link Refusal#LAGGED})</td></tr>
 * </table>
 *
 * <p>The gap is {@code read_ahead_gap}; a reader further than that behind the fastest one lags. A
 * slow reader delays nobody, and neither does a stalled disk (see {@link Spooling}). If an
 * invalidation comes in between, the way stays the same for the readers: the content is just not
 * stored.
 */
final class Intake {
  /** A response of another node of a cluster passes without a copy up to this content. */
  static final int BRIEF_BYTES = 16 << 10;

  private final InFlight source;
  private final Landing landing;
  private final ContentLog log;
  private final Audience readers;
  private final long maxKeptBytes;
  private final long readAheadGapBytes;
  private @Nullable Arrived arrived;
  private @Nullable Spooling spooling;
  private @Nullable Entry entry;

  /** Takes {@code log}. */
  Intake(
      InFlight source,
      Landing landing,
      ContentLog log,
      Audience readers,
      long maxKeptBytes,
      long readAheadGapBytes) {
    this.source = source;
    this.landing = landing;
    this.log = log;
    this.readers = readers;
    this.maxKeptBytes = maxKeptBytes;
    this.readAheadGapBytes = readAheadGapBytes;
  }

  private Arrived arrived() {
    assert arrived != null : "no head yet";
    return arrived;
  }

  private Spooling spooling() {
    assert spooling != null : "not on its way to disk";
    return spooling;
  }

  /** A place at the first byte. Any thread. */
  Place start() {
    return new Place(log);
  }

  /** Bytes that arrived. */
  long received() {
    return log.end();
  }

  /** Whether all content from the first byte is available. */
  boolean isJoinable() {
    return log.dropped() == 0 || isSpooled();
  }

  boolean isSpooled() {
    return spooling != null && spooling.isSound();
  }

  /** Whether it is held in memory whole, as the future entry. */
  boolean isKept() {
    return log.kept();
  }

  /** Whether more content may come now. */
  boolean hasRoom() {
    if (log.kept()) {
      return true;
    }
    if (isSpooled()) {
      return log.end() - fastest() < readAheadGapBytes && !spooling().isHolding();
    }
    long gap = log.isScarce() ? 1 : readAheadGapBytes;
    return log.end() - fastest() < gap;
  }

  // Arrival of head and content

  /** The head has arrived: chooses the way. */
  void begin(Arrived arrived) {
    this.arrived = arrived;
    log.holdBeside(arrived.fields());
    if (isBrief()) {
      return; // passed on
    }
    boolean part = arrived.meta() != null && arrived.meta().part() != null;
    if (part && spool()) {
      return; // there it is stored beside other parts
    }
    boolean inMemory = mayKeep(arrived.fields().readableBytes(), arrived.contentLength());
    if (inMemory && log.keep(arrived.fields(), arrived.contentLength())) {
      return;
    }
    if (!spool() && inMemory) {
      landing.rejected();
    }
  }

  /**
   * Whether it is small and only kept while it arrives. Mostly all of it is there by now: a copy
   * would serve nobody. No reader can lag so far that it is closed.
   */
  private boolean isBrief() {
    StoredMeta meta = arrived().meta();
    long length = arrived().contentLength();
    return meta != null
        && meta.has(StoredMeta.PASSING)
        && length >= 0
        && length <= Math.min(BRIEF_BYTES, readAheadGapBytes);
  }

  /**
   * Whether it is held like a response that is stored: so is one that was invalidated before its
   * head and that several readers wait for, so that none is cut for lagging.
   */
  private boolean isHeldWhole() {
    return arrived().meta() != null && (source.mayStore() || readers.size() > 1);
  }

  private boolean mayKeep(int fieldsLength, long contentLength) {
    return isHeldWhole()
        && contentLength <= maxKeptBytes
        && landing.accepts(fieldsLength + Math.max(0, contentLength));
  }

  /** Whether the content goes to disk from now on, including the bytes so far. */
  private boolean spool() {
    StoredMeta meta = arrived().meta();
    return meta != null && spool(meta, arrived().contentLength());
  }

  private boolean spool(StoredMeta meta, long contentLength) {
    if (!isHeldWhole() || !log.setAside(Spooling.FLOOR_BYTES + readAheadGapBytes)) {
      return false;
    }
    Spooling way = new Spooling(source, log);
    Spool spool =
        landing.spool(
            source.storedUnder(), meta, arrived().fields(), contentLength, source.loop(), way);
    if (spool == null) {
      return false;
    }
    way.open(spool);
    spooling = way;
    return true;
  }

  /** Takes {@code content}. */
  void add(ByteBuf content) {
    if (log.kept()) {
      keep(content);
    } else if (isSpooled()) {
      spool(content);
    } else {
      passOn(content);
    }
  }

  private void keep(ByteBuf content) {
    if (!outgrows(content.readableBytes()) && log.copyIn(content)) {
      content.release();
      return;
    }
    log.stopKeeping();
    if (spool()) {
      spool(content);
    } else {
      landing.rejected();
      passOn(content);
    }
  }

  private boolean outgrows(int bytes) {
    long after = log.end() + bytes;
    return after > maxKeptBytes || exceedsAnnounced(bytes) || !landing.accepts(after);
  }

  /** Whether {@code bytes} more would exceed the announced length. */
  boolean exceedsAnnounced(int bytes) {
    return arrived().contentLength() >= 0 && log.end() + bytes > arrived().contentLength();
  }

  /** Whether the announced length has arrived. */
  boolean isComplete() {
    return arrived().contentLength() < 0 || arrived().contentLength() == log.end();
  }

  private void spool(ByteBuf content) {
    if (!spooling().admit(content)) {
      giveUpSpool(source.mayStore());
      passOn(content);
    }
  }

  private void passOn(ByteBuf content) {
    int bytes = content.readableBytes();
    Cursor only = readers.size() == 1 ? readers.get(0) : null;
    if (readers.isDeserted()) {
      log.skip(bytes);
      content.release();
    } else if (only != null && takesAtOnce(only, bytes)) {
      log.skip(bytes);
      only.place.skip(bytes);
      only.pumping = true;
      only.tellContent(content);
      only.pumping = false;
    } else if (!log.pass(content)) {
      closeLaggards();
      if (!log.pass(content)) {
        log.force(content);
      }
    }
  }

  private static boolean takesAtOnce(Cursor cursor, int bytes) {
    return cursor.headTold
        && !cursor.gone
        && !cursor.pumping
        && cursor.place.isAtEnd()
        && cursor.place.position() >= cursor.from
        && cursor.credit >= bytes;
  }

  private void closeLaggards() {
    long fastest = readers.fastest();
    readers.refuseBelow(fastest, Refusal.NO_ROOM);
    log.drop(fastest);
  }

  // Where it goes

  /** Stores the kept content. */
  void land() {
    StoredMeta meta = arrived().meta();
    assert meta != null : "not to be stored";
    land(meta.arrived(log.end()));
  }

  /**
   * Stores the bytes of a response that will never be complete, if it may be continued later (RFC
   * 9111 section 3.3): on disk if possible, also if memory was to have it. Returns whether they are
   * on their way there: {@link #feed} ends that.
   */
  boolean landPart() {
    StoredMeta meta = arrived().meta();
    long bytes = log.end();
    boolean some =
        bytes > 0 && (arrived().contentLength() < 0 || bytes < arrived().contentLength());
    if (!some || meta == null || !meta.canBeContinued()) {
      return false;
    }
    StoredMeta part = part(meta, bytes);
    if (log.kept()) {
      if (!spool(part, bytes)) {
        land(part);
        return false;
      }
      log.stopKeeping();
    }
    return isSpooled();
  }

  private static StoredMeta part(StoredMeta meta, long bytes) {
    long start = meta.contentStart();
    return meta.withPart(new ContentPart(start, start + bytes));
  }

  private void land(StoredMeta meta) {
    log.trim();
    ContentChunk first = log.firstBlock();
    ByteBuf buffer = first.buffer;
    assert buffer != null : "the first block is kept";
    ByteBuf[] rest = log.furtherBlocks();
    entry =
        landing.add(
            source.storedUnder(),
            meta,
            source.writer().answered(),
            buffer,
            first.from,
            first.from + first.length,
            rest,
            rest.length == 0 ? 0 : log.lastLength(),
            source::mayStore);
    if (entry != null && !entry.isPacked()) {
      log.chargedElsewhere();
    }
  }

  /**
   * Continues without the disk, and without readers that need it; {@code rejected}: that is why it
   * is not stored.
   */
  void giveUpSpool(boolean rejected) {
    if (rejected) {
      landing.rejected();
    }
    spooling().giveUp();
    readers.refuseBelow(log.dropped(), Refusal.LAGGED);
  }

  /**
   * Requests from the disk the next bytes of {@code cursor}. Legal if they are no longer in memory.
   */
  void readFromDisk(Cursor cursor) {
    spooling().read(cursor);
  }

  /** No more content comes. */
  void complete() {
    log.complete();
  }

  // Settling

  /**
   * Feeds the disk.
   *
   * @param landing whether that was all, and it will be stored
   * @param broken whether it ended early
   */
  void feed(boolean landing, boolean broken) {
    if (isSpooled()) {
      spooling().feed();
      if (landing) {
        StoredMeta meta = arrived().meta();
        assert meta != null : "not to be stored";
        spooling().end(broken ? part(meta, log.end()) : meta.arrived(log.end()));
      }
    }
  }

  /**
   * Checks whether the disk is so far behind that the writer waits; {@code streaming}: if more
   * content comes.
   */
  void pace(boolean streaming) {
    if (spooling != null) {
      spooling.pace(streaming, readers.size() > 0 && readers.fastest() == log.end());
    }
  }

  /** Closes lagging readers, for which no one waits. */
  void closeLagged() {
    if (!log.kept() && !isSpooled()) {
      readers.refuseBelow(fastest() - readAheadGapBytes, Refusal.LAGGED);
      readers.sweep();
    }
  }

  /** Releases content in memory that has no consumer. */
  void drop() {
    log.drop(neededFrom());
    readers.forgetGoneChunks();
  }

  private long neededFrom() {
    if (isSpooled()) {
      return readers.slowestFrom(fastest() - readAheadGapBytes, spooling().readable());
    }
    return readers.slowestFrom(0, readers.isOpened() ? log.end() : 0);
  }

  private long fastest() {
    if (isSpooled()) {
      return Math.max(spooling().position(), readers.fastest());
    }
    return readers.isDeserted() ? log.end() : readers.fastest();
  }

  /** Closes the spool unless it is needed; returns whether there is none any more. */
  boolean closeSpool(boolean over) {
    if (spooling == null) {
      return true;
    }
    if (!spooling.isSound() || (over && !isAnybodyBehind())) {
      spooling.close();
    }
    return spooling.isClosed();
  }

  private boolean isAnybodyBehind() {
    return readers.anyBelow(Math.max(log.dropped(), fastest() - readAheadGapBytes));
  }

  /** Releases everything. */
  void close() {
    log.close();
    if (arrived != null) {
      arrived.fields().release();
    }
    if (entry != null) {
      entry.release();
      entry = null;
    }
  }
}

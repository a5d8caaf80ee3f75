package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * A response on its way: one writer, many readers, each with its own cursor. The writer's calls
 * belong to the writer's event loop; readers live on theirs and are told there. All state is
 * confined to the writer's loop; calls from elsewhere travel there as tasks.
 *
 * <p>Phases:
 *
 * <table>
 *   <caption>what is legal when</caption>
 *   <tr><th>phase</th><th>means</th><th>writer may call</th><th>readers</th><th>next</th></tr>
 *   <tr><td>OPEN</td><td>no head yet</td><td>head, fail</td><td>join, wait</td>
 *     <td>STREAMING, FAILED</td></tr>
 *   <tr><td>STREAMING</td><td>content arrives</td><td>content, end, fail</td>
 *     <td>join from the first octet while it is there, read</td><td>COMPLETE, FAILED</td></tr>
 *   <tr><td>COMPLETE</td><td>all arrived; stored if it may be; not found any more</td><td>-</td>
 *     <td>read the rest, then end</td><td>-</td></tr>
 *   <tr><td>FAILED</td><td>will never be complete; not found any more</td><td>-</td>
 *     <td>read the rest, then failed</td><td>-</td></tr>
 * </table>
 *
 * <p>While STREAMING the content is held in one of two ways. <em>Kept</em>: copied into the blocks
 * of the entry to be, whole, so that the writer runs ahead freely and anyone may join or lag.
 * <em>Passed on</em>: what is not stored, or outgrew the limit or the memory, goes through; the
 * writer is at most {@code read_ahead_gap} ahead of the fastest reader, and a reader that falls
 * further behind the fastest than that is closed ({@link Refusal#LAGGED}).
 *
 * <p>A reader is told nothing before {@link #attach} has returned.
 */
public final class InFlight {
  /** Told on the writer's loop, never before the call that caused it is through with its work. */
  public interface Writer {
    /** There is room again: {@link #wantsMore} turned true. */
    void resume();

    /** The last reader left before the end; the writer decides (quick_abort). */
    void deserted();
  }

  /** One who reads along. Told on its own loop, in this order: head, content..., end or failed. */
  public interface Reader {
    EventExecutor loop();

    /**
     * The head arrived. {@code shareable} false and not the cause: this answer is not for you, go
     * your own way; nothing follows. Borrows nothing: {@code head} is an immutable snapshot.
     */
    void head(Arrived head);

    /** Content within the credit asked for. Takes {@code content}. */
    void content(ByteBuf content);

    /** Complete; {@code trailers}: an immutable snapshot, or null where there were none. */
    void end(Fields trailers);

    /** It will never be complete: what {@link #fail} was given, or a {@link Refusal}. */
    void failed(Object cause);
  }

  /** Why the object itself ends a reader. */
  public enum Refusal {
    /** Joined from another loop when the first octets were gone or it had ended: look up again. */
    TOO_LATE,
    /** Fell too far behind the fastest reader of what is not stored. */
    LAGGED,
    /** The in-transit budget is used up and others were further on. */
    NO_ROOM,
    /** The store was closed. */
    CLOSED
  }

  /**
   * The head of an answer, for readers. Immutable.
   *
   * @param head snapshot as received
   * @param meta null where it is not stored
   * @param shareable whether others than the one who caused the fetch may read along
   * @param fields field lines and the empty line, owned by the in-flight object, valid while
   *     subscribed; index 0 to its writer index
   * @param contentLength -1 where unknown
   */
  public record Arrived(
      ResponseHead head, StoredMeta meta, boolean shareable, ByteBuf fields, long contentLength) {}

  /** A reader's hold on the object. Confined to the reader's loop. */
  public interface Subscription {
    /** Allows {@code bytes} more octets to be delivered. */
    void request(long bytes);

    /** Leaves; nothing more is delivered. */
    void cancel();
  }

  private enum Phase {
    OPEN,
    STREAMING,
    COMPLETE,
    FAILED;

    boolean over() {
      return this == COMPLETE || this == FAILED;
    }
  }

  private final CacheKey key;
  private final EventExecutor loop;
  private final Writer writer;
  private final Flights flights;
  private final Landing landing;
  private final ContentLog log;
  private final long maxKeptBytes;
  private final long readAheadGapBytes;
  private final List<Cursor> readers = new ArrayList<>(2);

  private volatile boolean joinable;
  private volatile boolean doNotStore;

  private Phase phase = Phase.OPEN;
  private Arrived arrived;
  private Fields trailers;
  private Object failure;
  private Entry entry;
  private boolean hadReaders;
  private boolean desertion;
  private boolean wanting = true;
  private boolean busy;
  private boolean dirty;
  private boolean closed;

  /** Takes {@code log}. */
  InFlight(
      CacheKey key,
      boolean joinable,
      EventExecutor loop,
      Writer writer,
      Flights flights,
      Landing landing,
      ContentLog log,
      long maxKeptBytes,
      long readAheadGapBytes) {
    this.key = key;
    this.joinable = joinable;
    this.loop = loop;
    this.writer = writer;
    this.flights = flights;
    this.landing = landing;
    this.log = log;
    this.maxKeptBytes = maxKeptBytes;
    this.readAheadGapBytes = readAheadGapBytes;
  }

  /** The key it is fetched under. */
  public CacheKey key() {
    return key;
  }

  /** Whose fetch it is. */
  public Writer writer() {
    return writer;
  }

  boolean joinable() {
    return joinable;
  }

  void notJoinable() {
    joinable = false;
  }

  // Readers

  /**
   * Reads along, from the first octet of content. On the loop of {@code reader}. Null where it is
   * too late: the first octets are gone or the object ended; look up again. From another loop than
   * the writer's that shows only later, as {@link Refusal#TOO_LATE}.
   *
   * @param cause whether this is the one who caused the fetch (told even if not shareable)
   */
  public Subscription attach(Reader reader, boolean cause) {
    Cursor cursor = new Cursor(this, reader, cause);
    if (loop.inEventLoop()) {
      if (!join(cursor)) {
        return null;
      }
      if (arrived != null) {
        execute(() -> start(cursor));
      }
      return cursor;
    }
    boolean sent =
        execute(
            () -> {
              if (join(cursor)) {
                start(cursor);
              } else {
                refuse(cursor, Refusal.TOO_LATE);
              }
            });
    return sent ? cursor : null;
  }

  private boolean join(Cursor cursor) {
    boolean shared = joinable && (arrived == null || arrived.shareable());
    if (phase.over() || log.dropped() > 0 || !(shared || cursor.cause())) {
      return false;
    }
    cursor.chunk = log.first();
    readers.add(cursor);
    hadReaders = true;
    desertion = false;
    return true;
  }

  private void start(Cursor cursor) {
    boolean outermost = enter();
    pump(cursor);
    leave(outermost);
  }

  /** Writer's loop: {@code cursor} may be sent {@code bytes} more. */
  void credit(Cursor cursor, long bytes) {
    boolean outermost = enter();
    cursor.credit += bytes;
    if (cursor.credit < 0) {
      cursor.credit = Long.MAX_VALUE;
    }
    pump(cursor);
    leave(outermost);
  }

  /** Writer's loop: {@code cursor} wants nothing more. */
  void leave(Cursor cursor) {
    boolean outermost = enter();
    cursor.gone = true;
    leave(outermost);
  }

  // Writer

  /** The head arrived. Takes {@code fields}. Writer's loop. */
  public void head(
      ResponseHead snapshot,
      StoredMeta meta,
      boolean shareable,
      ByteBuf fields,
      long contentLength) {
    assert loop.inEventLoop();
    if (phase != Phase.OPEN) {
      fields.release();
      return;
    }
    boolean outermost = enter();
    arrived = new Arrived(snapshot, meta, shareable, fields, contentLength);
    phase = Phase.STREAMING;
    log.holdBeside(fields);
    if (!shareable) {
      notJoinable();
    }
    if (mayKeep(fields.readableBytes(), contentLength) && !log.keep(fields, contentLength)) {
      landing.rejected();
    }
    pumpAll();
    leave(outermost);
  }

  private boolean mayKeep(int fieldsLength, long contentLength) {
    return arrived.meta() != null
        && !doNotStore
        && contentLength <= maxKeptBytes
        && landing.accepts(fieldsLength + Math.max(0, contentLength));
  }

  /** Content arrived. Takes {@code content}. Writer's loop. */
  public void content(ByteBuf content) {
    assert loop.inEventLoop();
    if (phase != Phase.STREAMING || !content.isReadable()) {
      content.release();
      return;
    }
    boolean outermost = enter();
    if (log.kept() && outgrows(content.readableBytes())) {
      landing.rejected();
      log.stopKeeping();
    }
    if (!log.kept()) {
      passOn(content);
    } else if (log.copyIn(content)) {
      content.release();
    } else {
      landing.rejected();
      log.stopKeeping();
      passOn(content);
    }
    if (!log.kept() || log.end() != arrived.contentLength()) {
      pumpAll();
    } // else the end follows at once, and whoever has the last octet then finds it stored
    leave(outermost);
  }

  private boolean outgrows(int octets) {
    long after = log.end() + octets;
    return after > maxKeptBytes
        || (arrived.contentLength() >= 0 && after > arrived.contentLength())
        || !landing.accepts(after);
  }

  private void passOn(ByteBuf content) {
    int octets = content.readableBytes();
    Cursor only = readers.size() == 1 ? readers.get(0) : null;
    if (hadReaders && readers.isEmpty()) {
      log.skip(octets);
      content.release();
    } else if (only != null && takesAtOnce(only, octets)) {
      log.skip(octets);
      only.credit -= octets;
      only.position += octets;
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

  private boolean takesAtOnce(Cursor cursor, int octets) {
    return cursor.headTold
        && !cursor.gone
        && !cursor.pumping
        && cursor.position == log.end()
        && cursor.credit >= octets;
  }

  private void closeLaggards() {
    long fastest = fastest();
    for (int i = 0; i < readers.size(); i++) {
      Cursor cursor = readers.get(i);
      if (!cursor.gone && cursor.position < fastest) {
        refuse(cursor, Refusal.NO_ROOM);
      }
    }
    log.drop(fastest);
  }

  private static void refuse(Cursor cursor, Object why) {
    cursor.gone = true;
    cursor.tellFailed(why);
  }

  /**
   * Complete: stored if it may be, and no longer in flight. Borrows {@code trailers}, may be null.
   * Writer's loop.
   */
  public void end(Fields trailers) {
    assert loop.inEventLoop();
    if (phase != Phase.STREAMING) {
      return;
    }
    boolean outermost = enter();
    this.trailers = trailers == null || trailers.count() == 0 ? null : snapshot(trailers);
    phase = Phase.COMPLETE;
    if (log.kept() && isWhole() && !doNotStore) {
      land();
    }
    over();
    pumpAll();
    leave(outermost);
  }

  private static Fields snapshot(Fields fields) {
    int end = 0;
    for (int i = 0; i < fields.count(); i++) {
      end = Math.max(end, fields.valueEnd(i));
    }
    Fields copy = new Fields(fields.count());
    copy.copyOf(fields, Arrays.copyOf(fields.bytes(), end));
    return copy;
  }

  private void over() {
    flights.forget(this);
    log.complete();
  }

  private boolean isWhole() {
    return arrived.contentLength() < 0 || arrived.contentLength() == log.end();
  }

  private void land() {
    log.trim();
    Chunk first = log.firstBlock();
    ByteBuf[] rest = log.furtherBlocks();
    entry =
        landing.add(
            key,
            arrived.meta().withContentLength(log.end()),
            first.buffer,
            first.from,
            first.from + first.length,
            rest,
            rest.length == 0 ? 0 : log.lastLength());
    if (entry == null) {
      return;
    }
    log.chargedElsewhere();
    if (doNotStore) {
      // an invalidation came between: whoever asked for it may have looked before we stored
      landing.drop(entry);
    }
  }

  /** Given up; nothing is stored. Writer's loop. */
  public void fail(Object cause) {
    assert loop.inEventLoop();
    if (phase.over()) {
      return;
    }
    boolean outermost = enter();
    failure = cause;
    phase = Phase.FAILED;
    over();
    pumpAll();
    leave(outermost);
  }

  /** Ends, and its readers at once, whatever they have not read yet. Any thread. */
  void close() {
    doNotStore = true;
    if (loop.inEventLoop()) {
      closeNow();
    } else {
      execute(this::closeNow);
    }
  }

  private void closeNow() {
    if (phase.over()) {
      return;
    }
    boolean outermost = enter();
    failure = Refusal.CLOSED;
    phase = Phase.FAILED;
    over();
    for (int i = 0; i < readers.size(); i++) {
      if (!readers.get(i).gone) {
        refuse(readers.get(i), failure);
      }
    }
    leave(outermost);
  }

  /** Whether the writer should read on now. Writer's loop. */
  public boolean wantsMore() {
    return switch (phase) {
      case OPEN -> true;
      case STREAMING -> log.kept() || log.end() - fastest() < readAheadGapBytes;
      case COMPLETE, FAILED -> false;
    };
  }

  /** Octets of content that arrived so far. Writer's loop. */
  public long received() {
    return log.end();
  }

  /** It is not to be stored after all (an invalidation came between). Any thread. */
  public void doNotStore() {
    doNotStore = true;
  }

  // Delivery

  private long fastest() {
    if (readers.isEmpty()) {
      return hadReaders ? log.end() : 0;
    }
    long fastest = 0;
    for (int i = 0; i < readers.size(); i++) {
      fastest = Math.max(fastest, readers.get(i).position);
    }
    return fastest;
  }

  private long slowest() {
    long slowest = hadReaders ? log.end() : 0;
    for (int i = 0; i < readers.size(); i++) {
      slowest = Math.min(slowest, readers.get(i).position);
    }
    return slowest;
  }

  private void pumpAll() {
    for (int i = 0; i < readers.size(); i++) {
      pump(readers.get(i));
    }
  }

  /** Tells a reader all it may know by now. */
  private void pump(Cursor cursor) {
    if (cursor.pumping || cursor.gone) {
      return;
    }
    cursor.pumping = true;
    if (!cursor.headTold && arrived != null) {
      cursor.tellHead(arrived);
      cursor.gone |= !arrived.shareable() && !cursor.cause();
    }
    while (!cursor.gone && cursor.credit > 0 && cursor.position < log.end()) {
      deliver(cursor);
    }
    if (!cursor.gone && phase.over() && cursor.position == log.end()) {
      cursor.gone = true;
      if (phase == Phase.COMPLETE) {
        cursor.tellEnd(trailers);
      } else {
        cursor.tellFailed(failure);
      }
    }
    cursor.pumping = false;
  }

  private static void deliver(Cursor cursor) {
    Chunk chunk = cursor.chunk;
    while (cursor.position >= chunk.end()) {
      chunk = chunk.next;
    }
    cursor.chunk = chunk;
    int octets = (int) Math.min(cursor.credit, chunk.end() - cursor.position);
    int from = chunk.from + (int) (cursor.position - chunk.start);
    cursor.credit -= octets;
    cursor.position += octets;
    cursor.tellContent(chunk.buffer.retainedSlice(from, octets));
  }

  // Settling: once per call from outside, after its work

  private boolean enter() {
    dirty = true;
    boolean outermost = !busy;
    busy = true;
    return outermost;
  }

  private void leave(boolean outermost) {
    if (outermost) {
      try {
        settle();
      } finally {
        busy = false;
      }
    }
  }

  private void settle() {
    while (dirty) {
      dirty = false;
      sweep();
      if (phase == Phase.STREAMING && !log.kept()) {
        closeLagged();
      }
      if (phase.over() || !log.kept()) {
        log.drop(slowest());
      }
      tellWriter();
    }
    if (phase.over() && readers.isEmpty() && !closed) {
      closed = true;
      release();
    }
  }

  private void sweep() {
    int kept = 0;
    for (int i = 0; i < readers.size(); i++) {
      Cursor cursor = readers.get(i);
      if (!cursor.gone) {
        readers.set(kept++, cursor);
      }
    }
    readers.subList(kept, readers.size()).clear();
  }

  private void closeLagged() {
    if (readers.size() < 2) {
      return;
    }
    long oldest = fastest() - readAheadGapBytes;
    boolean any = false;
    for (int i = 0; i < readers.size(); i++) {
      Cursor cursor = readers.get(i);
      if (cursor.position < oldest && !cursor.gone) {
        refuse(cursor, Refusal.LAGGED);
        any = true;
      }
    }
    if (any) {
      sweep();
    }
  }

  private void tellWriter() {
    if (hadReaders && readers.isEmpty() && !desertion && !phase.over()) {
      desertion = true;
      writer.deserted();
    }
    boolean before = wanting;
    wanting = wantsMore();
    if (wanting && !before) {
      writer.resume();
    }
  }

  private void release() {
    log.close();
    if (arrived != null) {
      arrived.fields().release();
    }
    if (entry != null) {
      entry.release();
      entry = null;
    }
  }

  // Threads

  boolean inWriterLoop() {
    return loop.inEventLoop();
  }

  /** Runs {@code task} on the writer's loop, later; false where that is shut down. */
  boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }
}

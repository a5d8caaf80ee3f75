package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
 *     <td>join from the first byte while that is available, read</td>
 *     <td>LANDING, BROKEN, COMPLETE, FAILED</td></tr>
 *   <tr><td>LANDING</td>
 *     <td>all content arrived; on its way to disk, and joinable until it is there</td>
 *     <td>-</td><td>join, read the rest, then end</td><td>COMPLETE, FAILED</td></tr>
 *   <tr><td>BROKEN</td><td>will never be complete; a part of it is on its way to disk</td>
 *     <td>-</td><td>read the rest, then failed; {@link #awaitPart}</td><td>FAILED</td></tr>
 *   <tr><td>COMPLETE</td><td>all content arrived; stored if allowed; no longer found</td><td>-</td>
 *     <td>read the rest, then end</td><td>-</td></tr>
 *   <tr><td>FAILED</td><td>will never be complete; no longer found</td><td>-</td>
 *     <td>read the rest, then failed</td><td>-</td></tr>
 * </table>
 *
 * <p>{@link Intake} describes how the content is held, and so which readers may run ahead or lag:
 * kept for memory, spooled to disk, or passed on. Readers can join kept and spooled content at any
 * time, and other content only while its first byte is in memory.
 *
 * <p>A reader is told nothing before {@link #attach} has returned.
 */
public final class InFlight {
  /** Told on the writer's loop, never before the causing call has done its work. */
  public interface Writer {
    /** There is room again: {@link #wantsMore} has become true. */
    void resume();

    /**
     * The last reader left before the end, or there never was one and nothing is stored of it; the
     * writer decides (quick_abort).
     */
    void deserted();

    /** Whether its own request may wait for the fetch of {@code other}, under the same key. */
    default boolean mayJoin(Writer other) {
      return true;
    }

    /** Fields of the answered request, immutable; null: unknown. */
    default @Nullable Fields answered() {
      return null;
    }
  }

  /**
   * A reader of the content. Told on its own loop, in this order: head, content..., end or failed.
   * After content comes caughtUp, unless the end follows at once.
   */
  public interface Reader {
    EventExecutor loop();

    /**
     * The head has arrived. {@code shareable} false and not the cause: this response is not for
     * this reader, which has to fetch on its own; nothing follows. Borrows nothing: {@code head} is
     * an immutable snapshot.
     */
    void head(Arrived head);

    /** Content within the requested credit. Takes {@code content}. More may follow at once. */
    void content(ByteBuf content);

    /** It has all content that it may have by now: what it collects should go out. */
    default void caughtUp() {}

    /** Complete; {@code trailers}: an immutable snapshot, or null if there were none. */
    void end(@Nullable Fields trailers);

    /**
     * A call above failed with {@code failure}: the reader is dropped, and is told nothing more.
     */
    void broken(Throwable failure);

    /** It will never be complete: the cause given to {@link #fail}, or a {@link Refusal}. */
    void failed(Object cause);
  }

  /** Why the object itself ends a reader. */
  public enum Refusal {
    /**
     * Joined from another loop when the first bytes were gone or it had ended: look it up again.
     */
    TOO_LATE,
    /** Fell behind the content in memory, and the missing bytes are not, or no longer, on disk. */
    LAGGED,
    /** The in-transit budget is used up and other readers were ahead. */
    NO_ROOM,
    /** The store was closed. */
    CLOSED
  }

  /**
   * The head of a response, for readers. Immutable.
   *
   * @param head snapshot as received
   * @param meta null if it is not stored
   * @param shareable whether readers other than the cause may read along
   * @param fields field lines and the empty line, owned by the in-flight object, valid while
   *     subscribed; index 0 to its writer index
   * @param contentLength of the arriving content, which is the whole or a {@linkplain
   *     StoredMeta#part part}; -1 if unknown
   */
  public record Arrived(
      ResponseHead head,
      @Nullable StoredMeta meta,
      boolean shareable,
      ByteBuf fields,
      long contentLength) {}

  /** A reader's handle on the object. Confined to the reader's loop. */
  public interface Subscription {
    /**
     * Begins delivery at {@code offset}, in bytes of the arriving content. Legal before the first
     * {@link #request}.
     */
    void startAt(long offset);

    /** Allows {@code bytes} more bytes to be delivered. */
    void request(long bytes);

    /** Leaves; nothing more is delivered. */
    void cancel();
  }

  private enum Phase {
    OPEN,
    STREAMING,
    LANDING,
    BROKEN,
    COMPLETE,
    FAILED;

    /** Whether the writer has finished. */
    boolean written() {
      return this != OPEN && this != STREAMING;
    }

    /** Whether it is no longer found. */
    boolean over() {
      return this == COMPLETE || this == FAILED;
    }
  }

  private final CacheKey key;
  private final EventExecutor loop;
  private final Writer writer;
  private final Flights flights;
  private final Audience readers = new Audience();
  private final Intake intake;

  private CacheKey storedUnder;
  private volatile boolean joinable;
  private volatile @Nullable VarySelection selection;
  private volatile boolean doNotStore;

  private volatile long progress;

  private Phase phase = Phase.OPEN;
  private @Nullable Arrived arrived;
  private @Nullable Fields trailers;
  private @Nullable Object failure;

  /** Whether all bytes of a part have arrived, and the part is not found on disk yet. */
  private boolean landingPart;

  private final List<Runnable> waitingForPart = new ArrayList<>();
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
    this.storedUnder = key;
    this.joinable = joinable;
    this.loop = loop;
    this.writer = writer;
    this.flights = flights;
    this.intake = new Intake(this, landing, log, readers, maxKeptBytes, readAheadGapBytes);
  }

  /** The key under which it is fetched. */
  public CacheKey key() {
    return key;
  }

  /** The key under which it is stored. Writer's loop. */
  CacheKey storedUnder() {
    return storedUnder;
  }

  /**
   * It is stored under {@code other}: a removal of its URL covers that key too. Before {@link
   * #head}.
   */
  public void storeUnder(CacheKey other) {
    storedUnder = other;
  }

  /** The writer of the fetch. */
  public Writer writer() {
    return writer;
  }

  boolean joinable() {
    return joinable;
  }

  /** It is no longer found; readers that wait for it continue to wait. Any thread. */
  public void notJoinable() {
    joinable = false;
  }

  /** The variant that it brings, or is expected to bring; null: any, or unknown. */
  @Nullable VarySelection selection() {
    return selection;
  }

  /** It is expected to bring {@code expected}, which may be null. Before it can be found. */
  void expect(@Nullable VarySelection expected) {
    selection = expected;
  }

  /** Whether {@code request} may join it, null: any request. No allocation. */
  boolean joinableBy(@Nullable Fields request) {
    if (!joinable) {
      return false;
    }
    VarySelection brings = selection;
    return request == null || brings == null || brings.matches(request);
  }

  // Readers

  /**
   * Adds a reader from the first byte of content. On the loop of {@code reader}. Null if it is too
   * late: the first bytes are gone or the object has ended; look it up again. From another loop
   * than the writer's that shows only later, as {@link Refusal#TOO_LATE}.
   *
   * @param cause whether this reader caused the fetch (told even if not shareable)
   */
  public @Nullable Subscription attach(Reader reader, boolean cause) {
    Cursor cursor = new Cursor(this, intake.start(), reader, cause);
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
                cursor.refuse(Refusal.TOO_LATE);
              }
            });
    return sent ? cursor : null;
  }

  private boolean join(Cursor cursor) {
    boolean shared = joinable && (arrived == null || arrived.shareable());
    if (phase.over() || !intake.isJoinable() || !(shared || cursor.cause())) {
      return false;
    }
    readers.add(cursor);
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

  /** Passes the readers that have not left to {@code to}. Writer's loop. */
  public void forEachReader(Consumer<Reader> to) {
    for (int i = 0; i < readers.size(); i++) {
      Cursor cursor = readers.get(i);
      if (!cursor.gone) {
        to.accept(cursor.reader());
      }
    }
  }

  // Writer

  /** The head arrived. Takes {@code fields}. Writer's loop. */
  public void head(
      ResponseHead snapshot,
      @Nullable StoredMeta meta,
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
    if (shareable) {
      selection = meta == null ? null : meta.vary();
    } else {
      notJoinable();
    }
    intake.begin(arrived);
    pumpAll();
    leave(outermost);
  }

  /** Content arrived. Takes {@code content}. Writer's loop. */
  public void content(ByteBuf content) {
    assert loop.inEventLoop();
    if (phase != Phase.STREAMING || !content.isReadable()) {
      content.release();
      return;
    }
    boolean outermost = enter();
    if (intake.exceedsAnnounced(content.readableBytes())) {
      neverWhole();
    }
    intake.add(content);
    progress = intake.received();
    assert arrived != null : "streaming without a head";
    long announced = arrived.contentLength();
    if (progress == announced) {
      beginLandingPart();
    }
    if (!intake.isKept() || intake.received() != announced) {
      pumpAll();
    } // else the end follows at once, and a reader that has the last byte then finds it stored
    leave(outermost);
  }

  private void neverWhole() {
    doNotStore = true;
    if (intake.isSpooled()) {
      intake.giveUpSpool(false);
    }
  }

  /**
   * Complete: stored if it may be, and then no longer in flight. Borrows {@code trailers}, may be
   * null. Writer's loop.
   */
  public void end(@Nullable Fields trailers) {
    assert loop.inEventLoop();
    if (phase != Phase.STREAMING) {
      return;
    }
    boolean outermost = enter();
    this.trailers = trailers == null || trailers.count() == 0 ? null : trailers.snapshot();
    if (!intake.isComplete()) {
      doNotStore = true;
    }
    if (intake.isSpooled() && !doNotStore) {
      phase = Phase.LANDING;
      beginLandingPart();
    } else {
      phase = Phase.COMPLETE;
      if (intake.isKept() && !doNotStore) {
        intake.land();
      }
      forget();
    }
    intake.complete();
    pumpAll();
    leave(outermost);
  }

  /**
   * The fetch failed; the bytes so far are stored as an incomplete response if it may be continued
   * later. Writer's loop.
   */
  public void fail(Object cause) {
    assert loop.inEventLoop();
    if (phase.written()) {
      return;
    }
    boolean outermost = enter();
    boolean landing = phase == Phase.STREAMING && !doNotStore && intake.landPart();
    if (landing) {
      failure = cause;
      phase = Phase.BROKEN;
      notJoinable();
      landPart();
      intake.complete();
    } else {
      failed(cause);
    }
    pumpAll();
    leave(outermost);
  }

  private void failed(Object cause) {
    failure = cause;
    phase = Phase.FAILED;
    forget();
    intake.complete();
  }

  /** It is no longer found: requests that waited for a part of it look on disk. */
  private void forget() {
    flights.forget(this);
    if (landingPart) {
      landingPart = false;
      flights.partLanded(this);
      waitingForPart.forEach(Runnable::run);
      waitingForPart.clear();
    }
  }

  /** The last byte of a part has arrived, and its reader may request the part at once. */
  private void beginLandingPart() {
    assert arrived != null : "a last byte without a head";
    StoredMeta meta = arrived.meta();
    if (meta != null && meta.part() != null && intake.isSpooled() && !doNotStore) {
      landPart();
    }
  }

  private void landPart() {
    landingPart = true;
    flights.partLanding(this);
  }

  /**
   * Tells {@code then}, on {@code other}, when the part that it is about to leave on disk can be
   * found there, or will not come. Any thread.
   */
  public void awaitPart(EventExecutor other, Runnable then) {
    boolean sent =
        execute(
            () -> {
              if (landingPart) {
                waitingForPart.add(() -> tell(other, then));
              } else {
                tell(other, then);
              }
            });
    if (!sent) {
      tell(other, then);
    }
  }

  /** Whether there is still a listener to tell. */
  private static boolean tell(EventExecutor loop, Runnable then) {
    try {
      loop.execute(then);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }

  /** Releases its initial reservation. It was never visible. */
  void abandon() {
    intake.close();
  }

  /** Ends it and its readers at once, even if they have not read everything. Any thread. */
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
    failed(Refusal.CLOSED);
    assert failure != null : "failed without a reason";
    readers.refuseBelow(Long.MAX_VALUE, failure);
    leave(outermost);
  }

  /** Whether the writer should read on now. Writer's loop. */
  public boolean wantsMore() {
    return switch (phase) {
      case OPEN -> true;
      case STREAMING -> intake.hasRoom();
      case LANDING, BROKEN, COMPLETE, FAILED -> false;
    };
  }

  /** Bytes of content that arrived so far. Writer's loop. */
  public long received() {
    return intake.received();
  }

  /** Bytes of content that have arrived; may be out of date. Any thread. */
  public long progress() {
    return progress;
  }

  /** Whether the arriving content is being stored. Writer's loop. */
  public boolean isStored() {
    return !doNotStore && (intake.isKept() || intake.isSpooled());
  }

  /** It must not be stored (an invalidation came in between). Any thread. */
  public void doNotStore() {
    doNotStore = true;
  }

  /** Whether it may be stored: no invalidation has come yet. Any thread. */
  public boolean mayStore() {
    return !doNotStore;
  }

  // The disk tells

  /** The spool takes more, or needs less of the content in memory. */
  void spoolMoved() {
    leave(enter());
  }

  /** Everything is on disk. */
  void spoolEnded() {
    boolean outermost = enter();
    landed();
    leave(outermost);
  }

  private void landed() {
    if (phase == Phase.LANDING || phase == Phase.BROKEN) {
      phase = phase == Phase.LANDING ? Phase.COMPLETE : Phase.FAILED;
      forget();
    }
  }

  /** The disk can neither store nor return anything more. */
  void spoolFailed() {
    boolean outermost = enter();
    intake.giveUpSpool(!phase.over() && !doNotStore);
    landed();
    leave(outermost);
  }

  /** The disk makes no progress, and a reader waits for it. */
  void spoolStalled() {
    boolean outermost = enter();
    intake.giveUpSpool(!doNotStore);
    leave(outermost);
  }

  /**
   * The bytes that {@code cursor} requested from the disk: takes {@code content}, null if it is not
   * available.
   */
  void read(Cursor cursor, @Nullable ByteBuf content) {
    boolean outermost = enter();
    if (cursor.gone) {
      ReferenceCountUtil.release(content);
    } else if (content == null) {
      cursor.refuse(Refusal.LAGGED);
    } else {
      cursor.place.skip(content.readableBytes());
      cursor.pumping = true;
      cursor.tellContent(content);
      cursor.pumping = false;
      pump(cursor);
    }
    leave(outermost);
  }

  // Delivery

  private void pumpAll() {
    for (int i = 0; i < readers.size(); i++) {
      pump(readers.get(i));
    }
  }

  /** Tells a reader everything it may know by now. */
  private void pump(Cursor cursor) {
    if (cursor.pumping || cursor.gone) {
      return;
    }
    cursor.pumping = true;
    if (!cursor.headTold && arrived != null) {
      cursor.tellHead(arrived);
      cursor.gone |= !arrived.shareable() && !cursor.cause();
    }
    if (cursor.credit > 0) {
      cursor.place.skipTo(cursor.from);
    }
    boolean fails = phase == Phase.FAILED || phase == Phase.BROKEN;
    do {
      while (cursor.mayHaveMore()) {
        cursor.tellContent(cursor.place.next(cursor.credit));
      }
      if (fails || !phase.written() || !cursor.place.isAtEnd()) {
        cursor.tellCaughtUp();
      }
    } while (cursor.mayHaveMore()); // what went out may have brought credit
    if (!cursor.gone && cursor.credit > 0 && cursor.place.isGone()) {
      intake.readFromDisk(cursor);
    }
    if (!cursor.gone && phase.written() && cursor.place.isAtEnd()) {
      if (fails) {
        assert failure != null : "failed without a reason";
        cursor.refuse(failure);
      } else {
        cursor.gone = true;
        cursor.tellEnd(trailers);
      }
    }
    cursor.pumping = false;
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
      readers.sweep();
      intake.feed(phase == Phase.LANDING || phase == Phase.BROKEN, phase == Phase.BROKEN);
      if (phase == Phase.STREAMING) {
        intake.closeLagged();
      }
      if (phase.over() || !intake.isKept()) {
        intake.drop();
      }
      intake.pace(phase == Phase.STREAMING);
      tellWriter();
    }
    boolean spoolIsClosed = intake.closeSpool(phase.over());
    if (phase.over() && readers.size() == 0 && spoolIsClosed && !closed) {
      closed = true;
      intake.close();
    }
  }

  private void tellWriter() {
    if ((readers.isDeserted() || isForNobody()) && !desertion && !phase.written()) {
      desertion = true;
      writer.deserted();
    }
    boolean before = wanting;
    wanting = wantsMore();
    if (wanting && !before) {
      writer.resume();
    }
  }

  /** Whether it has no reader, or never had one, and nothing is stored of it. */
  private boolean isForNobody() {
    return phase == Phase.STREAMING
        && readers.size() == 0
        && !intake.isKept()
        && !intake.isSpooled();
  }

  // Threads

  EventExecutor loop() {
    return loop;
  }

  boolean inWriterLoop() {
    return loop.inEventLoop();
  }

  /** Runs {@code task} on the writer's loop, later; false if that is shut down. */
  boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }
}

package io.loligo.store.inflight;

import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The spooled way of one fetch: a consumer of the content log, which takes it to disk, and the
 * source for readers whose next byte is no longer in memory. Confined to the writer's loop, except
 * for {@link #mayStore}.
 *
 * <p>Content that the disk has not written occupies memory, so the writer is held back when that is
 * a window or more: {@value #WINDOW_BYTES} bytes, {@value #MIN_WINDOW_BYTES} if memory is crowded,
 * and never less than was there at the start. Without any memory, one block is enough; it is
 * reserved at the start, with the bytes that a reader may lag: with that much a disk can always
 * continue, whatever other fetches hold. Nothing is spooled if that reservation fails.
 *
 * <p>So a response is stored however fast its client is, as long as the disk makes progress.
 * Clients do not wait for a stalled disk: while a reader that has everything is held back, a timer
 * checks every {@value #CHECK_MILLIS} ms, and gives up a disk that has neither taken nor written
 * anything since.
 */
final class Spooling implements Spool.Listener {
  /** Bytes of one read at most. */
  private static final int READ_BYTES = 64 << 10;

  /** The writer reads on while the disk lags less: a disk that hesitates is no reason to wait. */
  static final long WINDOW_BYTES = 4 << 20;

  /** The same if memory is crowded: enough to keep a disk busy. */
  static final long MIN_WINDOW_BYTES = 256 << 10;

  /** Bytes held beyond all limits, at most, between two advances of the disk. */
  static final long MAX_FORCED_BYTES = 256 << 10;

  /** A block that the disk has not written, and a read after it. */
  static final long FLOOR_BYTES = 128 << 10;

  /** How long a disk may stall while a client waits. */
  private static final long CHECK_MILLIS = 250;

  private final InFlight source;
  private final ContentLog log;
  private final Place place;
  private final long startBytes;

  @SuppressWarnings("NullAway.Init") // open follows at once: the spool needs its listener first
  private Spool spool;

  private long credit;
  private long readable;
  private long readableWhenForced = -1;
  private long forcedBytes;
  private boolean holding;
  private @Nullable ScheduledFuture<?> check;
  private long readableBefore;
  private long positionBefore;
  private int reads;
  private boolean ending;
  private boolean lost;
  private boolean closed;

  Spooling(InFlight source, ContentLog log) {
    this.source = source;
    this.log = log;
    this.place = new Place(log);
    this.startBytes = log.end();
  }

  /** Takes {@code spool}. */
  void open(Spool spool) {
    this.spool = spool;
  }

  /** Whether it takes content and gives it back: it neither failed nor was given up. */
  boolean isSound() {
    return !lost;
  }

  boolean isClosed() {
    return closed;
  }

  /** Bytes given to the spool. */
  long position() {
    return place.position();
  }

  /** Bytes that need not be in memory. */
  long readable() {
    return readable;
  }

  /** Gives the spool as much of the present content as it takes. */
  void feed() {
    while (credit > 0 && !place.isAtEnd()) {
      ByteBuf content = place.next(credit);
      credit -= content.readableBytes();
      spool.content(content);
    }
  }

  /** Everything is in the log: {@code meta} follows as soon as the spool has all content too. */
  void end(StoredMeta meta) {
    if (!ending && place.isAtEnd()) {
      ending = true;
      spool.end(meta);
    }
  }

  /**
   * Puts {@code content} into the log. True: it was taken. False: the writer does not wait for the
   * disk and there is no memory; the readable rest stays the caller's.
   */
  boolean admit(ByteBuf content) {
    if (log.pass(content)) {
      return true;
    }
    log.drop(readable);
    if (log.pass(content)) {
      return true;
    }
    // these bytes are there already; before many more come, some must have gone
    if (readable != readableWhenForced) {
      readableWhenForced = readable;
      forcedBytes = 0;
    }
    int bytes = content.readableBytes();
    if (forcedBytes > 0 && forcedBytes + bytes > MAX_FORCED_BYTES) {
      return false;
    }
    forcedBytes += bytes;
    log.force(content);
    return true;
  }

  /** Whether the writer has to wait for the disk, as of the last {@link #pace}. */
  boolean isHolding() {
    return holding;
  }

  /**
   * Checks again whether the writer has to wait. The result holds until the next call, because the
   * memory use of others changes at any moment without notice.
   *
   * @param streaming whether more may come
   * @param awaited whether some reader has all content so far
   */
  void pace(boolean streaming, boolean awaited) {
    holding = streaming && !lost && log.end() - readable >= windowBytes();
    if (!holding || !awaited) {
      stopChecking();
    } else if (check == null) {
      startChecking();
    }
  }

  private long windowBytes() {
    if (readable == readableWhenForced) {
      return Spool.MAX_UNTOLD_BYTES;
    }
    return Math.max(startBytes, log.isCrowded() ? MIN_WINDOW_BYTES : WINDOW_BYTES);
  }

  private void startChecking() {
    readableBefore = readable;
    positionBefore = position();
    try {
      check = source.loop().schedule(this::check, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException shutDown) {
      check = null;
    }
  }

  private void stopChecking() {
    if (check != null) {
      check.cancel(false);
      check = null;
    }
  }

  private void check() {
    check = null;
    if (readable == readableBefore && position() == positionBefore) {
      source.spoolStalled();
    } else {
      startChecking();
    }
  }

  /** Requests the next bytes of {@code cursor}, which are not in memory. */
  void read(Cursor cursor) {
    if (cursor.reading) {
      return;
    }
    cursor.reading = true;
    reads++;
    long offset = cursor.place.position();
    int max = (int) Math.min(Math.min(cursor.credit, READ_BYTES), readable - offset);
    spool.read(offset, max, content -> told(cursor, content));
  }

  private void told(Cursor cursor, @Nullable ByteBuf content) {
    reads--;
    cursor.reading = false;
    source.read(cursor, content);
  }

  /** Nothing more is given to it or read from it. */
  void giveUp() {
    lost = true;
  }

  /** Closes the spool as soon as no read is in progress. */
  void close() {
    lost = true;
    if (!closed && reads == 0) {
      closed = true;
      spool.close();
    }
  }

  // Listener

  @Override
  public void credit(long bytes) {
    credit += bytes;
    source.spoolMoved();
  }

  @Override
  public void readable(long upTo) {
    assert upTo >= readable && upTo <= place.position() : upTo + " of " + place.position();
    readable = upTo;
    source.spoolMoved();
  }

  @Override
  public void failed() {
    if (!lost) {
      source.spoolFailed();
    }
  }

  @Override
  public void ended() {
    if (!lost) {
      readable = log.end();
      source.spoolEnded();
    }
  }

  @Override
  public boolean mayStore() {
    return source.mayStore();
  }
}

package io.loligo.store.inflight;

import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.ByteBuf;

/**
 * The spooled way of one fetch: one more consumer of the content log, which takes it to disk, and
 * the source for readers whose next octet is in memory no more. Confined to the writer's loop, but
 * for {@link #mayStore}.
 *
 * <p>Nobody waits for the disk as long as there is a faster reader. So it may fall back, and what
 * it has not written is memory: beyond {@value #MAX_LAG_BYTES} octets (and what was there at its
 * start) that is granted only while others do not need it.
 */
final class Spooling implements Spool.Listener {
  /** Octets of one read at most. */
  private static final int READ_BYTES = 64 << 10;

  /** It may always lag that far: some writes under way, and a disk that hesitates. */
  private static final long MAX_LAG_BYTES = 1 << 20;

  private final InFlight source;
  private final ContentLog log;
  private final Place place;
  private final long lagBytes;
  private Spool spool;
  private long credit;
  private long readable;
  private long readableWhenForced = -1;
  private int reads;
  private boolean ending;
  private boolean lost;
  private boolean closed;

  Spooling(InFlight source, ContentLog log) {
    this.source = source;
    this.log = log;
    this.place = new Place(log);
    this.lagBytes = log.end() + MAX_LAG_BYTES;
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

  /** Octets the spool was given. */
  long position() {
    return place.position();
  }

  /** Octets that need not be in memory. */
  long readable() {
    return readable;
  }

  /** Gives the spool what it takes of what is there. */
  void feed() {
    while (credit > 0 && !place.isAtEnd()) {
      ByteBuf content = place.next(credit);
      credit -= content.readableBytes();
      spool.content(content);
    }
  }

  /** All is in the log: {@code meta} follows as soon as the spool has it too. */
  void end(StoredMeta meta) {
    if (!ending && place.isAtEnd()) {
      ending = true;
      spool.end(meta.withContentLength(log.end()));
    }
  }

  /**
   * Puts {@code content} into the log. True: it was taken. False: the disk is too slow for what
   * memory there is, and what is left readable stays the caller's.
   */
  boolean admit(ByteBuf content) {
    if (log.end() - readable > lagBytes && log.isCrowded()) {
      return false;
    }
    if (log.pass(content)) {
      return true;
    }
    log.drop(readable);
    if (log.pass(content)) {
      return true;
    }
    if (readable == readableWhenForced) {
      return false;
    }
    // these octets are there already; before the next ones come some must have gone
    readableWhenForced = readable;
    log.force(content);
    return true;
  }

  /** Asks for the next octets of {@code cursor}, which are not in memory. */
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

  private void told(Cursor cursor, ByteBuf content) {
    reads--;
    cursor.reading = false;
    source.read(cursor, content);
  }

  /** Nothing more is given to it or read from it. */
  void giveUp() {
    lost = true;
  }

  /** Lets go of the spool as soon as no read is under way. */
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

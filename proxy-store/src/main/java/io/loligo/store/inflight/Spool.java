package io.loligo.store.inflight;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.memory.FurtherContent;
import io.netty.buffer.ByteBuf;

/**
 * Takes the content of a response to disk while it arrives, and gives it back to readers that came
 * late or fell behind. Confined to the writer's event loop; its work is done elsewhere, and its
 * reports come on the writer's loop, never from within a call to it.
 *
 * <pre>
 *   phase     entered by                 legal
 *   OPEN      the landing                content, end, read, close
 *   ENDING    end                        read, close
 *   ENDED     told ended                 read, close
 *   FAILED    told failed                close
 *   CLOSED    close                      nothing
 * </pre>
 *
 * <p>A spool that is given up early is never ended: bytes reported readable can be read until it is
 * closed.
 */
public interface Spool {
  /**
   * At least all but this many of the given bytes are reported {@link Listener#readable} in time,
   * without more content or the end: a block may wait until it is full.
   */
  int MAX_UNTOLD_BYTES = 64 << 10;

  /**
   * The listener. Called on the writer's loop, except for {@link #mayStore}; in any phase of the
   * fetch. After {@link Spool#close} it is not called any more.
   */
  interface Listener {
    /** The spool takes {@code bytes} more. The first credit comes after it was opened. */
    void credit(long bytes);

    /**
     * Content below {@code upTo} can be {@link Spool#read}; its memory may be released. Never less
     * than reported before. The fetch holds unreported bytes in memory.
     */
    void readable(long upTo);

    /**
     * The spool cannot continue, in any phase before CLOSED: it stores nothing from now on, and
     * nothing more can be read. Reads in progress still get their answer.
     */
    void failed();

    /**
     * After {@link Spool#end}: the response is stored and will be found, or was left out because
     * {@link #mayStore} said so. All of it is readable in both cases.
     */
    void ended();

    /**
     * Whether it may still be stored. Any thread. Called at the moment when it becomes findable,
     * under the lock that removals of its key take too: an invalidation first tells the fetch and
     * then removes stored responses, so one of the two catches it.
     */
    boolean mayStore();
  }

  /**
   * Takes {@code content}, at least one byte and within the credit. The total never exceeds the
   * announced length. Its memory is entered with the fetch until {@link Listener#readable} reports
   * it; the spool enters what it holds longer.
   */
  void content(ByteBuf content);

  /** All content was given and is to be stored; {@code meta} has its length. */
  void end(StoredMeta meta);

  /**
   * Reads at most {@code max} bytes from {@code offset}, all of them reported readable. Several
   * reads may be in progress. {@code then} is told once, on the writer's loop, never from within
   * this call, and even if the spool fails meanwhile; null if they are not available.
   */
  void read(long offset, int max, FurtherContent.Listener then);

  /**
   * There are no readers any more. Called once, last, in every life, and while no read is in
   * progress. A stored response stays stored; otherwise the space is given back, and nothing of it
   * is ever found.
   */
  void close();
}

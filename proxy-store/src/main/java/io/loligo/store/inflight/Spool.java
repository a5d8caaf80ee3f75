package io.loligo.store.inflight;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.memory.FurtherContent;
import io.netty.buffer.ByteBuf;

/**
 * Takes the content of a response to disk while it arrives, and gives it back to readers who came
 * late or fell behind. Confined to the writer's event loop; its work is done elsewhere, and what it
 * tells comes on the writer's loop, never before the call that caused it has returned.
 *
 * <pre>
 *   phase     entered by         legal
 *   OPEN      the landing        content, end, abort, read
 *   ENDING    end                abort, read
 *   STORED    told stored        close, read
 *   FAILED    told failed        close; read gives nothing
 *   CLOSED    abort, close       nothing
 * </pre>
 */
public interface Spool {
  /** What the spool tells, on the writer's loop. */
  interface Listener {
    /** It takes {@code bytes} more. The first credit comes after it was opened. */
    void credit(long bytes);

    /**
     * Content below {@code upTo} can be {@link Spool#read}; memory for it may go. The last octets
     * are told when it is stored.
     */
    void readable(long upTo);

    /** It will never be complete; nothing can be read from it any more. */
    void failed();

    /** After {@link Spool#end}: it is stored and will be found. */
    void stored();
  }

  /** Takes {@code content}, within the credit. */
  void content(ByteBuf content);

  /** All content was given; {@code meta} has its length. */
  void end(StoredMeta meta);

  /** It is not to be stored. What was written is given back. */
  void abort();

  /**
   * Reads at most {@code max} octets from {@code offset}, which is below what was told readable.
   * {@code then} is told on the writer's loop; null where they cannot be had.
   */
  void read(long offset, int max, FurtherContent.Listener then);

  /** Nobody reads it any more; what is stored stays stored. */
  void close();
}

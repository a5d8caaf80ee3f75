package io.loligo.store.inflight;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.memory.FurtherContent;
import io.netty.buffer.ByteBuf;

/**
 * Takes the content of a response to disk while it arrives, and gives it back to readers who came
 * late or fell behind. Confined to the writer's event loop; its work is done elsewhere, and what it
 * tells comes on the writer's loop, never from within a call to it.
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
 * <p>What is given up before its end is simply never ended: what was told readable can be read
 * until it is closed.
 */
public interface Spool {
  /**
   * Of what it was given it tells at least all but that many bytes {@link Listener#readable} in
   * time, without more content or the end: a block may wait until it is full.
   */
  int MAX_UNTOLD_BYTES = 64 << 10;

  /**
   * Who is told. On the writer's loop, but for {@link #mayStore}; whatever phase the fetch is in.
   * After {@link Spool#close} nothing is told any more.
   */
  interface Listener {
    /** It takes {@code bytes} more. The first credit comes after it was opened. */
    void credit(long bytes);

    /**
     * Content below {@code upTo} can be {@link Spool#read}; memory for it may go. Never less than
     * told before. Bytes not told yet are held in memory by the fetch.
     */
    void readable(long upTo);

    /**
     * It cannot go on, in any phase before CLOSED: nothing is stored by it from now on, and nothing
     * more can be read. Reads under way are told all the same.
     */
    void failed();

    /**
     * After {@link Spool#end}: it is stored and will be found, or was left out where {@link
     * #mayStore} said so. All of it is readable either way.
     */
    void ended();

    /**
     * Whether it may be stored still. Any thread. Asked at the moment it is made findable, under
     * what removals of its key take too: an invalidation tells the fetch first and then removes
     * what is there, so one of the two catches it.
     */
    boolean mayStore();
  }

  /**
   * Takes {@code content}, at least one byte and within the credit. All together are never more
   * than the length announced. Its memory is entered with the fetch until it was told {@link
   * Listener#readable}; what is held longer is the spool's to enter.
   */
  void content(ByteBuf content);

  /** All content was given and is to be stored; {@code meta} has its length. */
  void end(StoredMeta meta);

  /**
   * Reads at most {@code max} bytes from {@code offset}; all of them were told readable. Several
   * may be under way. {@code then} is told once, on the writer's loop, never from within this call,
   * and even where the spool fails meanwhile; null where they cannot be had.
   */
  void read(long offset, int max, FurtherContent.Listener then);

  /**
   * Nobody reads it any more. Called once, last, in every life, and while no read is under way.
   * What is stored stays stored; what is not is given back, and is never found.
   */
  void close();
}

package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;

/**
 * A response on its way: one writer, many readers, each with its own cursor. The writer's calls
 * belong to the writer's event loop; readers live on theirs and are told there.
 *
 * <p>Phases (store work package: complete this table).
 */
public abstract class InFlight {
  /** Told on the writer's loop. */
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
     * The head arrived. {@code shareable} false: this answer is not for you, leave and go your own
     * way. Borrows nothing: {@code head} is an immutable snapshot.
     */
    void head(Arrived head);

    /** Content within the credit asked for. Takes {@code content}. */
    void content(ByteBuf content);

    /** Complete; {@code trailers} may be null: an immutable snapshot. */
    void end(Fields trailers);

    /** It will never be complete. */
    void failed(Object cause);
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

  /** The key it is fetched under. */
  public abstract CacheKey key();

  /**
   * Reads along, from the first octet of content. Any loop. Null where it is too late: the first
   * octets are gone or the object ended; look up again.
   *
   * @param cause whether this is the one who caused the fetch (told even if not shareable)
   */
  public abstract Subscription attach(Reader reader, boolean cause);

  /** The head arrived. Takes {@code fields}. Writer's loop. */
  public abstract void head(
      ResponseHead snapshot,
      StoredMeta meta,
      boolean shareable,
      ByteBuf fields,
      long contentLength);

  /** Content arrived. Takes {@code content}. Writer's loop. */
  public abstract void content(ByteBuf content);

  /** Complete: stored if it may be, and no longer in flight. Writer's loop. */
  public abstract void end(Fields trailers);

  /** Given up; nothing is stored. Writer's loop. */
  public abstract void fail(Object cause);

  /** Whether the writer should read on now. Writer's loop. */
  public abstract boolean wantsMore();

  /** Octets of content that arrived so far. Writer's loop. */
  public abstract long received();

  /** It is not to be stored after all (an invalidation came between). Any thread. */
  public abstract void doNotStore();
}

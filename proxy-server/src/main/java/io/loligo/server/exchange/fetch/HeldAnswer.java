package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.Invalidation;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.Removal;
import io.loligo.store.inflight.InFlight;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The response to an unsafe request, held until the disks have confirmed the invalidation that it
 * causes (RFC 9111 section 4.4). A client with the new response must not get the old one again,
 * even after a crash. The wait is not longer than a request's wait for a disk lookup. None of the
 * content is read during the wait, and this object owns nothing that needs a release. Confined to
 * the event loop.
 */
final class HeldAnswer extends LoopTimer.Timeout implements Consumer<Boolean> {
  /** Receives the response when the wait ends. */
  interface Owner {
    /**
     * The wait has ended. Called once.
     *
     * @param forgotten whether the disks confirmed the invalidation; if not, the old response may
     *     reappear after a crash
     */
    void released(HeldAnswer answer, boolean forgotten);
  }

  private final LoopTimer timer;
  private final Owner owner;
  private @Nullable ResponseHead reply;
  private long contentLength;
  private boolean ended;
  private boolean over;

  HeldAnswer(LoopTimer timer, Owner owner) {
    this.timer = timer;
    this.owner = owner;
  }

  /**
   * Invalidates the responses that {@code request}, which is unsafe, makes invalid by {@code reply}
   * (RFC 9111 section 4.4, RFC 9875 section 3), and tells peers of the URLs. Returns whether the
   * response has to wait for the disks.
   *
   * @param key of {@code inFlight}, the response
   */
  boolean invalidates(
      LoopServices services, Request request, CacheKey key, InFlight inFlight, ResponseHead reply) {
    RequestTarget target = request.target();
    List<CacheKey> stale = Invalidation.targets(target.url(), request.head().methodId(), reply);
    if (request.mayBeTold()) {
      for (CacheKey each : stale) {
        services.asking.removed(each.toString(), Removal.INVALIDATION);
      }
    }
    if (target.storeId() != null && !stale.isEmpty()) {
      stale.add(services.keys.urlKey(target));
    }
    long[] groups = CacheGroups.invalidated(key, reply.fields());
    return services.store.invalidate(stale, key, groups, inFlight, request.loop(), this);
  }

  /**
   * Begins to wait.
   *
   * @param reply borrowed
   * @param contentLength bytes of its content, see {@link io.loligo.core.message.ContentLength}
   * @param patienceMillis the longest wait in milliseconds; 0: without a limit
   */
  void hold(ResponseHead reply, long contentLength, long patienceMillis) {
    this.reply = reply.snapshot();
    this.contentLength = contentLength;
    timer.arm(this, patienceMillis);
  }

  /** The held head, a snapshot. */
  ResponseHead reply() {
    assert reply != null : "nothing is held";
    return reply;
  }

  /** Bytes of its content, see {@link io.loligo.core.message.ContentLength}. */
  long contentLength() {
    return contentLength;
  }

  /** Notes that the held response is complete and has no content. */
  void end() {
    ended = true;
  }

  /** Whether the held response is complete. */
  boolean ended() {
    return ended;
  }

  /** The disks have confirmed the invalidation or failed. */
  @Override
  public void accept(Boolean forgotten) {
    release(forgotten);
  }

  @Override
  protected void expired() {
    release(false);
  }

  private void release(boolean forgotten) {
    if (!over) {
      drop();
      owner.released(this, forgotten);
    }
  }

  /** Ends the wait without calling the owner. */
  void drop() {
    over = true;
    timer.forget(this);
  }
}

package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.RequestHead;
import io.loligo.core.range.RangeSelection;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may read along with the fetch of another one, once the head of that
 * response is known. Confined to the loop.
 */
final class Alongside {
  private final LoopServices services;
  private final RequestHead head;
  private final CacheKey key;
  private final MissCause cause;
  private final OthersFetches others;

  /** The variant that this request selects; null: not known yet. */
  private @Nullable VarySelection selection;

  Alongside(
      LoopServices services,
      RequestHead head,
      CacheKey key,
      MissCause cause,
      OthersFetches others) {
    this.services = services;
    this.head = head;
    this.key = key;
    this.cause = cause;
    this.others = others;
  }

  /** The variant that this request is known to select; null: unknown. */
  @Nullable VarySelection selects() {
    Entry stored = cause.stored();
    VarySelection known = stored == null ? null : stored.meta().vary();
    return selection != null || (known != null && known.isOfOneRequest()) ? selection : known;
  }

  /** Whether {@code reply}, to another request, answers this one. */
  boolean answers(ArrivedReply reply) {
    if (!reply.isShareable()) {
      RequestHead asked = others.head();
      assert asked != null : "another request is waited for";
      noteUnshared(reply.head().status(), asked);
      return false;
    }
    if (reply.isHitDenied()) {
      others.looksNoMore(); // nor is what it leaves in the store for this request
      return false;
    }
    if (reply.meta() == null) {
      return true; // only its size keeps it out of the store
    }
    VarySelection brought = reply.meta().vary();
    if (brought != null && !brought.matches(head.fields())) {
      selection = brought.by(head.fields());
      return false;
    }
    StoredMeta found = reply.regarded();
    if (found == null) {
      return false; // for ports of the other kind
    }
    CacheDecision joined = cause.decideAgain(found, others.head());
    if (joined.reason() == CacheReason.REQUEST_MAX_AGE
        && others.awaited() != null
        && cause.isPlain()) {
      // one of those it is too old for asks, and the others wait for that
      others.awaited().notJoinable();
    }
    return joined.outcome() == Outcome.SERVE || joined.outcome() == Outcome.NOT_MODIFIED;
  }

  /**
   * Whether the fetch gives a client that asks for a range the same response as a hit would: a
   * range that has begun to arrive or, with {@code selected} null, the whole.
   */
  boolean givesRange(@Nullable StoredMeta meta, @Nullable RangeSelection selected) {
    if (selected == null) {
      return meta != null && meta.contentLength() >= 0;
    }
    return switch (selected.outcome()) {
      case SINGLE -> selected.ranges().get(0).first() < awaited().progress();
      case UNSATISFIABLE -> true;
      default -> false;
    };
  }

  private InFlight awaited() {
    InFlight awaited = others.awaited();
    assert awaited != null : "none is waited for";
    return awaited;
  }

  /** The response to {@code asked} cannot be shared: for a while no request waits for another. */
  void noteUnshared(int status, RequestHead asked) {
    if (status < 500 && cause.isPlain() && !Storability.dependsOnRequest(status, asked)) {
      services.hitForMiss.note(key, services.clock.millis());
    }
  }
}

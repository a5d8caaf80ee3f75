package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.range.Completion;
import io.loligo.core.range.Incomplete;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The reason why the store does not answer a request: a decision and, where there is one, a stored
 * response that is stale or incomplete. It says what the request may do about it: join the fetch of
 * another request, let others join its own, validate, complete. Owns a reference to the stored
 * response until {@link #release}. Confined to the client's event loop.
 */
final class MissCause {
  /** Fields of a request whose fetch no other request joins. */
  private static final FieldSet NOT_JOINABLE =
      Preconditions.FIELDS_AND_RANGE.and(FieldName.AUTHORIZATION);

  /** Fields that a fetch of the whole does not send. */
  private static final FieldSet RANGES =
      Preconditions.FIELDS_AND_RANGE.without(Preconditions.FIELDS);

  /**
   * Conditions that the proxy judges for each client. A validation replaces them by its own; a
   * request that waits for the fetch of another has them judged against the response to that.
   */
  private static final FieldSet JUDGED_HERE =
      Preconditions.FIELDS_AND_RANGE.without(Preconditions.FOR_ORIGINS);

  private final LoopServices services;
  private final Request request;
  private final RequestHead head;
  private final boolean whole;
  private CacheDecision decision;
  private @Nullable Entry stale;
  private @Nullable Entry part;

  /** For {@code request}, a snapshot. Takes {@code stored}, which may be null. */
  MissCause(
      LoopServices services, Request request, @Nullable Entry stored, CacheDecision decision) {
    this.services = services;
    this.request = request;
    this.head = request.head();
    boolean incomplete = stored != null && !Incomplete.answers(head, stored.meta());
    this.stale = incomplete ? null : stored;
    this.part = incomplete ? stored : null;
    this.decision = decision;
    this.whole = services.caching.fetchesWhole(request, decision);
  }

  CacheDecision decision() {
    return decision;
  }

  /** Whether only a stored response of another node may answer. */
  boolean wantsStored() {
    return decision.outcome() == Outcome.UNSATISFIABLE;
  }

  /** Whether the whole is fetched for the range that the client asks for. */
  boolean fetchesWhole() {
    return whole;
  }

  // ---- the stored response

  /** The stored response that could not be used as it is, borrowed, or null. */
  @Nullable Entry stored() {
    return stale != null ? stale : part;
  }

  boolean isStale() {
    return stale != null;
  }

  /** The stale response, which becomes the caller's; not null. */
  Entry takeStale() {
    Entry taken = stale;
    assert taken != null : "none is stale";
    stale = null;
    return taken;
  }

  /** The incomplete response, borrowed, or null. */
  @Nullable Entry part() {
    return part;
  }

  /** The response that the origin is asked to validate, borrowed; null where it is asked anew. */
  @Nullable Entry validated() {
    return decision.outcome() == Outcome.VALIDATE && stale != null && isSteeredLike(stale)
        ? stale
        : null;
  }

  /**
   * The stored response that is fetched anew, as it has no validator, borrowed; null where there is
   * none, or where the new response says nothing of it.
   */
  @Nullable Entry fetchedAnew() {
    boolean ofItself =
        decision.outcome() == Outcome.FETCH
            && decision.reason() != CacheReason.REQUEST_NO_STORE
            && decision.reason() != CacheReason.CONDITIONAL;
    return ofItself && stale != null && isSteeredLike(stale) ? stale : null;
  }

  /** The plan by which the incomplete response is completed; null where it is not. */
  @Nullable Completion completion() {
    if (part == null || decision.reason() != CacheReason.INCOMPLETE || !isSteeredLike(part)) {
      return null;
    }
    boolean besides = part.isOnDisk();
    Completion completion =
        whole
            ? Completion.ofWhole(part.meta(), besides)
            : Completion.of(head, part.meta(), besides);
    return completion != null && services.store.fits(completion.length()) ? completion : null;
  }

  private boolean isSteeredLike(Entry stored) {
    return VarySelection.isSteeredLike(stored.meta().vary(), head.fields());
  }

  /** The facts of the stale response for the port of the request; null where there is none. */
  @Nullable StoredMeta staleMeta() {
    return stale == null ? null : services.caching.regarded(stale, request);
  }

  /**
   * Whether the stale response may be served when the origin fails. RFC 9111 section 4.3.3 lets the
   * proxy treat a 5xx as if the origin had not answered at all.
   */
  boolean mayServeStale() {
    StoredMeta meta = staleMeta();
    return meta != null
        && Reuse.mayServeOnError(
            services.clock.millis(),
            head,
            meta,
            services.caching.url(request),
            services.caching.of(request));
  }

  /**
   * Whether the stale response could be served while it is validated (RFC 5861 section 3), if its
   * origin said so: neither the request nor the response demands the validation.
   */
  boolean couldBeStaleMeanwhile() {
    StoredMeta meta = staleMeta();
    return meta != null
        && decision.reason() == CacheReason.STALE
        && meta.staleWhileRevalidateSeconds() == 0
        && !meta.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE);
  }

  // ---- other requests for the same

  /** Whether a new response may be stored if it says so: the response to a POST, too. */
  boolean mayStore() {
    return decision.outcome() != Outcome.BYPASS
        || (decision.reason() == CacheReason.METHOD
            && head.methodId() == Method.POST
            && services.caching.mayCache(request));
  }

  /**
   * Whether an equal fetch under way may serve this request, and this one's fetch may serve others.
   */
  boolean isPlain() {
    return isExpected()
        && !head.fields().hasAny(NOT_JOINABLE, replaced())
        && !Storability.takesFieldsAway(head.fields());
  }

  /**
   * Whether an equal fetch under way may serve this request, though this one's own fetch could not
   * serve others: it has conditions, or asks for a range.
   */
  boolean mayWait() {
    return isExpected()
        && stored() == null
        && !head.fields().hasAny(NOT_JOINABLE, JUDGED_HERE)
        && !Storability.takesFieldsAway(head.fields())
        && !(services.settings.caching().refreshAllIms
            && head.fields().hasAny(Preconditions.FIELDS));
  }

  boolean asksForRange() {
    return head.fields().has(FieldName.RANGE) && head.methodId() != Method.HEAD;
  }

  /** Whether the fetch of another request may bring the response to this one. */
  private boolean isExpected() {
    // stale and without a validator it is fetched, as if it were not there
    return decision.outcome() == Outcome.FETCH
        ? isMissing() || decision.reason() == CacheReason.STALE
        : decision.outcome() == Outcome.VALIDATE && decision.reason() == CacheReason.STALE;
  }

  private boolean isMissing() {
    return switch (decision.reason()) {
      case URI_MISS, VARY_MISS, DISK_UNREADABLE, INCOMPLETE -> true;
      default -> false;
    };
  }

  /** Fields of the client's request that the origin does not get. */
  private FieldSet replaced() {
    Entry asked = validated();
    if (asked != null && asked.meta().part() == null) {
      return JUDGED_HERE;
    }
    return whole || request.slice() != null ? RANGES : FieldSet.NONE;
  }

  /** Whether a part of the response, if it comes to the disk, is of use to the request. */
  boolean wantsPart() {
    return head.methodId() == Method.GET && decision.outcome() == Outcome.FETCH && isMissing();
  }

  /** Whether the response may have come to the disk since this request looked there. */
  boolean mayBeOnDiskMeanwhile() {
    return stored() == null
        && decision.outcome() == Outcome.FETCH
        && (decision.reason() == CacheReason.URI_MISS
            || decision.reason() == CacheReason.VARY_MISS);
  }

  /**
   * The status for a failure: 504 if a stored response must be validated (RFC 9111 section
   * 5.2.2.2).
   */
  int status(int failureStatus) {
    StoredMeta meta = staleMeta();
    boolean unvalidated =
        meta != null
            && meta.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)
            && failureStatus != FetchFailure.Kind.ADDRESS_DENIED.status();
    return unvalidated ? 504 : failureStatus;
  }

  // ---- a stored response that came meanwhile

  /**
   * The decision by which {@code entry}, borrowed, answers the request; null where it does not.
   *
   * @param awaited the request that was waited for, or null
   */
  @Nullable CacheDecision usable(Entry entry, @Nullable RequestHead awaited) {
    StoredMeta meta = services.caching.regarded(entry, request);
    if (meta == null || services.caching.isHitDenied(request, entry)) {
      return null;
    }
    CacheDecision again = decideAgain(meta, awaited);
    return switch (Incomplete.weigh(again, head, meta).outcome()) {
      case SERVE, NOT_MODIFIED, SERVE_STALE_AND_REVALIDATE -> again;
      default -> null;
    };
  }

  /** The decision about {@code found} after the wait for {@code awaited}, which may be null. */
  CacheDecision decideAgain(StoredMeta found, @Nullable RequestHead awaited) {
    return Reuse.decideAfterWaiting(
        services.clock.millis(),
        head,
        request.nowMillis(),
        awaited,
        found,
        services.caching.url(request),
        services.caching.of(request));
  }

  /**
   * Takes {@code entry}, which does not answer the request as it is: from now on that is completed
   * or validated, if it can be.
   *
   * @param awaited the request that was waited for, or null
   * @param partAwaited whether the request has waited for a part
   */
  void replaceBy(Entry entry, @Nullable RequestHead awaited, boolean partAwaited) {
    if (!completeInstead(entry, awaited, partAwaited)) {
      validateInstead(entry);
    }
  }

  private boolean completeInstead(Entry entry, @Nullable RequestHead awaited, boolean partAwaited) {
    StoredMeta meta = services.caching.regarded(entry, request);
    if (stale != null
        || !wantsPart()
        || meta == null
        || services.caching.isHitDenied(request, entry)) {
      return false;
    }
    CacheDecision again = Incomplete.weigh(decideAgain(meta, awaited), head, meta);
    boolean completes =
        again.outcome() == Outcome.FETCH && again.reason() == CacheReason.INCOMPLETE;
    boolean validates =
        partAwaited
            && again.outcome() == Outcome.VALIDATE
            && meta.hasValidator()
            && isSteeredLike(entry);
    if (!completes && !validates) {
      return false;
    }
    release();
    part = completes ? entry : null;
    stale = completes ? null : entry;
    decision = again;
    request.record().decision = again;
    return true;
  }

  /** The response that another request has validated replaces the one this request has. */
  private void validateInstead(Entry entry) {
    StoredMeta meta = entry.meta();
    Entry asked = validated();
    if (asked != null
        && meta.hasValidator()
        && meta.part() == null
        && meta.isFor(services.caching.of(request).gateway)) {
      asked.release();
      stale = entry;
    } else {
      entry.release();
    }
  }

  /** Nothing of it is needed any more. */
  void release() {
    if (stale != null) {
      stale.release();
      stale = null;
    }
    if (part != null) {
      part.release();
      part = null;
    }
  }
}

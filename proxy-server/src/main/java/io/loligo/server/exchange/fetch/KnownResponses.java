package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.Validation;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses about which a fetch asks the origin: one that is validated, variants that
 * are offered, or a part that is completed; and what the response does to stored responses. Owns a
 * reference to each until {@link #release}. Confined to the event loop of the fetch.
 */
final class KnownResponses {
  private final LoopServices services;
  private final Fetch fetch;
  private final @Nullable FetchClient client;
  private @Nullable Entry validated;
  private @Nullable OfferedVariants offered;
  private @Nullable Completing completing;

  /**
   * Those of {@code fetch}.
   *
   * @param client null: the fetch is in the background
   * @param validated the stored response whose validators are sent, borrowed; or null
   */
  KnownResponses(
      LoopServices services, Fetch fetch, @Nullable FetchClient client, @Nullable Entry validated) {
    this.services = services;
    this.fetch = fetch;
    this.client = client;
    this.validated = validated != null && validated.tryRetain() ? validated : null;
  }

  /** Takes {@code variants}, whose entity tags are offered; null: none. */
  void offer(@Nullable OfferedVariants variants) {
    offered = variants;
  }

  /** Takes {@code part}, whose gaps are fetched. */
  void complete(Completing part) {
    completing = part;
  }

  /** The response that is validated, borrowed; null if there is none. */
  @Nullable Entry validated() {
    return validated;
  }

  /** Whether variants are offered. */
  boolean areOffered() {
    return offered != null;
  }

  /** Whether a 304 may be about one of them. */
  boolean mayBeConfirmed() {
    return validated != null || offered != null;
  }

  /** Whether the response that is validated is incomplete. */
  boolean isPartValidated() {
    return validated != null && validated.meta().part() != null;
  }

  /** Whether a part is completed. */
  boolean isCompleting() {
    return completing != null;
  }

  /** Whether readers have the head of the response that is completed. */
  boolean isOpened() {
    return completing != null && completing.isOpened();
  }

  /** The part whose gaps are fetched. */
  Completing part() {
    assert completing != null : "nothing is completed";
    return completing;
  }

  /**
   * The fields that ask about them, or continue {@code slice}; null: those of the client.
   *
   * @param slice that the request is for; null: none
   * @param unconditional whether the conditions of the client are left out
   */
  @Nullable Conditions conditions(@Nullable Slice slice, boolean unconditional) {
    if (validated != null) {
      return Conditions.validating(validated.meta(), slice != null);
    }
    if (offered != null) {
      return offered.conditions();
    }
    if (completing != null) {
      return completing.conditions();
    }
    if (slice != null && slice.continued() != null) {
      return Conditions.continuing(slice.continued());
    }
    return unconditional ? Conditions.NONE : null;
  }

  /** The stored response that a 304 confirms (RFC 9111 section 4.3.4), borrowed, or null. */
  @Nullable Entry named(ResponseHead notModified) {
    if (offered != null) {
      return offered.named(notModified);
    }
    return validated != null && Validation.confirms(validated.meta(), notModified)
        ? validated
        : null;
  }

  /**
   * Whether {@code reply}, which is no 304, has the validators of the response that is validated,
   * and its length.
   *
   * @param contentLength bytes of content that it announces; -1: unknown
   */
  boolean isRepeatedBy(ResponseHead reply, long contentLength) {
    boolean hasValidator =
        reply.fields().has(FieldName.ETAG) || reply.fields().has(FieldName.LAST_MODIFIED);
    return validated != null
        && hasValidator
        && Validation.describes(validated.meta(), reply, contentLength);
  }

  // ---- what the response does to them

  private StoredUpdate update(ResponseHead reply) {
    return new StoredUpdate(
        services, fetch.request().allocator(), fetch.key(), fetch, reply, fetch.isForOthers(reply));
  }

  /**
   * A 304 confirms {@code named}, borrowed. The client, if there is one, gets it with updated
   * fields.
   */
  void confirm(Entry named, ResponseHead reply) {
    ResponseHead merged = StoredUpdate.merged(named, reply);
    StoredUpdate update = update(reply);
    Entry fresh =
        areOffered()
            ? update.selected(named, merged, fetch.inFlight()::mayStore)
            : update.validated(named, merged);
    if (client != null) {
      FieldLines lines = new FieldLines(64);
      ReplyFields.addWithheld(reply, services.storing.withheld(fetch, reply, merged), lines);
      client.confirmed(fresh, lines);
    } else {
      fresh.release();
    }
  }

  /**
   * Applies {@code reply}, which is a response of its own, to the stored response that it
   * describes, or in whose place it comes.
   *
   * @param contentLength bytes of content that it announces, or that a GET would get; -1: unknown
   */
  void apply(ResponseHead reply, long contentLength) {
    RequestHead head = fetch.head();
    Entry described = client == null || !fetch.mayStore() ? null : client.stored();
    if (described != null
        && head.methodId() == Method.HEAD
        && reply.status() == 200
        && VarySelection.isSteeredLike(described.meta().vary(), head.fields())) {
      update(reply).refreshByHead(described, contentLength);
    }
    Entry outdated = client == null || validated != null ? validated : client.stored();
    if (outdated != null
        && head.methodId() == Method.GET
        && (reply.status() == 404 || reply.status() == 410)
        && VarySelection.isSteeredLike(outdated.meta().vary(), head.fields())) {
      // stale-if-error must not serve a resource that is gone
      update(reply).distrust(outdated);
    }
  }

  /** {@code reply}, which is not stored, comes in place of a stored response, if there is one. */
  void outdate(ResponseHead reply, long nowMillis) {
    Entry outdated = client == null || validated != null ? validated : client.fetchedAnew();
    if (outdated != null) {
      update(reply).outdate(outdated, nowMillis);
    }
  }

  /** Releases all of them. */
  void release() {
    if (validated != null) {
      validated.release();
      validated = null;
    }
    if (offered != null) {
      offered.release();
      offered = null;
    }
    releasePart();
  }

  /** Releases the part: the response is not its continuation. */
  void releasePart() {
    if (completing != null) {
      completing.release();
      completing = null;
    }
  }
}

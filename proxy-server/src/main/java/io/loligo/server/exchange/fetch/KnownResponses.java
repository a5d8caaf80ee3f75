package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.Validation;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.memory.Entry;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses about which a fetch asks the origin: one that is validated, variants that
 * are offered, or a part that is completed. Owns a reference to each until {@link #release}.
 * Confined to the event loop of the fetch.
 */
final class KnownResponses {
  private @Nullable Entry validated;
  private @Nullable OfferedVariants offered;
  private @Nullable Completing completing;

  /**
   * @param validated the stored response whose validators are sent, borrowed; or null
   */
  KnownResponses(@Nullable Entry validated) {
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

  /** The part whose gaps are fetched. */
  Completing part() {
    assert completing != null : "nothing is completed";
    return completing;
  }

  /**
   * The fields that ask about them; null if there are none.
   *
   * @param slice whether the request is for a slice
   */
  @Nullable Conditions conditions(boolean slice) {
    if (validated != null) {
      return Conditions.validating(validated.meta(), slice);
    }
    if (offered != null) {
      return offered.conditions();
    }
    return completing == null ? null : completing.conditions();
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

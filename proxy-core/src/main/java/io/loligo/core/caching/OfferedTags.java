package io.loligo.core.caching;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entity tags of stored variants that the request does not select, sent in one If-None-Match: a
 * 304 then names the one that the origin would send (RFC 9111 sections 4.1 and 4.3.1). Confined to
 * one thread.
 *
 * <p>At most {@value #MAX_TAGS} tags of {@value #MAX_BYTES} bytes together are offered.
 */
public final class OfferedTags {
  public static final int MAX_TAGS = 8;

  static final int MAX_BYTES = 1024;

  private static final int OK = 200;

  private final List<byte[]> tags = new ArrayList<>(MAX_TAGS);
  private int bytes;

  /**
   * Whether a request with this decision offers any; a request with its own conditions or ranges
   * asks for something else.
   */
  public static boolean goWith(CacheDecision decision, RequestHead request) {
    return decision.outcome() == Outcome.FETCH
        && decision.reason() == CacheReason.VARY_MISS
        && request.methodId() == Method.GET
        && !request.fields().hasAny(Preconditions.FIELDS_AND_RANGE);
  }

  /** Whether a stored variant has a tag to offer, for any request. */
  public static boolean hasTag(StoredMeta variant) {
    byte[] tag = variant.etag();
    return tag != null
        && variant.status() == OK
        && variant.part() == null
        && EntityTag.isWellFormed(tag);
  }

  /**
   * Adds the tag of a stored variant; false if it has none to offer, or there is no more room. The
   * variants come in the order of preference. A variant that was negotiated by another
   * Accept-Encoding, or has a coding that the request does not name, is left out: origins that
   * compress on the way out have tags that match in all codings, and would stop compressing. The
   * same holds for a variant that was selected by a field with which a client steers the origin, if
   * this request lacks the field.
   *
   * @param fields of the stored variant, borrowed
   * @param request borrowed
   */
  public boolean add(StoredMeta variant, Fields fields, Fields request) {
    byte[] tag = variant.etag();
    if (tag == null
        || !hasTag(variant)
        || !isCodingRight(variant.vary(), fields, request)
        || !VarySelection.isSteeredLike(variant.vary(), request)
        || isOffered(tag)
        || tags.size() == MAX_TAGS
        || bytes + tag.length > MAX_BYTES) {
      return false;
    }
    tags.add(tag);
    bytes += tag.length;
    return true;
  }

  private static boolean isCodingRight(
      @Nullable VarySelection vary, Fields stored, Fields request) {
    if (vary != null && !vary.agreesOn(FieldName.ACCEPT_ENCODING, request)) {
      return false;
    }
    int coding = stored.first(FieldName.CONTENT_ENCODING);
    return coding < 0
        || (stored.next(FieldName.CONTENT_ENCODING, coding + 1) < 0
            && request.hasToken(FieldName.ACCEPT_ENCODING, stored.value(coding)));
  }

  private boolean isOffered(byte[] tag) {
    for (byte[] other : tags) {
      if (EntityTag.weakMatch(other, tag, 0, tag.length)) {
        return true;
      }
    }
    return false;
  }

  /** The number of added tags. */
  public int size() {
    return tags.size();
  }

  /** Adds the condition. Legal if there is at least one tag. */
  public void addTo(FieldLines lines) {
    lines.append("If-None-Match: ");
    for (int i = 0; i < tags.size(); i++) {
      lines.append(i == 0 ? "" : ", ").append(tags.get(i), 0, tags.get(i).length);
    }
    lines.endLine();
  }

  /**
   * The number, in the order of adding, of the variant that a 304 names (RFC 9111 section 4.3.4);
   * -1 if it names none. A 304 without a tag names the only one.
   */
  public int named(ResponseHead notModified) {
    Fields fields = notModified.fields();
    int named = fields.first(FieldName.ETAG);
    if (named < 0) {
      return tags.size() == 1 ? 0 : -1;
    }
    for (int i = 0; i < tags.size(); i++) {
      if (Validation.names(fields, named, tags.get(i))) {
        return i;
      }
    }
    return -1;
  }
}

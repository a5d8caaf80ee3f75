package io.loligo.core.range;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.List;

/**
 * Whether a 206 is stored, as an incomplete 200 (RFC 9111 section 3.3): it must be storable as that
 * 200, and be the single requested range. A response to If-Range that omits the fields which the
 * client already has is not stored (RFC 9110 section 15.3.7). Stateless.
 */
public final class PartStorability {
  private static final int OK = 200;

  private PartStorability() {}

  /**
   * Decides as {@link Storability#of}. The meta is that of the 200; without a {@linkplain
   * StoredMeta#part part} if the range is all of it. Shareable: among requests for this very range.
   *
   * @param partLength bytes of content in the 206; -1 if unknown
   */
  public static Storability of(
      RequestHead request,
      ResponseHead response,
      CharSequence url,
      long requestTimeMillis,
      long responseTimeMillis,
      long partLength,
      CacheSettings settings) {
    if (request.fields().has(FieldName.IF_RANGE)
        && !response.fields().has(FieldName.CONTENT_TYPE)) {
      return refused("a part without the fields that the client already has");
    }
    ContentRange place = ContentRange.of(response.fields());
    if (place == null || (partLength >= 0 && partLength != place.range().length())) {
      return refused("a part at an unknown place");
    }
    ResponseHead whole = response.snapshot();
    whole.statusLine(response.version(), OK, 0, 0);
    Storability storability =
        Storability.of(
            request,
            whole,
            url,
            requestTimeMillis,
            responseTimeMillis,
            place.completeLength(),
            settings);
    StoredMeta all = storability.meta();
    if (all == null) {
      return refused(storability.reason());
    }
    ContentPart part = new ContentPart(place.range().first(), place.range().last() + 1);
    StoredMeta meta = all.withPart(part);
    RangeSelection asked = RangeSelection.of(request.fields(), meta, place.completeLength());
    return asked.outcome() == RangeSelection.Outcome.SINGLE && Incomplete.answers(request, meta)
        ? new Storability(
            true,
            storability.reason(),
            part.length() == place.completeLength() ? all : meta,
            storability.shareable(),
            storability.withheldFields())
        : refused("not the part that was requested");
  }

  private static Storability refused(String reason) {
    return new Storability(false, reason, null, /* shareable= */ false, List.of());
  }
}

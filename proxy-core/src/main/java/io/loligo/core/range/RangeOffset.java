package io.loligo.core.range;

import io.loligo.core.caching.Preconditions;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.util.List;

/** How far into the content a range begins, for range_offset_limit. Stateless. */
public final class RangeOffset {
  private RangeOffset() {}

  /**
   * Whether {@code request}, a GET, is for one range that begins at {@code limitBytes} or before;
   * -1: anywhere, also at the end. Never if it has conditions that an origin may evaluate
   * differently.
   */
  public static boolean isWithin(Fields request, long limitBytes) {
    int field = request.first(FieldName.RANGE);
    if (field < 0
        || request.next(FieldName.RANGE, field + 1) >= 0
        || request.hasAny(Preconditions.FIELDS)) {
      return false;
    }
    RangeSpecifier specifier =
        RangeSpecifier.parse(
            request.bytes(), request.valueStart(field), request.valueEnd(field), Long.MAX_VALUE);
    List<ByteRange> ranges = specifier == null ? List.of() : specifier.coalesced();
    return ranges.size() == 1 && (limitBytes < 0 || ranges.get(0).first() <= limitBytes);
  }
}

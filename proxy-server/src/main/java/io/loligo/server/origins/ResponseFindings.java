package io.loligo.server.origins;

import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;

/** The findings in one exchange. Stateless. */
final class ResponseFindings {
  /** Difference of clocks that is no finding, in milliseconds. */
  private static final long SKEW_MILLIS = 60_000;

  private static final int OK = 200;

  private ResponseFindings() {}

  /** The {@link OriginFault#bit}s of the findings in {@code record}, borrowed. */
  static int of(ExchangeRecord record) {
    int found = record.waitedForValidation ? OriginFault.NO_STALE_WHILE_REVALIDATE.bit() : 0;
    if (!isFetched(record) || record.reply == null || record.request == null) {
      return found;
    }
    if (record.hierarchy.isNode()) {
      return found; // the node that fetched it from the origin has judged it
    }
    Fields fields = record.reply.fields();
    if (isSkewed(fields, record.startMillis, record.endMillis)) {
      found |= OriginFault.CLOCK_SKEW.bit();
    }
    if (record.request.methodId() == Method.GET && record.serverStatus == OK) {
      found |= ofWhole(fields, record.repeated);
    }
    return found;
  }

  /** Whether this exchange, and not another one, fetched the response, and until its end. */
  private static boolean isFetched(ExchangeRecord record) {
    return !record.leftFetch && !record.tag.hit() && record.serverContentBytesIn >= 0;
  }

  /** Whether it fetched a whole response to GET that was stored. */
  static boolean isStoredWhole(ExchangeRecord record) {
    return isFetched(record)
        && record.serverStatus == OK
        && record.refusal == null
        && record.hitClass == HitClass.MISS
        && record.request != null
        && record.request.methodId() == Method.GET;
  }

  private static int ofWhole(Fields fields, boolean repeated) {
    int found = repeated ? OriginFault.REPEATED_200.bit() : 0;
    CacheControl directives = CacheControl.ofResponse(fields);
    boolean mayBeStored = !directives.has(CacheControl.NO_STORE | CacheControl.PRIVATE);
    if (mayBeStored && !fields.has(FieldName.ETAG) && !fields.has(FieldName.LAST_MODIFIED)) {
      found |= OriginFault.NO_VALIDATOR.bit();
    }
    if (directives.has(CacheControl.PUBLIC) && fields.has(FieldName.SET_COOKIE)) {
      found |= OriginFault.PUBLIC_COOKIE.bit();
    }
    if (mayBeStored
        && (fields.hasToken(FieldName.VARY, "*")
            || fields.hasToken(FieldName.VARY, "user-agent"))) {
      found |= OriginFault.VARIES_TOO_MUCH.bit();
    }
    return found;
  }

  /**
   * Whether Date, moved on by Age, lies outside of the exchange by more than {@value #SKEW_MILLIS}
   * milliseconds: the response was made, or taken from another cache, within it.
   */
  private static boolean isSkewed(Fields fields, long startMillis, long endMillis) {
    long date = HttpDate.of(fields, FieldName.DATE, endMillis);
    if (date == HttpDate.INVALID) {
      return false;
    }
    int age = fields.first(FieldName.AGE);
    long ageMillis = age < 0 ? 0 : 1_000 * Math.max(0, Decimal.of(fields, age));
    long sent = date + ageMillis;
    return sent < startMillis - SKEW_MILLIS || sent > endMillis + SKEW_MILLIS;
  }
}

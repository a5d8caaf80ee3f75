package io.loligo.server.record;

/** Class of an exchange, for counters and histograms. */
public enum HitClass {
  MEMORY_HIT(true),
  DISK_HIT(true),
  /** A client conditional answered from a fresh stored response with the whole content. */
  IMS_HIT(true),
  /** A client conditional answered 304 from the store. */
  NOT_MODIFIED_HIT(true),
  REVALIDATED(true),
  NEGATIVE_HIT(true),
  /** A stored response that was stale: offline, while it is validated, or because that failed. */
  STALE_HIT(true),
  MISS(false),
  /** A miss whose request or response may not be stored. */
  UNCACHEABLE(false),
  TUNNEL(false),
  /** Denied, refused, or answered by the proxy itself. */
  OWN_ANSWER(false),
  /** A failure: the proxy answered with a status from 500 on. */
  ERROR(false);

  private static final int FIRST_FAILURE_STATUS = 500;

  private final boolean hit;

  HitClass(boolean hit) {
    this.hit = hit;
  }

  /** Whether a stored response answered. */
  public boolean hit() {
    return hit;
  }

  /** The class of a finished exchange, whose record has one of the classes that its answer gave. */
  static HitClass refined(ExchangeRecord record) {
    HitClass given = record.hitClass;
    if (record.errorCode != null) {
      return record.status >= FIRST_FAILURE_STATUS ? ERROR : given;
    }
    if (given == MISS) {
      return isUncacheable(record) ? UNCACHEABLE : MISS;
    }
    return given.hit && isStale(record) ? STALE_HIT : given;
  }

  private static boolean isUncacheable(ExchangeRecord record) {
    return record.refusal != null
        || (record.decision != null && record.decision.reason().bypasses());
  }

  private static boolean isStale(ExchangeRecord record) {
    return record.tag == LogTag.TCP_REFRESH_FAIL_OLD
        || (record.decision != null
            && record.decision.ageSeconds() >= 0
            && record.decision.ttlSeconds() <= 0
            && record.hitClass != REVALIDATED
            && record.hitClass != NEGATIVE_HIT);
  }
}

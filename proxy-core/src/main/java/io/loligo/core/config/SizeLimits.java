package io.loligo.core.config;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import java.util.List;

/**
 * A limit in bytes that depends on the request: the first one whose ACLs match holds, as in Squid.
 * Immutable; any thread.
 *
 * @param otherwise if none matches
 */
public record SizeLimits(List<Limit> limits, long otherwise) {
  private static final long NONE = -1;

  /** Keeps a copy of the list. */
  public SizeLimits {
    limits = List.copyOf(limits);
  }

  /**
   * One limit.
   *
   * @param when the requests for which it holds: those that are allowed
   */
  public record Limit(long bytes, AclList when) {}

  /**
   * The limit for {@code request}, -1 for no limit. If a line cannot be decided because a
   * destination has not been resolved, the lowest possible limit.
   */
  public long of(AclInput request) {
    long lowest = NONE;
    for (Limit limit : limits) {
      AclVerdict verdict = limit.when.evaluate(request);
      if (verdict.allowed()) {
        return lower(lowest, limit.bytes);
      }
      if (!verdict.denied()) {
        lowest = lower(lowest, limit.bytes);
      }
    }
    return lower(lowest, otherwise);
  }

  private static long lower(long one, long other) {
    return one == NONE || (other != NONE && other < one) ? other : one;
  }

  /** Whether it is {@code bytes} for all requests. */
  public boolean isForAll(long bytes) {
    return limits.isEmpty() && otherwise == bytes;
  }
}

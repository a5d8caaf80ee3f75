package io.loligo.core.config;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import java.util.List;

/**
 * A limit in bytes that hangs on who asks for what: the first whose ACLs match holds, as in Squid.
 * Immutable; any thread.
 *
 * @param otherwise where none matches
 */
public record SizeLimits(List<Limit> limits, long otherwise) {
  private static final long NONE = -1;

  /** Keeps a copy of the list. */
  public SizeLimits {
    limits = List.copyOf(limits);
  }

  /**
   * One of them.
   *
   * @param when whom it is for: everybody that is allowed
   */
  public record Limit(long bytes, AclList when) {}

  /** One limit for all. */
  public static SizeLimits forAll(long bytes) {
    return new SizeLimits(List.of(), bytes);
  }

  /**
   * What holds for {@code request}, -1 for no limit. Where a line cannot be decided, as a
   * destination has not been resolved, that is the lowest of what may hold.
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

  /** Whether it is {@code bytes} for all. */
  public boolean isForAll(long bytes) {
    return limits.isEmpty() && otherwise == bytes;
  }
}

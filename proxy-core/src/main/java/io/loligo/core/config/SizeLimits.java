package io.loligo.core.config;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import java.util.List;

/**
 * A limit in octets that hangs on who asks for what: the first whose ACLs match holds, as in Squid.
 * Immutable; any thread.
 */
public final class SizeLimits {
  private final List<Limit> limits;
  private final long otherwise;

  /**
   * One of them.
   *
   * @param when whom it is for: everybody that is not denied
   */
  record Limit(long bytes, AclList when) {}

  SizeLimits(List<Limit> limits, long otherwise) {
    this.limits = List.copyOf(limits);
    this.otherwise = otherwise;
  }

  /** One limit for all. */
  public static SizeLimits forAll(long bytes) {
    return new SizeLimits(List.of(), bytes);
  }

  /** What holds for {@code request}, in the directive's terms: -1 is no limit. */
  public long of(AclInput request) {
    for (Limit limit : limits) {
      if (!limit.when.evaluate(request).denied()) {
        return limit.bytes;
      }
    }
    return otherwise;
  }

  /** Whether it is {@code bytes} for all. */
  public boolean isForAll(long bytes) {
    return limits.isEmpty() && otherwise == bytes;
  }
}

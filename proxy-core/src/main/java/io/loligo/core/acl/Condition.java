package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/** The test of one ACL on a request. Immutable; any thread. */
@FunctionalInterface
interface Condition {
  int NO = 0;
  int YES = 1;

  /** Undecidable until the destination's addresses are known. */
  int NEEDS_DESTINATION = 2;

  /**
   * {@link #NO}, {@link #YES} or {@link #NEEDS_DESTINATION}.
   *
   * @param destination the one address to judge, or null for those of the request
   */
  int test(AclInput request, byte @Nullable [] destination);

  static int of(boolean matches) {
    return matches ? YES : NO;
  }

  static int not(int outcome) {
    return outcome == NEEDS_DESTINATION ? outcome : 1 - outcome;
  }
}

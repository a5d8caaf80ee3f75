package io.loligo.core.acl;

/** What one ACL asks of a request. Immutable; any thread. */
@FunctionalInterface
interface Condition {
  int NO = 0;
  int YES = 1;

  /** Cannot be said before the destination's addresses are known. */
  int NEEDS_DESTINATION = 2;

  /**
   * {@link #NO}, {@link #YES} or {@link #NEEDS_DESTINATION}.
   *
   * @param destination the one address to judge, or null for those the request knows
   */
  int test(AclInput request, byte[] destination);

  static int of(boolean matches) {
    return matches ? YES : NO;
  }

  static int not(int outcome) {
    return outcome == NEEDS_DESTINATION ? outcome : 1 - outcome;
  }
}

package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/** The test of one ACL on a request. Immutable; any thread. */
@FunctionalInterface
interface Condition {
  int NO = 0;
  int YES = 1;

  /** Undecidable until the destination's addresses are known. */
  int NEEDS_DESTINATION = 2;

  /** Undecidable until the name of the destination, given as an address, is known. */
  int NEEDS_NAME = 3;

  /** Undecidable until the credentials are checked. It and greater outcomes end a list. */
  int NEEDS_LOGIN = 4;

  /** Undecidable: there are no valid credentials. */
  int CHALLENGE = 5;

  /** Undecidable until a helper has answered. */
  int NEEDS_HELPER = 6;

  /** Undecidable: a helper has no answer. */
  int UNDECIDED = 7;

  /** Undecidable until the name or the MAC address of the client is known. */
  int NEEDS_CLIENT = 8;

  /**
   * {@link #NO}, {@link #YES}, {@link #NEEDS_DESTINATION}, {@link #NEEDS_NAME}, {@link
   * #NEEDS_LOGIN}, {@link #CHALLENGE}, {@link #NEEDS_HELPER}, {@link #UNDECIDED} or {@link
   * #NEEDS_CLIENT}.
   *
   * @param destination the one address to judge, or null for those of the request
   */
  int test(AclInput request, byte @Nullable [] destination);

  /** Whether the last ACL that {@link #test} looks at asks who the user is. */
  default boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
    return false;
  }

  static int of(boolean matches) {
    return matches ? YES : NO;
  }

  static int not(int outcome) {
    return outcome > YES ? outcome : 1 - outcome;
  }
}

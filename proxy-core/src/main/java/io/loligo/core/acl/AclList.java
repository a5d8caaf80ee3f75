package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/**
 * An ordered rule list such as http_access, compiled. Immutable; any thread.
 *
 * <p>Lines are tried from the top; the ACLs of a line are ANDed, the values of an ACL ORed. If no
 * line matches, the verdict is the opposite of the last line; a list without lines has its own
 * default.
 */
public interface AclList {
  /** Evaluates; allocates nothing for verdicts that need no text of the request. */
  AclVerdict evaluate(AclInput request);

  /**
   * Evaluates with exactly one destination address, as if the name had only that one: the verdict
   * per resolved address.
   */
  AclVerdict evaluate(AclInput request, byte[] destinationAddress);

  /** Whether any rule tests the destination's address. */
  boolean needsDestination();

  /** Whether any rule asks who the user is, or asks a helper that is told. */
  default boolean asksForUser() {
    return false;
  }

  /**
   * Whether the last ACL that an evaluation looks at asks who the user is. A denial then asks the
   * client for another login, as in Squid.
   *
   * @param destinationAddress as for {@link #evaluate(AclInput, byte[])}; null: none is chosen
   */
  default boolean endsWithUser(AclInput request, byte @Nullable [] destinationAddress) {
    return false;
  }

  /** Whether the list has no lines. */
  boolean isEmpty();

  /** A list without lines that allows everything. */
  static AclList allowAll() {
    return ConstantAclList.ALLOW;
  }

  /** A list without lines that denies everything. */
  static AclList denyAll() {
    return ConstantAclList.DENY;
  }
}

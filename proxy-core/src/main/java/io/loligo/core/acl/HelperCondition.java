package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a helper. Immutable.
 *
 * @param acl what the helper is asked
 * @param asksForUser whether it is told who the user is
 */
record HelperCondition(ExternalAcl acl, boolean asksForUser) implements Condition {
  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    return acl.test(request);
  }

  /** As in Squid, a user whom the helper denies may log in as another. */
  @Override
  public boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
    return asksForUser;
  }
}

package io.loligo.core.acl;

/**
 * The verdict of a rule list, with the deciding rule. Immutable; one constant instance per rule, so
 * that evaluating allocates nothing.
 *
 * @param kind the verdict
 * @param rule text of the deciding line, or the reason why there is none
 * @param source file:line of it, or the empty string
 * @param lastAcl name of the last ACL on the deciding line, for deny_info; may be empty
 */
public record AclVerdict(Kind kind, String rule, String source, String lastAcl) {
  /** Outcomes of a rule list. */
  public enum Kind {
    ALLOWED,
    DENIED,
    /** A rule tests destination addresses: resolve the name, then evaluate again. */
    NEEDS_DESTINATION,
    /** A rule tests the name of a destination given as an address: look it up, then again. */
    NEEDS_NAME,
    /** A rule tests the user: check the credentials, then evaluate again. */
    NEEDS_LOGIN,
    /** A rule tests the user, and the request has no valid credentials. */
    CHALLENGE,
    /** A rule tests the answer of a helper: ask it, then evaluate again. */
    NEEDS_HELPER,
    /** A rule tests the answer of a helper, which has none. */
    UNDECIDED,
    /** A rule tests the name or the MAC address of the client: look it up, then evaluate again. */
    NEEDS_CLIENT
  }

  public boolean allowed() {
    return kind == Kind.ALLOWED;
  }

  public boolean denied() {
    return kind == Kind.DENIED;
  }
}

package io.loligo.core.acl;

import java.util.List;

/**
 * An ACL that a helper decides. Immutable; each {@code acl} of a configuration is one object.
 *
 * @param name of the ACL
 * @param type name of its {@code external_acl_type}
 * @param arguments the words behind it
 */
public record ExternalAcl(String name, String type, List<String> arguments) {
  /** What is known of its answer. */
  public enum Answer {
    MATCH,
    NO_MATCH,
    /** The helper must be asked. */
    NEEDS_HELPER,
    /** It asks about the user, whose credentials are not checked. */
    NEEDS_LOGIN,
    /** It asks about the user, and there are no valid credentials. */
    CHALLENGE,
    /** The helper has no answer. The list ends without a verdict, as in Squid. */
    UNDECIDED
  }

  /** Copies {@code arguments}. */
  public ExternalAcl {
    arguments = List.copyOf(arguments);
  }

  int test(AclInput request) {
    return switch (request.external(this)) {
      case MATCH -> Condition.YES;
      case NO_MATCH -> Condition.NO;
      case NEEDS_HELPER -> Condition.NEEDS_HELPER;
      case NEEDS_LOGIN -> Condition.NEEDS_LOGIN;
      case CHALLENGE -> Condition.CHALLENGE;
      case UNDECIDED -> Condition.UNDECIDED;
    };
  }
}

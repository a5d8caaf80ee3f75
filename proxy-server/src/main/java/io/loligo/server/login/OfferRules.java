package io.loligo.server.login;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code auth_schemes}: the schemes that a challenge offers. Immutable.
 *
 * @param rules in their order; the first whose ACLs match decides
 */
public record OfferRules(List<Rule> rules) {
  /** All schemes, in the order of the file. */
  public static final OfferRules ALL = new OfferRules(List.of());

  /** A copy of {@code rules} is kept. */
  public OfferRules {
    rules = List.copyOf(rules);
  }

  /**
   * One line.
   *
   * @param schemes the names of schemes, in the order in which they are offered; not empty
   * @param acls matching requests are allowed
   */
  public record Rule(List<String> schemes, AclList acls) {}

  /** The names of the schemes for {@code request}; null: all, in the order of the file. */
  public @Nullable List<String> of(AclInput request) {
    for (Rule rule : rules) {
      if (rule.acls.evaluate(request).allowed()) {
        return rule.schemes;
      }
    }
    return null;
  }
}

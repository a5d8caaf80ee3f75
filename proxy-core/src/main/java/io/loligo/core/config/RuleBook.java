package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.Acls;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All rules of a configuration as they were read, beside the lists that the proxy evaluates. For
 * tools that judge a configuration without running it. Confined to one thread.
 */
public final class RuleBook {
  private final Acls acls;
  private final List<Rule> rules = new ArrayList<>();
  private final List<Compiled> lists = new ArrayList<>();

  /**
   * A line with ACLs.
   *
   * @param terms ACL names, with {@code !} before a negated one
   * @param usable whether the line is evaluated; else it is wrong, or left out by a waiver
   */
  public record Rule(RuleScope scope, Line line, List<String> terms, boolean usable) {}

  /**
   * A list in the form in which the proxy evaluates it. The terms at the end of a line that has no
   * {@code allow} or {@code deny} are a list of one rule.
   */
  public record Compiled(List<AclRule> rules, AclList list) {}

  RuleBook(Acls acls) {
    this.acls = acls;
  }

  void add(RuleScope scope, Line line, List<String> terms, boolean usable) {
    rules.add(new Rule(scope, line, List.copyOf(terms), usable));
  }

  AclList add(List<AclRule> from, AclList list) {
    List<AclRule> kept = List.copyOf(from);
    // some readers compile a list more than once
    if (!kept.isEmpty() && lists.stream().noneMatch(one -> one.rules.equals(kept))) {
      lists.add(new Compiled(kept, list));
    }
    return list;
  }

  /** The ACLs of the rules. */
  public Acls acls() {
    return acls;
  }

  /** The lines in their order. */
  public List<Rule> rules() {
    return Collections.unmodifiableList(rules);
  }

  /** The lists of a configuration without errors, in no particular order. Without empty ones. */
  public List<Compiled> lists() {
    return Collections.unmodifiableList(lists);
  }
}

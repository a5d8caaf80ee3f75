package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import java.util.ArrayList;
import java.util.List;

/** Reads the {@code allow} and {@code deny} lines of one directive. Confined to one thread. */
public final class RuleLines implements LineReader<AclList> {
  private final Directive directive;
  private final Rules rules;
  private final RuleScope scope;
  private final boolean allowRestricts;
  private final List<AclRule> lines = new ArrayList<>();

  /** A reader of lines whose restrictive verdict is to deny. */
  RuleLines(Directive directive, Reading reading, RuleScope scope) {
    this(directive, reading, scope, false);
  }

  private RuleLines(Directive directive, Reading reading, RuleScope scope, boolean allowRestricts) {
    this.directive = directive;
    this.rules = reading.rules();
    this.scope = scope;
    this.allowRestricts = allowRestricts;
  }

  /** A reader of lines about a request whose restrictive verdict is to allow. */
  public static RuleLines whereAllowRestricts(Directive directive, Reading reading) {
    return new RuleLines(directive, reading, RuleScope.REQUEST, true);
  }

  @Override
  public void read(Line line) {
    AclRule rule = rules.rule(scope, line, line.values());
    if (rule != null) {
      lines.add(rule);
    }
  }

  @Override
  public AclList value() {
    boolean allows = directive.defaultText().equals("allow all");
    AclList usual = allows ? AclList.allowAll() : AclList.denyAll();
    return allowRestricts ? rules.compileAllowRestricts(lines, usual) : rules.compile(lines, usual);
  }
}

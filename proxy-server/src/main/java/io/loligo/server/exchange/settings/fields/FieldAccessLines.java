package io.loligo.server.exchange.settings.fields;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.message.Ascii;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code NAME allow|deny ACL...} lines about fields. Confined to one thread. */
final class FieldAccessLines implements LineReader<FieldAccess> {
  private static final String ALL = "All";
  private static final String OTHER = "Other";

  private final Report report;
  private final Rules rules;
  private final RuleScope scope;

  /** By name: {@link #ALL}, {@link #OTHER}, or a field name in lower case. */
  private final Map<String, List<AclRule>> lists = new LinkedHashMap<>();

  FieldAccessLines(Reading reading, RuleScope scope) {
    report = reading.report();
    rules = reading.rules();
    this.scope = scope;
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", "NAME|All|Other allow|deny [!]ACL...", "");
      return;
    }
    String name = values.get(0);
    if (!isUsable(line, name)) {
      return;
    }
    AclRule rule = rules.rule(scope, line, values.subList(1, values.size()));
    if (rule == null) {
      return;
    }
    boolean group = name.equals(ALL) || name.equals(OTHER);
    String key = group ? name : name.toLowerCase(Locale.ROOT);
    if (!rule.allow() && FieldRules.isWrittenByProxy(name)) {
      report.warning(
          line, name, "a field that is passed on", "the proxy writes the field itself, it stays");
    }
    lists.computeIfAbsent(key, none -> new ArrayList<>()).add(rule);
  }

  private boolean isUsable(Line line, String name) {
    for (String group : List.of(ALL, OTHER)) {
      if (name.equalsIgnoreCase(group) && !name.equals(group)) {
        report.error(line, name, "a field name, All or Other", "write " + group);
        return false;
      }
    }
    if (!Ascii.isToken(name)) {
      report.error(line, name, "a field name, All or Other", "write it without a colon");
      return false;
    }
    return true;
  }

  @Override
  public FieldAccess value() {
    Map<String, AclList> named = new HashMap<>();
    lists.forEach((name, list) -> named.put(name, rules.compile(list, AclList.allowAll())));
    @Nullable AclList other = named.remove(OTHER);
    @Nullable AclList all = named.remove(ALL);
    return new FieldAccess(Map.copyOf(named), other, all);
  }
}

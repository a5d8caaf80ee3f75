package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads {@code http_upgrade_request_protocols} lines. Confined to one thread. */
final class UpgradeLines implements LineReader<Upgrades> {
  private final Report report;
  private final Rules rules;
  private final Map<String, List<AclRule>> lists = new LinkedHashMap<>();

  UpgradeLines(Reading reading) {
    report = reading.report();
    rules = reading.rules();
  }

  /**
   * Reads one line. A protocol with a version matches offers of that version only. The list of a
   * bare name holds the rules for offers whose version no line names. The list of a name with a
   * version holds all rules for such offers, in the order of the lines.
   */
  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", AccessDirectives.UPGRADES.directive().form(), "");
      return;
    }
    String protocol = values.get(0);
    AclRule rule = rules.rule(RuleScope.REQUEST, line, values.subList(1, values.size()));
    if (rule == null) {
      return;
    }
    int slash = protocol.indexOf('/');
    String version = slash < 0 ? "" : protocol.substring(slash);
    String name = (slash < 0 ? protocol : protocol.substring(0, slash)).toLowerCase(Locale.ROOT);
    List<AclRule> ofName = lists.computeIfAbsent(name, key -> new ArrayList<>());
    if (!version.isEmpty()) {
      lists.computeIfAbsent(name + version, key -> new ArrayList<>(ofName)).add(rule);
    } else {
      ofName.add(rule);
      lists.forEach(
          (key, list) -> {
            if (key.startsWith(name + "/")) {
              list.add(rule);
            }
          });
    }
  }

  /** Returns the rules. If no line matches, the request is denied, whatever the last line says. */
  @Override
  public Upgrades value() {
    if (lists.isEmpty()) {
      return new Upgrades(Map.of("websocket", AclList.allowAll()));
    }
    Map<String, AclList> compiled = new HashMap<>();
    lists.forEach(
        (protocol, lines) -> {
          List<AclRule> all = new ArrayList<>(lines);
          all.add(new AclRule(false, List.of("all"), "no line allows it", ""));
          compiled.put(protocol, rules.compile(all, AclList.denyAll()));
        });
    return new Upgrades(Map.copyOf(compiled));
  }
}

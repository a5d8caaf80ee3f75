package io.loligo.server.login;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads {@code auth_schemes} lines. Confined to one thread. */
final class OfferLines implements LineReader<OfferRules> {
  private static final String ALL = "ALL";

  private final Reading reading;
  private final Report report;
  private final Rules rules;
  private final List<Draft> drafts = new ArrayList<>();

  private record Draft(Line line, List<String> schemes, AclRule rule) {}

  OfferLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
    rules = reading.rules();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", LoginDirectives.AUTH_SCHEMES.directive().form(), "");
      return;
    }
    List<String> terms = new ArrayList<>();
    terms.add("allow");
    terms.addAll(values.subList(1, values.size()));
    AclRule rule = rules.rule(RuleScope.REQUEST, line, terms);
    if (rule != null) {
      drafts.add(new Draft(line, schemes(values.get(0)), rule));
    }
  }

  private static List<String> schemes(String text) {
    List<String> schemes = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      String plain = name.strip();
      schemes.add(plain.equals(ALL) ? ALL : plain.toLowerCase(Locale.ROOT));
    }
    return schemes;
  }

  @Override
  public void end() {
    for (Draft draft : drafts) {
      for (String scheme : draft.schemes) {
        if (!scheme.equals(ALL) && !configured().contains(scheme)) {
          report.restricts(draft.line, scheme, "no auth_param program makes the scheme " + scheme);
        }
      }
    }
  }

  @Override
  public OfferRules value() {
    if (drafts.isEmpty()) {
      return OfferRules.ALL;
    }
    List<OfferRules.Rule> compiled = new ArrayList<>();
    for (Draft draft : drafts) {
      Set<String> offered = new LinkedHashSet<>();
      for (String scheme : draft.schemes) {
        offered.addAll(scheme.equals(ALL) ? configured() : List.of(scheme));
      }
      List<AclRule> lines =
          List.of(draft.rule, new AclRule(false, List.of("all"), "no line matches", ""));
      compiled.add(
          new OfferRules.Rule(List.copyOf(offered), rules.compile(lines, AclList.denyAll())));
    }
    return new OfferRules(compiled);
  }

  private List<String> configured() {
    return reading.value(LoginDirectives.AUTH_PARAM).all().stream()
        .map(SchemeSettings::scheme)
        .toList();
  }
}

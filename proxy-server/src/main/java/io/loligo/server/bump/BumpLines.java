package io.loligo.server.bump;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code ssl_bump} lines. Confined to one thread. */
final class BumpLines implements LineReader<BumpRules> {
  private static final String FORM = "splice, peek, stare, bump or terminate, then ACLs or nothing";

  private final Report report;
  private final Rules rules;
  private final List<BumpRules.Line> lines = new ArrayList<>();

  BumpLines(Reading reading) {
    report = reading.report();
    rules = reading.rules();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    BumpAction action = values.isEmpty() ? null : action(line, values.get(0));
    if (action == null) {
      report.error(line, String.join(" ", values), FORM, "");
      return;
    }
    List<String> terms = values.subList(1, values.size());
    boolean usable = rules.check(RuleScope.TUNNEL, line, terms);
    if (usable || line.waived()) {
      // a line that is left out still counts as one: without lines nothing is inspected
      List<String> used = usable ? terms : List.of("!all");
      boolean faults = rules.needHandshake(used);
      lines.add(new BumpRules.Line(action, rules.compileTerms(line, used), faults));
    }
  }

  /** The action of {@code word}; null: it names none. */
  private @Nullable BumpAction action(Line line, String word) {
    BumpAction action =
        switch (word) {
          case "splice", "none", "deny" -> BumpAction.SPLICE;
          case "peek" -> BumpAction.PEEK;
          case "stare" -> BumpAction.STARE;
          case "bump", "server-first", "client-first", "allow" -> BumpAction.BUMP;
          case "terminate" -> BumpAction.TERMINATE;
          default -> null;
        };
    if (action != null && !action.word().equals(word) && !word.equals("none")) {
      report.warning(line, word, action.word(), "an older name");
    }
    return action;
  }

  @Override
  public BumpRules value() {
    return lines.isEmpty() ? BumpRules.NONE : new BumpRules(lines);
  }
}

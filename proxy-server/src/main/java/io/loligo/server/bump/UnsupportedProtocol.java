package io.loligo.server.bump;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * {@code on_unsupported_protocol}: the fate of an inspected tunnel whose first bytes are not TLS.
 * Immutable.
 */
public final class UnsupportedProtocol {
  /** An action. */
  public enum Action {
    /** The bytes are relayed. */
    TUNNEL,
    /** The client gets an error in clear text. */
    RESPOND,
    /** The tunnel ends. */
    TERMINATE
  }

  private record Rule(Action action, AclList condition) {}

  private final List<Rule> rules;

  private UnsupportedProtocol(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** The action for {@code tunnel}: of the first line whose ACLs match, else RESPOND. */
  public Action of(AclInput tunnel) {
    for (Rule rule : rules) {
      if (rule.condition().evaluate(tunnel).allowed()) {
        return rule.action();
      }
    }
    return Action.RESPOND;
  }

  /** Reads the lines. Confined to one thread. */
  static final class Lines implements LineReader<UnsupportedProtocol> {
    private final Report report;
    private final Rules rules;
    private final List<Rule> read = new ArrayList<>();

    Lines(Reading reading) {
      report = reading.report();
      rules = reading.rules();
    }

    @Override
    public void read(Line line) {
      List<String> values = line.values();
      String word = values.isEmpty() ? "" : values.get(0);
      if (!List.of("tunnel", "respond", "terminate").contains(word)) {
        report.error(line, word, "tunnel, respond or terminate, then ACLs or nothing", "");
        return;
      }
      List<String> terms = values.subList(1, values.size());
      if (rules.check(RuleScope.REQUEST, line, terms)) {
        Action action = Action.valueOf(word.toUpperCase(Locale.ROOT));
        read.add(new Rule(action, rules.compileTerms(line, terms)));
      }
    }

    @Override
    public UnsupportedProtocol value() {
      return new UnsupportedProtocol(read);
    }
  }
}

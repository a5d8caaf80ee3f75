package io.loligo.server.accesslog;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.config.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads {@code note} lines. Confined to one thread. */
final class NoteLines implements LineReader<List<NoteRule>> {
  private static final String FORM = "NAME VALUE [[!]ACL...]";

  /** Names that Squid keeps for answers of helpers. */
  private static final Set<String> RESERVED =
      Set.of(
          "group",
          "ha1",
          "log",
          "message",
          "password",
          "rewrite-url",
          "status",
          "tag",
          "ttl",
          "url",
          "user");

  private final Report report;
  private final Rules rules;
  private final List<NoteRule> read = new ArrayList<>();

  NoteLines(Reading reading) {
    report = reading.report();
    rules = reading.rules();
  }

  @Override
  public void read(Line line) {
    String name = line.values().isEmpty() ? "" : line.values().get(0);
    String rest = line.textBehind(2);
    char quote = rest.isEmpty() ? ' ' : rest.charAt(0);
    boolean quoted = quote == '"' || quote == '\'';
    int end = quoted ? rest.indexOf(quote, 1) : Words.end(rest);
    if (name.isEmpty() || end <= 0) {
      report.error(line, name, FORM, "");
      return;
    }
    if (RESERVED.contains(name)) {
      report.error(line, name, "a name that no answer of a helper has", "rename the note");
      return;
    }
    String value = rest.substring(quoted ? 1 : 0, end);
    List<String> terms = Words.terms(rest.substring(quoted ? end + 1 : end));
    if (rules.check(RuleScope.LOG, line, terms)) {
      read.add(new NoteRule(name, value, rules.compileTerms(line, terms)));
    }
  }

  @Override
  public List<NoteRule> value() {
    return List.copyOf(NoteRule.byName(read));
  }
}

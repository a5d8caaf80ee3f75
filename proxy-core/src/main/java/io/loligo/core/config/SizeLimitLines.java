package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads lines of the form {@code SIZE [[!]acl...]} of one directive. Confined to one thread. */
public final class SizeLimitLines implements LineReader<SizeLimits> {
  private static final List<String> EVERYBODY = List.of("all");

  private final Directive directive;
  private final Report report;
  private final Rules rules;
  private final RuleScope scope;
  private final List<Draft> drafts = new ArrayList<>();

  private record Draft(long bytes, Line line, List<String> terms) {}

  /** A reader of the lines of {@code directive}. */
  public SizeLimitLines(Directive directive, Reading reading, RuleScope scope) {
    this.directive = directive;
    this.report = reading.report();
    this.rules = reading.rules();
    this.scope = scope;
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    Values.Parsed size = Values.read(directive, values);
    List<String> terms =
        size.value() == null ? List.of() : values.subList(size.used(), values.size());
    List<String> words = values.subList(0, values.size() - terms.size());
    if (!Values.check(directive, line, words, report)) {
      return;
    }
    List<String> asked = terms.equals(EVERYBODY) ? List.of() : terms;
    if (!rules.areDecidable(asked)) {
      report.restricts(line, String.join(" ", asked), "an ACL of it cannot be decided");
      return;
    }
    if (rules.check(scope, line, asked)) {
      drafts.add(new Draft((Long) Objects.requireNonNull(size.value()), line, asked));
    }
  }

  /** Warns of each line whose size is above {@code mostBytes}. */
  public void warnAbove(long mostBytes, String expected, String advice) {
    for (Draft draft : drafts) {
      if (draft.bytes > mostBytes) {
        report.warning(draft.line, draft.bytes + " bytes", expected, advice);
      }
    }
  }

  @Override
  public SizeLimits value() {
    List<SizeLimits.Limit> limits = new ArrayList<>();
    for (Draft draft : drafts) {
      if (draft.terms.isEmpty()) {
        return new SizeLimits(limits, draft.bytes);
      }
      AclList when = rules.compileTerms(draft.line, draft.terms);
      limits.add(new SizeLimits.Limit(draft.bytes, when));
    }
    return new SizeLimits(limits, (Long) Objects.requireNonNull(Values.usual(directive)));
  }
}

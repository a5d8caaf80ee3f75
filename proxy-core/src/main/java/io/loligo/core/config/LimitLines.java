package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lines of the form {@code SIZE [[!]acl...]}, directive by directive. Confined to one thread. */
final class LimitLines {
  private static final List<String> EVERYBODY = List.of("all");

  private final Report report;
  private final RuleLists rules;
  private final Scalars scalars;
  private final Map<String, List<Draft>> drafts = new HashMap<>();

  private record Draft(long bytes, Line line, List<String> terms) {}

  LimitLines(Report report, RuleLists rules, Scalars scalars) {
    this.report = report;
    this.rules = rules;
    this.scalars = scalars;
  }

  void read(Directive directive, Line line) {
    List<String> values = line.values();
    Values.Parsed size = Values.read(directive, values);
    List<String> terms =
        size.value() == null ? List.of() : values.subList(size.used(), values.size());
    List<String> words = values.subList(0, values.size() - terms.size());
    if (!scalars.check(directive, line, words, report)) {
      return;
    }
    List<String> asked = terms.equals(EVERYBODY) ? List.of() : terms;
    if (!rules.areDecidable(asked)) {
      report.restricts(line, String.join(" ", asked), "an ACL of it cannot be decided");
      return;
    }
    if (rules.check(directive.name(), line, asked)) {
      drafts
          .computeIfAbsent(directive.name(), name -> new ArrayList<>())
          .add(new Draft((Long) size.value(), line, asked));
    }
  }

  /** Warns of each line of {@code name} that says more than {@code mostBytes}. */
  void warnAbove(String name, long mostBytes, String expected, String advice) {
    for (Draft draft : drafts.getOrDefault(name, List.of())) {
      if (draft.bytes > mostBytes) {
        report.warning(draft.line, draft.bytes + " bytes", expected, advice);
      }
    }
  }

  /** The limits of {@code name}, once all ACLs are read: of its lines, else its default. */
  SizeLimits of(String name) {
    List<SizeLimits.Limit> limits = new ArrayList<>();
    for (Draft draft : drafts.getOrDefault(name, List.of())) {
      if (draft.terms.isEmpty()) {
        return new SizeLimits(limits, draft.bytes);
      }
      AclList when = rules.compileTerms(draft.line, draft.terms);
      limits.add(new SizeLimits.Limit(draft.bytes, when));
    }
    return new SizeLimits(limits, scalars.number(name));
  }
}

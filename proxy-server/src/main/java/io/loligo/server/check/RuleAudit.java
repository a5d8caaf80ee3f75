package io.loligo.server.check;

import io.loligo.core.acl.AclCover;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.RuleBook;
import io.loligo.server.check.Finding.Kind;
import io.loligo.server.check.Finding.Severity;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks for lines of rule lists that can never decide, and for traps in their order. */
final class RuleAudit {
  /** What a rule may ask about the client. */
  private static final Set<AclType> OF_CLIENTS =
      EnumSet.of(
          AclType.SRC,
          AclType.MYPORTNAME,
          AclType.LOCALIP,
          AclType.LOCALPORT,
          AclType.PROXY_AUTH,
          AclType.PROXY_AUTH_REGEX);

  /** What a rule may ask about the request. */
  private static final Set<AclType> OF_REQUESTS =
      EnumSet.of(
          AclType.DST,
          AclType.DSTDOMAIN,
          AclType.DSTDOM_REGEX,
          AclType.PORT,
          AclType.METHOD,
          AclType.PROTO,
          AclType.URL_REGEX,
          AclType.URLPATH_REGEX,
          AclType.SSL_SERVER_NAME,
          AclType.SSL_SERVER_NAME_REGEX);

  private final RuleBook book;
  private final Acls acls;
  private final AclCover cover;
  private final List<Finding> findings = new ArrayList<>();

  RuleAudit(RuleBook book) {
    this.book = book;
    acls = book.acls();
    cover = new AclCover(acls);
  }

  List<Finding> findings() {
    for (List<ListedRule> list : ListedRule.lists(book)) {
      int end = endOf(list);
      for (int i = 0; i < end; i++) {
        line(list, i);
      }
      if (end < list.size()) {
        behind(list.get(end - 1), list.subList(end, list.size()));
      }
      list.subList(0, end).forEach(rule -> passing(rule, list.subList(0, end)));
    }
    return findings;
  }

  /** Where the lines begin that stand below one which matches everything. */
  private int endOf(List<ListedRule> list) {
    for (int i = 0; i < list.size(); i++) {
      if (cover.matchesAll(list.get(i).terms())) {
        return i + 1;
      }
    }
    return list.size();
  }

  /** {@code last} matches everything. */
  private void behind(ListedRule last, List<ListedRule> below) {
    ListedRule first =
        below.stream().filter(rule -> rule.allow() != last.allow()).findFirst().orElse(null);
    ListedRule shown = first == null ? below.get(0) : first;
    String many = below.size() == 1 ? "one line" : below.size() + " lines";
    add(
        first == null ? Severity.REMARK : Severity.WARNING,
        Kind.ORDER,
        last,
        last.text()
            + " matches every request: "
            + many
            + " below can never decide, such as "
            + shown.line().source()
            + " ("
            + shown.text()
            + ")");
  }

  private void line(List<ListedRule> list, int index) {
    ListedRule rule = list.get(index);
    List<String> clash = cover.contradiction(rule.terms());
    if (clash != null) {
      String both = String.join(" and ", clash);
      add(
          Severity.WARNING,
          Kind.SHADOWED,
          rule,
          rule.text() + " can never match: no request matches " + both);
      return;
    }
    ListedRule above = coverOf(rule, list.subList(0, index));
    if (above != null) {
      boolean same = above.allow() == rule.allow();
      add(
          same ? Severity.REMARK : Severity.WARNING,
          Kind.SHADOWED,
          rule,
          rule.text()
              + " can never decide: "
              + above.line().source()
              + " ("
              + above.text()
              + ") always matches first"
              + (same ? ", with the same verdict" : ""));
    }
  }

  private @Nullable ListedRule coverOf(ListedRule rule, List<ListedRule> above) {
    for (ListedRule one : above) {
      if (cover.covers(one.terms(), rule.terms())) {
        return one;
      }
    }
    return null;
  }

  /** Clients that are allowed everything before the lines that deny some requests. */
  private void passing(ListedRule rule, List<ListedRule> list) {
    if (!rule.allow() || !asksOnly(rule.terms(), OF_CLIENTS) || cover.matchesAll(rule.terms())) {
      return;
    }
    boolean ownMachine = cover.covers(List.of("localhost"), rule.terms());
    List<ListedRule> missed =
        list.subList(list.indexOf(rule) + 1, list.size()).stream()
            .filter(one -> !one.allow() && asksOnly(one.terms(), OF_REQUESTS))
            .toList();
    if (ownMachine || missed.isEmpty() || rule.terms().stream().anyMatch(t -> t.startsWith("!"))) {
      return;
    }
    String many = missed.size() == 1 ? "a line" : missed.size() + " lines";
    add(
        Severity.WARNING,
        Kind.ORDER,
        rule,
        rule.text()
            + " decides before "
            + many
            + " below with other denials, such as "
            + missed.get(0).line().source()
            + " ("
            + missed.get(0).text()
            + "), which do not hold for these clients");
  }

  private boolean asksOnly(List<String> terms, Set<AclType> types) {
    return terms.stream().allMatch(term -> types.contains(acls.typeOf(Acls.bare(term))));
  }

  private void add(Severity severity, Kind kind, ListedRule rule, String text) {
    // the directive is said in front
    String directive = rule.line().directive();
    findings.add(Finding.of(severity, kind, rule.line(), text.substring(directive.length() + 1)));
  }
}

package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.Acls;
import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.config.LineReport.Verdict;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks and compiles rules of the form {@code allow|deny [!]acl...}. Confined to one thread. */
public final class Rules {
  /**
   * Terms of a line that is left out. The line stays in its list, because the opposite of the last
   * line holds if no line matches.
   */
  private static final List<String> NEVER = List.of("!all");

  private final Report report;
  private final Acls acls;
  private final RuleBook book;

  Rules(Report report, Acls acls) {
    this.report = report;
    this.acls = acls;
    book = new RuleBook(acls);
  }

  /** All rules that were read. */
  RuleBook book() {
    return book;
  }

  /**
   * The rule of {@code words} of {@code line}: an action and its ACLs. Null if they are not a rule,
   * which is reported.
   */
  public @Nullable AclRule rule(RuleScope scope, Line line, List<String> words) {
    String action = words.isEmpty() ? "" : words.get(0);
    if (!action.equals("allow") && !action.equals("deny")) {
      report.error(line, action, "allow or deny", "");
      return null;
    }
    if (words.size() == 1) {
      report.error(line, "", "the name of an ACL", "to mean everybody write " + action + " all");
      return null;
    }
    List<String> terms = words.subList(1, words.size());
    List<String> used = check(scope, line, terms) ? List.copyOf(terms) : NEVER;
    String text = String.join(" ", line.words());
    return new AclRule(action.equals("allow"), used, text, line.source());
  }

  /** Whether all defined ACLs among {@code terms} can be decided. */
  public boolean areDecidable(List<String> terms) {
    return terms.stream()
        .map(Acls::bare)
        .noneMatch(name -> acls.has(name) && acls.isUndecidable(name));
  }

  /** Whether one of the defined ACLs among {@code terms} asks about a handshake with the server. */
  public boolean needHandshake(List<String> terms) {
    return terms.stream().map(Acls::bare).anyMatch(acls::needsHandshake);
  }

  /** Whether a line of this scope can use {@code terms}; problems are reported. */
  public boolean check(RuleScope scope, Line line, List<String> terms) {
    boolean usable = isUsable(scope, line, terms);
    book.add(scope, line, terms, usable);
    return usable;
  }

  private boolean isUsable(RuleScope scope, Line line, List<String> terms) {
    boolean usable = true;
    for (String term : terms) {
      String name = Acls.bare(term);
      if (scope != RuleScope.ADMISSION) {
        acls.usedLater(name, scope == RuleScope.LOG);
      }
      if (!acls.has(name)) {
        String advice = name.isEmpty() ? "no blank after !" : "define it above this line";
        report.error(line, term, "the name of an ACL", advice);
        usable = false;
      } else if (acls.isUndecidable(name) && line.waived()) {
        report.restricts(line, name, "the line is left out, the ACL has no effect");
        return false;
      } else if (acls.needsHandshake(name) && !scope.hasHandshake()) {
        report.restricts(line, name, "it asks about a handshake, and is decided within one only");
        usable = false;
      } else if (scope == RuleScope.LOG && acls.needsDestination(name)) {
        String why =
            "responses from the cache, for which no address was resolved, are always logged";
        report.warning(line, name, "", why);
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, why);
      } else if (scope == RuleScope.CLIENT && acls.needsDestination(name)) {
        report.restricts(
            line, name, "it asks about the destination's address, which is not known yet");
        usable = false;
      } else if (scope == RuleScope.CLIENT && acls.asksForUser(name)) {
        report.restricts(line, name, "it asks for the user, who is not known yet");
        usable = false;
      } else if (scope == RuleScope.CLIENT && acls.needsHelper(name)) {
        usable = false;
        if (line.words().contains("allow")) {
          String why = "as in Squid, no helper is asked here: the line never matches";
          report.warning(line, name, "", why);
        } else {
          report.restricts(line, name, "it asks a helper, before the client is known");
        }
      } else if (scope == RuleScope.CLIENT && acls.needsClientLookUp(name)) {
        report.restricts(line, name, "it looks up the client, who is not known yet");
        usable = false;
      } else if (acls.needsReply(name) && !scope.hasResponse()) {
        usable &= tooEarly(scope, line, name, "about the response, which has not arrived yet");
      } else if (acls.needsHop(name) && !scope.hasHop()) {
        usable &= tooEarly(scope, line, name, "about the way of the request, which is not chosen");
      } else if (acls.needsCertificate(name) && !scope.hasResponse() && !scope.hasHandshake()) {
        usable &= tooEarly(scope, line, name, "about the server, which is not connected yet");
      }
    }
    return usable;
  }

  private boolean tooEarly(RuleScope scope, Line line, String name, String what) {
    String why = "it asks " + what;
    if (scope == RuleScope.CLIENT || scope == RuleScope.ADMISSION || scope == RuleScope.ADMITTED) {
      report.restricts(line, name, why);
      return false;
    }
    report.warning(line, name, "an ACL about the request", why + ": it never matches");
    report.verdict(line, Verdict.USED_WITH_DIFFERENCE, why);
    return true;
  }

  /**
   * Lets {@code acl} lines below name an {@code external_acl_type}.
   *
   * @param asksForUser whether it asks about the user
   */
  public void defineExternal(String type, boolean asksForUser) {
    acls.defineExternal(type, asksForUser);
  }

  /** The ACLs of helpers in lists that are evaluated after {@code http_access}, so far. */
  public List<ExternalAcl> laterExternals() {
    return acls.laterExternals();
  }

  /** Compiles rules whose restrictive verdict is to deny; {@code ifEmpty} if there are none. */
  public AclList compile(List<AclRule> rules, AclList ifEmpty) {
    return book.add(rules, acls.compile(rules, ifEmpty, false));
  }

  /** Compiles rules whose restrictive verdict is to allow; {@code ifEmpty} if there are none. */
  public AclList compileAllowRestricts(List<AclRule> rules, AclList ifEmpty) {
    return book.add(rules, acls.compile(rules, ifEmpty, true));
  }

  /** Compiles the ACLs at the end of {@code line}: all must match; without any, all is allowed. */
  public AclList compileTerms(Line line, List<String> terms) {
    AclRule rule =
        new AclRule(true, List.copyOf(terms), String.join(" ", line.words()), line.source());
    if (terms.isEmpty()) {
      return book.add(List.of(rule), AclList.allowAll());
    }
    return book.add(List.of(rule), acls.compile(List.of(rule), AclList.allowAll(), false));
  }
}

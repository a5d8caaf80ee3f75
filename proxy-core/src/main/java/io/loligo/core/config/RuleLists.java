package io.loligo.core.config;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.LineReport.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Lines of the form {@code allow|deny [!]acl...}, list by list. Confined to one thread. */
final class RuleLists {
  static final String UPGRADE = "http_upgrade_request_protocols ";
  static final String PEER = "cache_peer_access ";

  /** Lists that are evaluated after the response's head has come. */
  private static final Set<String> WITH_REPLY =
      Set.of("http_reply_access", "access_log", "reply_body_max_size", "store_miss", "send_hit");

  /**
   * What becomes of a line that is left out: the last one's opposite is said where none matches.
   */
  private static final List<String> NEVER = List.of("!all");

  private final Report report;
  private final Acls acls;
  private final Map<String, List<AclRule>> lists = new LinkedHashMap<>();

  RuleLists(Report report, Acls acls) {
    this.report = report;
    this.acls = acls;
  }

  /** Reads {@code words}, the action and its ACLs, into {@code list}. */
  void read(String list, Line line, List<String> words) {
    AclRule rule = rule(list, line, words);
    if (rule != null) {
      lists.computeIfAbsent(list, name -> new ArrayList<>()).add(rule);
    }
  }

  /**
   * Reads them into the rules for {@code protocol}, which may have a version behind a slash: they
   * are about that version only then. The list of a name has the rules for offers whose version no
   * line names, that of a name with a version all the rules for such offers in their order.
   */
  void readUpgrade(String protocol, Line line, List<String> words) {
    int slash = protocol.indexOf('/');
    String version = slash < 0 ? "" : protocol.substring(slash);
    String name = (slash < 0 ? protocol : protocol.substring(0, slash)).toLowerCase(Locale.ROOT);
    AclRule rule = rule(UPGRADE + name, line, words);
    if (rule == null) {
      return;
    }
    List<AclRule> ofName = lists.computeIfAbsent(UPGRADE + name, key -> new ArrayList<>());
    if (!version.isEmpty()) {
      String key = UPGRADE + name + version;
      lists.computeIfAbsent(key, one -> new ArrayList<>(ofName)).add(rule);
    } else {
      ofName.add(rule);
      lists.forEach(
          (key, list) -> {
            if (key.startsWith(UPGRADE + name + "/")) {
              list.add(rule);
            }
          });
    }
  }

  /** The rule that {@code words} are; null where they are none, which is reported. */
  private AclRule rule(String list, Line line, List<String> words) {
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
    List<String> used = check(list, line, terms) ? List.copyOf(terms) : NEVER;
    String text = String.join(" ", line.words());
    return new AclRule(action.equals("allow"), used, text, line.source());
  }

  /** Whether all ACLs of the terms that are defined can be decided. */
  boolean areDecidable(List<String> terms) {
    return terms.stream()
        .map(Acls::bare)
        .noneMatch(name -> acls.has(name) && acls.isUndecidable(name));
  }

  /** Whether the terms can be used in {@code list}; what is wrong is reported. */
  boolean check(String list, Line line, List<String> terms) {
    boolean usable = true;
    for (String term : terms) {
      String name = Acls.bare(term);
      if (!acls.has(name)) {
        String advice = name.isEmpty() ? "no blank after !" : "define it above this line";
        report.error(line, term, "the name of an ACL", advice);
        usable = false;
      } else if (acls.isUndecidable(name) && line.waived()) {
        report.restricts(line, name, "the line is left out, the ACL has no effect");
        return false;
      } else if (list.equals("access_log") && acls.needsDestination(name)) {
        String why = "answers from the cache, where no address was asked for, are always logged";
        report.warning(line, name, "", why);
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, why);
      } else if (acls.needsReply(name) && !WITH_REPLY.contains(list)) {
        usable &= replyInRequest(list, line, name);
      }
    }
    return usable;
  }

  private boolean replyInRequest(String list, Line line, String name) {
    String why = "it asks about the response, which is not there yet";
    if (list.equals("http_access")) {
      report.restricts(line, name, why);
      return false;
    }
    report.warning(line, name, "an ACL about the request", why + ": it never matches");
    report.verdict(line, Verdict.USED_WITH_DIFFERENCE, why);
    return true;
  }

  boolean isEmpty(String list) {
    return !lists.containsKey(list);
  }

  /** Names of the lists that begin with {@code prefix}, without it. */
  List<String> keys(String prefix) {
    return lists.keySet().stream()
        .filter(name -> name.startsWith(prefix))
        .map(name -> name.substring(prefix.length()))
        .toList();
  }

  /** Compiles the list of an upgrade: what no line speaks of is denied, whatever the last says. */
  AclList compileUpgrade(String protocol) {
    List<AclRule> rules = new ArrayList<>(lists.get(UPGRADE + protocol));
    rules.add(new AclRule(false, List.of("all"), "no line allows it", ""));
    return acls.compile(rules, AclList.denyAll(), false);
  }

  /** Compiles a list whose careful answer is to deny. */
  AclList compile(String list, AclList ifEmpty) {
    return acls.compile(lists.getOrDefault(list, List.of()), ifEmpty, false);
  }

  /** Compiles a list whose careful answer is to allow. */
  AclList compileAllowRestricts(String list, AclList ifEmpty) {
    return acls.compile(lists.getOrDefault(list, List.of()), ifEmpty, true);
  }

  /** Compiles the ACLs at the end of {@code line}: all must match, none at all always do. */
  AclList compileTerms(Line line, List<String> terms) {
    if (terms.isEmpty()) {
      return AclList.allowAll();
    }
    AclRule rule =
        new AclRule(true, List.copyOf(terms), String.join(" ", line.words()), line.source());
    return acls.compile(List.of(rule), AclList.allowAll(), false);
  }
}

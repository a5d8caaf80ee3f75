package io.loligo.server.check;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.acl.AclTrial;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.RuleBook;
import io.loligo.server.check.ListAnswer.Outcome;
import io.loligo.server.exchange.settings.pages.DenyPage;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks every list of a configuration about one request. The verdicts are those of the lists that a
 * running proxy evaluates. Confined to one thread.
 */
final class RequestTrial {
  /**
   * Directives without {@code allow} and {@code deny} of which the first line that applies counts.
   */
  private static final Set<String> FIRST_COUNTS =
      Set.of(
          "tcp_outgoing_address",
          "tcp_outgoing_tos",
          "tcp_outgoing_mark",
          "clientside_tos",
          "mark_client_packet",
          "on_unsupported_protocol",
          "reply_body_max_size");

  private final Acls acls;
  private final List<RuleBook.Compiled> lists;
  private final ErrorPages pages;
  private final AclList access;

  RequestTrial(ProxyConfig config, RuleBook book, AclList access) {
    this.acls = book.acls();
    this.access = access;
    this.lists = new ArrayList<>(book.lists());
    lists.sort(Comparator.comparing(RequestTrial::place, RequestTrial::inOrder));
    pages = new ErrorPages(config);
  }

  private static String place(RuleBook.Compiled list) {
    return list.rules().get(0).source();
  }

  /** Compares {@code file:line} by file, then by the number; other texts come first. */
  static int inOrder(String one, String other) {
    int colon = one.lastIndexOf(':');
    int second = other.lastIndexOf(':');
    if (colon < 0 || second < 0) {
      return one.compareTo(other);
    }
    int files = one.substring(0, colon).compareTo(other.substring(0, second));
    return files != 0
        ? files
        : Integer.compare(
            Integer.parseInt(one.substring(colon + 1)),
            Integer.parseInt(other.substring(second + 1)));
  }

  /** {@code http_access} first, then the others in the order of the file. */
  List<ListAnswer> answers(GivenRequest request) {
    List<ListAnswer> answers = new ArrayList<>();
    answers.add(access(request));
    Set<String> decided = new HashSet<>();
    for (RuleBook.Compiled list : lists) {
      if (list.list() == access || isOfTunnels(list, request)) {
        continue;
      }
      String directive = directive(list.rules().get(0));
      ListAnswer answer = answer(list, request);
      if (FIRST_COUNTS.contains(directive)) {
        answer = decided.contains(directive) ? answer.notAsked() : answer;
        if (answer.outcome() == Outcome.APPLIES) {
          decided.add(directive);
        }
      }
      answers.add(answer);
    }
    return answers;
  }

  /** The types of all ACLs that were asked until {@code answer} to {@link #access}. */
  Set<AclType> asked(ListAnswer answer, GivenRequest request) {
    Set<AclType> types = EnumSet.noneOf(AclType.class);
    for (RuleBook.Compiled list : lists) {
      if (list.list() != access) {
        continue;
      }
      for (AclRule rule : list.rules()) {
        for (AclTrial one : acls.trial(rule, request)) {
          acls.addTypes(Acls.bare(one.term()), types);
        }
        if (rule.source().equals(answer.source()) && rule.text().equals(answer.rule())) {
          return types;
        }
      }
    }
    return types;
  }

  /** The answer of the list that this trial was made for. */
  ListAnswer access(GivenRequest request) {
    for (RuleBook.Compiled list : lists) {
      if (list.list() == access) {
        return answer(list, request);
      }
    }
    AclVerdict verdict = access.evaluate(request);
    Outcome outcome = verdict.allowed() ? Outcome.ALLOW : Outcome.DENY;
    return new ListAnswer("http_access", outcome, "", verdict.rule(), null, false, List.of(), "");
  }

  private static boolean isOfTunnels(RuleBook.Compiled list, GivenRequest request) {
    return directive(list.rules().get(0)).equals("ssl_bump") && !request.method().equals("CONNECT");
  }

  private static String directive(AclRule rule) {
    int blank = rule.text().indexOf(' ');
    return blank < 0 ? rule.text() : rule.text().substring(0, blank);
  }

  private ListAnswer answer(RuleBook.Compiled list, GivenRequest request) {
    AclVerdict verdict = list.list().evaluate(request);
    List<AclRule> asked = asked(list.rules(), verdict);
    AclRule waiting =
        asked.stream().filter(rule -> waitsForReply(rule, request)).findFirst().orElse(null);
    boolean random =
        asked.stream()
            .flatMap(rule -> rule.terms().stream())
            .anyMatch(term -> acls.reaches(Acls.bare(term), AclType.RANDOM));
    String title = title(list.rules().get(0));
    boolean actions = hasAction(list.rules().get(0));
    AclRule deciding = waiting == null ? decidingRule(asked, verdict, actions) : waiting;
    List<AclTrial> trials = deciding == null ? List.of() : acls.trial(deciding, request);
    Outcome outcome = waiting == null ? outcome(verdict, actions) : Outcome.DEPENDS_ON_RESPONSE;
    if (outcome == Outcome.DENY && list.list() == access && asksAgain(request)) {
      outcome = Outcome.LOGIN;
    }
    String missing = waiting == null ? missing(verdict, trials, request) : null;
    ListAnswer answer =
        new ListAnswer(
            title,
            outcome,
            deciding == null ? verdict.source() : deciding.source(),
            deciding == null ? verdict.rule() : deciding.text(),
            missing,
            random,
            trials,
            "");
    return outcome == Outcome.DENY && list.list() == access
        ? answer.withEffect(effect(verdict))
        : answer;
  }

  /** Whether another user may be allowed: the last ACL that was asked is about this one. */
  private boolean asksAgain(GivenRequest request) {
    return request.user() != null && access.endsWithUser(request, null);
  }

  /** The lines down to the deciding one; all if no line matches. */
  private static List<AclRule> asked(List<AclRule> rules, AclVerdict verdict) {
    for (int i = 0; i < rules.size(); i++) {
      AclRule rule = rules.get(i);
      if (rule.source().equals(verdict.source()) && rule.text().equals(verdict.rule())) {
        return rules.subList(0, i + 1);
      }
    }
    return rules;
  }

  private static @Nullable AclRule decidingRule(
      List<AclRule> asked, AclVerdict verdict, boolean actions) {
    AclRule last = asked.get(asked.size() - 1);
    return last.text().equals(verdict.rule()) || !actions ? last : null;
  }

  /** Whether only the response tells if {@code rule} matches. */
  private boolean waitsForReply(AclRule rule, GivenRequest request) {
    List<AclTrial> trials = acls.trial(rule, request);
    return trials.stream().anyMatch(one -> one.answer() == AclTrial.Answer.NEEDS_RESPONSE)
        && trials.stream().noneMatch(one -> one.answer() == AclTrial.Answer.DOES_NOT_MATCH);
  }

  private static boolean hasAction(AclRule rule) {
    String[] words = rule.text().split(" ", -1);
    int action = words.length - rule.terms().size() - 1;
    // a line that is left out has other terms than words
    return (action > 0 && (words[action].equals("allow") || words[action].equals("deny")))
        || rule.terms().equals(List.of("!all"));
  }

  private static String title(AclRule rule) {
    String[] words = rule.text().split(" ", -1);
    int terms = words.length - rule.terms().size();
    int end = hasAction(rule) ? Math.max(1, terms - 1) : terms;
    return String.join(" ", List.of(words).subList(0, end));
  }

  private static Outcome outcome(AclVerdict verdict, boolean actions) {
    return switch (verdict.kind()) {
      case ALLOWED -> actions ? Outcome.ALLOW : Outcome.APPLIES;
      case DENIED -> actions ? Outcome.DENY : Outcome.DOES_NOT_APPLY;
      case CHALLENGE -> Outcome.LOGIN;
      default -> Outcome.UNDECIDED;
    };
  }

  private static @Nullable String missing(
      AclVerdict verdict, List<AclTrial> trials, GivenRequest request) {
    return switch (verdict.kind()) {
      case NEEDS_DESTINATION -> "the addresses of the host: --dns " + request.host() + "=ADDRESS";
      case NEEDS_NAME -> "the name of the address: --dns NAME=" + request.host();
      case NEEDS_LOGIN -> "who has logged in: --user NAME, or --user '' for nobody";
      case NEEDS_HELPER, UNDECIDED ->
          "the answer of a helper: --answer " + asking(trials) + "=OK|ERR";
      default -> null;
    };
  }

  private static String asking(List<AclTrial> trials) {
    return trials.stream()
        .filter(one -> one.answer() == AclTrial.Answer.NEEDS_HELPER)
        .map(one -> Acls.bare(one.term()))
        .findFirst()
        .orElse("ACL");
  }

  private String effect(AclVerdict verdict) {
    DenyPage page = pages.denied(verdict.lastAcl());
    if (page == null) {
      return "";
    }
    return switch (page.kind()) {
      case RESET -> "deny_info: the connection is reset";
      case REDIRECT -> "deny_info: redirected to " + page.text();
      case PAGE -> "deny_info: page " + page.text();
    };
  }
}

package io.loligo.server.check;

import io.loligo.core.acl.AclTrial;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one list of rules says about a request. Immutable.
 *
 * @param list directive and further words, without ACLs
 * @param source {@code file:line} of the deciding line, or the empty string
 * @param rule the deciding line, or why there is none
 * @param missing what is needed to decide; null: it is decided
 * @param byChance whether an ACL of type {@code random} was asked
 * @param trials how the ACLs of the deciding line answer
 * @param effect what a denial does, such as the page of {@code deny_info}; may be empty
 */
record ListAnswer(
    String list,
    Outcome outcome,
    String source,
    String rule,
    @Nullable String missing,
    boolean byChance,
    List<AclTrial> trials,
    String effect) {
  /** The outcomes. */
  enum Outcome {
    ALLOW("allow"),
    DENY("deny"),
    /** A line without {@code allow} and {@code deny}: all its ACLs match. */
    APPLIES("applies"),
    DOES_NOT_APPLY("does not apply"),
    /** A line above decides. */
    NOT_ASKED("not asked"),
    LOGIN("asks for a login"),
    UNDECIDED("undecided"),
    DEPENDS_ON_RESPONSE("depends on the response");

    private final String words;

    Outcome(String words) {
      this.words = words;
    }

    /** The words in a report; the words of JSON have hyphens. */
    String words() {
      return words;
    }
  }

  ListAnswer withEffect(String text) {
    return new ListAnswer(list, outcome, source, rule, missing, byChance, trials, text);
  }

  ListAnswer notAsked() {
    return new ListAnswer(
        list, Outcome.NOT_ASKED, source, "a line above decides", null, false, List.of(), "");
  }
}

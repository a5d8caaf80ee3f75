package io.loligo.core.config;

import io.loligo.core.acl.AclType;
import java.util.List;
import java.util.stream.Collectors;

/** Keeps secrets of a configuration out of reports and pages. Immutable; any thread. */
final class Secrets {
  private static final String HIDDEN = "***";
  private static final List<String> OPTIONS = List.of("login=", "sslpassword=", "password=");

  // words before the values of an acl
  private static final int COMMUNITY = 3;

  private final Directives directives;

  Secrets(Directives directives) {
    this.directives = directives;
  }

  /** The line's text without comment, secrets replaced. */
  String redact(Line line) {
    Directive directive = directives.named(line.directive());
    if (directive != null && directive.secret()) {
      return line.directive() + (line.words().size() > 1 ? " " + HIDDEN : "");
    }
    if (isCommunity(line) && line.words().size() > COMMUNITY) {
      return String.join(" ", line.words().subList(0, COMMUNITY)) + " " + HIDDEN;
    }
    return words(line.words());
  }

  /** {@code value}, words of the line, with secrets replaced. */
  String redact(Line line, String value) {
    Directive directive = directives.named(line.directive());
    boolean secret = directive != null && directive.secret() && !value.isEmpty();
    boolean hide = secret || (isCommunity(line) && line.words().lastIndexOf(value) >= COMMUNITY);
    return hide ? HIDDEN : words(List.of(value.split(" ", -1)));
  }

  /** Whether the values of this {@code acl} are SNMP communities, which give access to agents. */
  private static boolean isCommunity(Line line) {
    return line.directive().equals("acl")
        && line.words().size() > 2
        && line.words().get(2).equals(AclType.SNMP_COMMUNITY.word());
  }

  private static String words(List<String> words) {
    return words.stream().map(Secrets::word).collect(Collectors.joining(" "));
  }

  /** Whether {@link #redact(Line)} hides anything. */
  boolean holdsSecret(Line line) {
    return redact(line).contains(HIDDEN);
  }

  private static String word(String word) {
    for (String option : OPTIONS) {
      if (word.startsWith(option)) {
        return option + HIDDEN;
      }
    }
    return word;
  }
}

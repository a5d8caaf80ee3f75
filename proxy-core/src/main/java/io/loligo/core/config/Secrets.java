package io.loligo.core.config;

import io.loligo.core.acl.AclType;
import java.util.List;
import java.util.stream.Collectors;

/** Keeps secrets of a configuration out of reports and pages. Immutable; any thread. */
final class Secrets {
  private static final String HIDDEN = "***";
  private static final List<String> OPTIONS = List.of("login=", "sslpassword=", "password=");

  private static final String EXTERNAL_ACL = "external_acl_type";

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
    int password = password(line);
    return password < 0
        ? words(line.words())
        : words(line.words().subList(0, password)) + " -w " + HIDDEN;
  }

  /**
   * The place of {@code -w} in the command of a helper, or -1. The password behind it may have
   * blanks, so all words from there on are hidden.
   */
  private static int password(Line line) {
    if (line.directive().equals(EXTERNAL_ACL)) {
      for (int i = 1; i < line.words().size(); i++) {
        if (line.words().get(i).startsWith("-w")) {
          return i;
        }
      }
    }
    return -1;
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

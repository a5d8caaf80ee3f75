package io.loligo.core.acl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of a rule list as written. Immutable.
 *
 * @param allow {@code allow} or {@code deny}
 * @param terms ACL names, with {@code !} before a negated one
 * @param text the line
 * @param source file:line
 */
public record AclRule(boolean allow, List<String> terms, String text, String source) {
  // written out: rules are compared before a port is open, and the first comparison that a record
  // makes itself takes some two hundred classes

  @Override
  public boolean equals(@Nullable Object object) {
    return object instanceof AclRule other
        && allow == other.allow
        && terms.equals(other.terms)
        && text.equals(other.text)
        && source.equals(other.source);
  }

  @Override
  public int hashCode() {
    return 31 * text.hashCode() + source.hashCode();
  }
}

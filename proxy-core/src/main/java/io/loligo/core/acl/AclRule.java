package io.loligo.core.acl;

import java.util.List;

/**
 * One line of a rule list as written. Immutable.
 *
 * @param allow {@code allow} or {@code deny}
 * @param terms ACL names, with {@code !} before a negated one
 * @param text the line
 * @param source file:line
 */
public record AclRule(boolean allow, List<String> terms, String text, String source) {}

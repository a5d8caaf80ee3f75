package io.loligo.core.acl;

/**
 * A problem with one value of an {@code acl} line. Immutable.
 *
 * @param error whether the line cannot be used; otherwise only a remark
 * @param valueIndex index of the value, or -1
 * @param value the value
 * @param expected the correct form
 * @param advice the remedy, or the empty string
 */
public record AclProblem(
    boolean error, int valueIndex, String value, String expected, String advice) {}

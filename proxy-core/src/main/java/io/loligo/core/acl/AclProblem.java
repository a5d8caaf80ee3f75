package io.loligo.core.acl;

/**
 * What is wrong with one value of an {@code acl} line. Immutable.
 *
 * @param error whether the line cannot be used; otherwise only a remark
 * @param valueIndex which of the values given, or -1
 * @param value the value
 * @param expected what would have been right
 * @param advice what to do, or the empty string
 */
public record AclProblem(
    boolean error, int valueIndex, String value, String expected, String advice) {}

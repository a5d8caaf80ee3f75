package io.loligo.server.helper;

/**
 * Counts of one program, for operators. Immutable.
 *
 * @param name of the program
 * @param requests questions so far
 * @param replies answers of children so far
 * @param pending questions without an answer
 * @param queued questions among them that wait for a child
 * @param running children that run
 * @param starts children started so far
 * @param exits children that ended without being told to
 * @param timeouts questions without an answer in time
 * @param failures questions that got no answer for another reason
 * @param unexpected lines that answer no question
 * @param replyNanos sum of the times from question to answer, in nanoseconds
 */
public record HelperNumbers(
    String name,
    long requests,
    long replies,
    long pending,
    long queued,
    long running,
    long starts,
    long exits,
    long timeouts,
    long failures,
    long unexpected,
    long replyNanos) {}

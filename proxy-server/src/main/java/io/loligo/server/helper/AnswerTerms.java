package io.loligo.server.helper;

/**
 * How long the answers of a program are kept. Immutable. Equal ones share their answers, also after
 * a reload.
 *
 * @param program the program
 * @param form the form of its questions, as the configuration has it
 * @param okSeconds the time of an OK; 0: none is kept
 * @param errSeconds the same of an ERR
 * @param gracePercent the last part of the time, in which an answer still counts while the program
 *     is asked again
 * @param entries the most answers; 0: none is kept, and equal questions are not asked together
 */
public record AnswerTerms(
    HelperProgram program,
    String form,
    long okSeconds,
    long errSeconds,
    int gracePercent,
    int entries) {}

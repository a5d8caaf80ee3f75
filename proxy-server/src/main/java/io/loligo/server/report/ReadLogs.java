package io.loligo.server.report;

import java.util.List;

/**
 * The counts and aggregates of access logs.
 *
 * @param names of the logs
 * @param results result codes by number
 * @param lines without empty ones
 * @param unreadable lines among them that have none of the formats
 * @param examples the first unreadable lines with their places
 * @param problems logs that could not be read, or not to their ends
 */
record ReadLogs(
    List<String> names,
    Aggregates counted,
    ResultCodes results,
    long lines,
    long unreadable,
    List<String> examples,
    List<String> problems) {}

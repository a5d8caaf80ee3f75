package io.loligo.server.metrics;

/**
 * The state of a parent at one moment. Immutable.
 *
 * @param name {@code name=}, else its host
 * @param up whether requests are sent to it
 * @param connections open ones
 * @param goodChecks checks with a good response so far
 * @param badChecks other ones
 */
public record PeerNumbers(
    String name, boolean up, int connections, long goodChecks, long badChecks) {}

package io.loligo.server.sim;

/**
 * An answer that an origin gave.
 *
 * @param nanos when
 * @param request number of the client's request that the origin was asked by
 */
record Emitted(
    int serial,
    long nanos,
    Resource resource,
    int version,
    String language,
    int status,
    int request) {}

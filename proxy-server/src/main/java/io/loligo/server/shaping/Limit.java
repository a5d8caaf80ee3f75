package io.loligo.server.shaping;

/**
 * The limit of a stream to a client. Immutable.
 *
 * @param loop of the client
 */
public record Limit(Allowance allowance, LoopPaces loop) {}

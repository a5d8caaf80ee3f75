package io.loligo.server.whatif;

/**
 * Shares of hits, from 0 to 1. Immutable.
 *
 * @param requests share of the requests that hit
 * @param bytes share of the bytes that came from hits
 */
public record HitRatio(double requests, double bytes) {}

package io.loligo.server.whatif;

/**
 * Requests of some kind. Immutable.
 *
 * @param requests their number
 * @param bytes that were sent to their clients
 */
record Load(double requests, double bytes) {}

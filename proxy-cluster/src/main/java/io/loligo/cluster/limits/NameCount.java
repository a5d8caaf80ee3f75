package io.loligo.cluster.limits;

/**
 * Requests that a node let pass since it last told. Immutable.
 *
 * @param name hash of an address, a user or a value, the same on all nodes
 * @param count from 1
 */
record NameCount(long name, int count) {}

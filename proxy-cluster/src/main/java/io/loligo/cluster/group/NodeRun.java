package io.loligo.cluster.group;

import java.util.UUID;

/**
 * One run of a node. Immutable.
 *
 * @param node stays the same over restarts, if the node has a place to keep it
 * @param run another number for each run; greater than that of earlier runs if the clock did not go
 *     back
 */
public record NodeRun(UUID node, long run) {}

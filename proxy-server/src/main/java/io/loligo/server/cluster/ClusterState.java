package io.loligo.server.cluster;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;

/**
 * The cluster as this node sees it. Immutable.
 *
 * @param self this node
 * @param view the members
 * @param configured nodes that there should be
 * @param changes views that differed from the one before, since the start
 */
public record ClusterState(NodeRun self, View view, int configured, long changes) {}

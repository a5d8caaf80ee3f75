package io.loligo.cluster.group;

import java.util.List;

/**
 * The members that a node sees. Immutable.
 *
 * @param number grows with each view of this node
 * @param members in the same order on all nodes with this view; this node is among them
 */
public record View(long number, List<Member> members) {}

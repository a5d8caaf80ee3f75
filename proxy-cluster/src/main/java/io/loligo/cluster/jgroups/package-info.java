/**
 * The group on JGroups: its classes are used here only.
 *
 * <p>{@link io.loligo.cluster.jgroups.JGroupsGroup} is the front door. The engine calls on threads
 * of its own; everything goes on as a step of the node.
 */
@NullMarked
package io.loligo.cluster.jgroups;

import org.jspecify.annotations.NullMarked;

/**
 * The members of a cluster and the messages between them: the interface to an engine.
 *
 * <p>{@link io.loligo.cluster.group.Group} is used and answers on a node's {@link
 * io.loligo.cluster.Steps}.
 */
@NullMarked
package io.loligo.cluster.group;

import org.jspecify.annotations.NullMarked;

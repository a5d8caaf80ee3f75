/**
 * Who is there, and messages to them: what the rest of the cluster needs of an engine.
 *
 * <p>{@link io.loligo.cluster.group.Group} is used and answers on a node's {@link
 * io.loligo.cluster.Steps}.
 */
@NullMarked
package io.loligo.cluster.group;

import org.jspecify.annotations.NullMarked;

/**
 * Purges that reach every node, in the order of each sender, also one that was away.
 *
 * <p>Confined to a node's {@link io.loligo.cluster.Steps}.
 */
@NullMarked
package io.loligo.cluster.purges;

import org.jspecify.annotations.NullMarked;

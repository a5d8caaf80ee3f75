/**
 * Limits of requests that hold for all nodes together: each node tells the others once a second how
 * many requests of which names it let pass.
 *
 * <p>{@link io.loligo.cluster.limits.SharedLimits} is confined to the steps of the node. A {@link
 * io.loligo.cluster.limits.SharedLimit} keeps the numbers, and event loops never come here. A lost
 * message loses its counts, and is not sent again.
 */
@NullMarked
package io.loligo.cluster.limits;

import org.jspecify.annotations.NullMarked;

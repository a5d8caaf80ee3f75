/**
 * One cache of many nodes: which node owns a key, which node is asked, and who may use the answer.
 *
 * <p>Decisions only: no sockets, no threads, no clock. Times are nanoseconds of a clock that never
 * goes back. {@link io.loligo.cluster.share.Ring} and {@link io.loligo.cluster.share.PurgeVector}
 * are immutable, and a node publishes each by one reference. An event loop has {@link
 * io.loligo.cluster.share.Routing}, {@link io.loligo.cluster.share.Fallbacks} and {@link
 * io.loligo.cluster.share.HotKeys} of its own. ADR 43 has the reasons.
 */
@NullMarked
package io.loligo.cluster.share;

import org.jspecify.annotations.NullMarked;

/**
 * Clocks, the timeouts of an event loop, the pace that a peer has to keep, and the rate of log
 * lines.
 *
 * <p>Every package of the server may use it; it uses none. A {@link TimeSource} is for any thread,
 * everything else is confined to one event loop.
 */
@NullMarked
package io.loligo.server.time;

import org.jspecify.annotations.NullMarked;

/**
 * The health of parents, for the whole process, the checks that ask them for a response, and the
 * idle connections that are kept open to them.
 *
 * <p>{@code upstream} reads and feeds it through {@code HopHealth}; {@code boot} makes it, and
 * starts the checks. {@code PeerHealth} is thread-safe; checks are confined to an event loop.
 */
@NullMarked
package io.loligo.server.peer;

import org.jspecify.annotations.NullMarked;

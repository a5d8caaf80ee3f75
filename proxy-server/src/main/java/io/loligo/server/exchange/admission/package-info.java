/**
 * The steps before the store lookup: access, tunnels, Max-Forwards, forwarding loops, schemes,
 * PURGE and the size of the content. Logins, helpers and request adaptation belong here too.
 *
 * <p>{@code RequestSteps} acts on the verdicts, and {@code explain} shows them. Confined to the
 * event loop.
 */
@NullMarked
package io.loligo.server.exchange.admission;

import org.jspecify.annotations.NullMarked;

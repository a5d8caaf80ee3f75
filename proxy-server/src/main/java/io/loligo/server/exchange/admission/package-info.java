/**
 * The steps before the store: access, tunnels, Max-Forwards, forwarding loops, schemes, PURGE and
 * the size of the content. A login, a helper and request adaptation belong here.
 *
 * <p>{@code RequestSteps} follows their verdicts, and {@code explain} shows them. Confined to the
 * event loop.
 */
package io.loligo.server.exchange.admission;

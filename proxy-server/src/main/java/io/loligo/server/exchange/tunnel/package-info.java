/**
 * CONNECT and Upgrade: the exchange until bytes move both ways. The package {@code server.tunnel}
 * moves them.
 *
 * <p>{@code RequestSteps} and {@code join} use it. Confined to the event loop of the client.
 */
package io.loligo.server.exchange.tunnel;

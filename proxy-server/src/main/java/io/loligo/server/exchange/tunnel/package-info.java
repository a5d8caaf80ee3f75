/**
 * CONNECT and Upgrade: the exchange until bytes flow both ways. The package {@code server.tunnel}
 * then moves the bytes.
 *
 * <p>{@code RequestSteps} and {@code join} use this package. Confined to the event loop of the
 * client.
 */
@NullMarked
package io.loligo.server.exchange.tunnel;

import org.jspecify.annotations.NullMarked;

/**
 * The inspection of tunnels: {@code ssl_bump}. {@code Inspection} reads the first message of the
 * client, asks the rules, and splices, ends or decrypts the tunnel.
 *
 * <p>{@code RequestSteps} uses this package. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.inspect;

import org.jspecify.annotations.NullMarked;

/**
 * PURGE: its request fields, and its response after every tier has removed the stored responses.
 *
 * <p>Only {@code RequestSteps} uses this package. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.purge;

import org.jspecify.annotations.NullMarked;

/**
 * Answers requests for manager pages, which {@code admission} has allowed.
 *
 * <p>Only {@code RequestSteps} uses this package. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.manager;

import org.jspecify.annotations.NullMarked;

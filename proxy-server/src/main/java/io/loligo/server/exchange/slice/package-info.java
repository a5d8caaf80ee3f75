/**
 * Responses in slices. Each slice is fetched by a request of its own, which takes the same steps as
 * any other request. The client gets one response.
 *
 * <p>This package calls the steps through its own interface. Only {@code RequestSteps} uses it.
 * Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.slice;

import org.jspecify.annotations.NullMarked;

/**
 * Requests that memory and disk cannot answer: they join the fetch of another request or begin one,
 * and pass the response on.
 *
 * <p>It uses {@code hit}, {@code fetch} and {@code tunnel}; only {@code RequestSteps} and {@code
 * explain} use it. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.join;

import org.jspecify.annotations.NullMarked;

/**
 * The content of a QUERY. It is part of the cache key, so the proxy reads it first and replays it
 * to the origin later.
 *
 * <p>Only {@code RequestSteps} uses this package. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.query;

import org.jspecify.annotations.NullMarked;

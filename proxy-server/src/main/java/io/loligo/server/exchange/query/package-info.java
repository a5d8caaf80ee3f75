/**
 * The content of a QUERY, which is part of its key: it is taken in first and given on later.
 *
 * <p>Only {@code RequestSteps} uses it. Confined to the event loop of the client.
 */
package io.loligo.server.exchange.query;

/**
 * Responses in slices: one request for each slice, which takes the steps of any other request, and
 * one response to the client.
 *
 * <p>It reaches the steps through an interface of its own; only {@code RequestSteps} uses it.
 * Confined to the event loop of the client.
 */
package io.loligo.server.exchange.slice;

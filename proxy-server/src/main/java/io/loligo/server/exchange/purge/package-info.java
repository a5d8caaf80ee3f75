/**
 * PURGE: its fields, and its response once all tiers have forgotten.
 *
 * <p>Only {@code RequestSteps} uses it. Confined to the event loop of the client.
 */
package io.loligo.server.exchange.purge;

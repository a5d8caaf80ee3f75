/**
 * A request with the facts known about it, how its target is found, and how it waits for another
 * party.
 *
 * <p>It uses {@code client}; the steps and their subpackages use it. Confined to the event loop of
 * the client.
 */
package io.loligo.server.exchange.request;

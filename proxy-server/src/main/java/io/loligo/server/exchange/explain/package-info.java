/**
 * What a request would get: the steps and the rules with an end that records instead of sending.
 *
 * <p>It uses {@code admission}, {@code rules}, {@code hit} and {@code join}; only {@code
 * RequestSteps} uses it. Confined to the event loop.
 */
package io.loligo.server.exchange.explain;

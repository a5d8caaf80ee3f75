/**
 * A question about a URL and its answer: what is stored, what would happen, and what happened
 * lately.
 *
 * <p>{@code exchange} answers; {@code admin} and {@code jmx} ask and show. Questions and
 * explanations are immutable. {@link RecentDecisions} is written by one event loop and read on it.
 */
package io.loligo.server.explain;

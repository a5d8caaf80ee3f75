/**
 * A question about a URL and its answer: stored responses, the decision now, and past decisions.
 *
 * <p>{@code exchange} answers; {@code admin} and {@code jmx} ask and show. Questions and
 * explanations are immutable. {@link RecentDecisions} is written by one event loop and read on it.
 */
@NullMarked
package io.loligo.server.explain;

import org.jspecify.annotations.NullMarked;

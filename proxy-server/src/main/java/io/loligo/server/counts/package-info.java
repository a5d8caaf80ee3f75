/**
 * Counts of things of which there are several, such as programs and services: how a count is
 * declared, and where its value is.
 *
 * <p>The features {@code helper}, {@code login}, {@code adapt} and {@code shaping} declare their
 * counts with it, and {@code metrics}, {@code history} and {@code jmx} show them. It knows no other
 * package of the server. Thread-safe: any thread.
 */
@NullMarked
package io.loligo.server.counts;

import org.jspecify.annotations.NullMarked;

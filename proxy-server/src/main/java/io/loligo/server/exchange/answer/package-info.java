/**
 * Responses that the proxy generates: error pages, and the texts for failed fetches.
 *
 * <p>This package uses {@code services} and {@code rules}. Every step that may fail uses it.
 * Stateless.
 */
@NullMarked
package io.loligo.server.exchange.answer;

import org.jspecify.annotations.NullMarked;

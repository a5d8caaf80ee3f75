/**
 * Responses of the proxy's own: error pages and the words for failures.
 *
 * <p>It uses {@code services} and {@code rules}; every step that may fail uses it. Stateless.
 */
package io.loligo.server.exchange.answer;

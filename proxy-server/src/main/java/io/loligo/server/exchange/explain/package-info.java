/**
 * Explains which response a request would get. It runs the same steps and rules as a real request,
 * but records the result instead of sending it.
 *
 * <p>This package uses {@code admission}, {@code rules}, {@code hit} and {@code join}. Only {@code
 * RequestSteps} uses it. Confined to the event loop.
 */
@NullMarked
package io.loligo.server.exchange.explain;

import org.jspecify.annotations.NullMarked;

/**
 * The choice of a request's hops, by configuration, rules and health.
 *
 * <p>{@code exchange} asks the {@code Router}. This package resolves names through {@code Upstream}
 * and opens no connection. A {@code Router} is confined to its event loop; the rest is immutable.
 */
@NullMarked
package io.loligo.server.upstream.route;

import org.jspecify.annotations.NullMarked;

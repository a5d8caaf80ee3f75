/**
 * HTTP/1.x on one connection to an origin or a parent: the connection and its encoder.
 *
 * <p>{@code attempt} makes connections, and uses them as leases of {@code pool}. This package knows
 * no hop, and of the configuration only limits. Everything is confined to one event loop.
 */
@NullMarked
package io.loligo.server.upstream.http1;

import org.jspecify.annotations.NullMarked;

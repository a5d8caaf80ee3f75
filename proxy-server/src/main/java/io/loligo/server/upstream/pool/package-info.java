/**
 * Connections to origins and parents: their key, the pool, and the lease of a request.
 *
 * <p>{@code http1} and {@code http2} implement the connections, {@code connect} dials endpoints,
 * {@code attempt} takes leases. This package knows none of them. Everything is confined to one
 * event loop.
 */
@NullMarked
package io.loligo.server.upstream.pool;

import org.jspecify.annotations.NullMarked;

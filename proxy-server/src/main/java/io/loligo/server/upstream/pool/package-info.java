/**
 * Connections to origins and parents: the key they are kept by, the pool, and the lease that a
 * request has of one.
 *
 * <p>{@code http1} implements the connections, {@code connect} dials endpoints, {@code attempt}
 * takes leases. This package knows none of them. Everything is confined to one event loop.
 */
package io.loligo.server.upstream.pool;

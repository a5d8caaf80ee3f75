/**
 * HTTP/2 with origins and parents (RFC 9113): requests as streams, flow control, and limits on
 * everything that the other end controls.
 *
 * <p>Only {@code attempt} makes its connections, and knows them by {@code PooledConnection}.
 * Everything is confined to the event loop of its connection.
 */
@NullMarked
package io.loligo.server.upstream.http2;

import org.jspecify.annotations.NullMarked;

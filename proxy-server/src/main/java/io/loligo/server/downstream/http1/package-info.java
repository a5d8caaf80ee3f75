/**
 * HTTP/1 with clients: heads and content of requests, responses, and the connection between them.
 *
 * <p>{@code Http1Connection} is the state of the connection, {@code Http1Stream} the exchange on
 * it. Only {@code boot} uses this package, through the constructor of {@code Http1Connection}.
 * Everything is confined to the event loop of the connection.
 */
@NullMarked
package io.loligo.server.downstream.http1;

import org.jspecify.annotations.NullMarked;

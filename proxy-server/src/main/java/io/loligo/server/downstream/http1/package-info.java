/**
 * HTTP/1 with clients: heads and content of requests, responses, and what becomes of the connection
 * between them.
 *
 * <p>{@code Http1Connection} is the state of the connection, {@code Http1Stream} the exchange on
 * it. {@code boot} alone uses this package, by the constructor of {@code Http1Connection}. All is
 * confined to the event loop of the connection.
 */
package io.loligo.server.downstream.http1;

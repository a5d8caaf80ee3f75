/**
 * HTTP/2 with clients (RFC 9113): frames, streams, flow control, priorities (RFC 9218) and limits.
 *
 * <p>Only {@code boot} makes its connections; the exchange knows a stream by {@code ClientStream}.
 * Everything is confined to the event loop of its connection.
 */
@NullMarked
package io.loligo.server.downstream.http2;

import org.jspecify.annotations.NullMarked;

/**
 * The parts that connections of HTTP/2 to clients and to origins share.
 *
 * <p>{@code downstream/http2} and {@code upstream/http2} use it; it knows neither of them, and only
 * {@code transport} of the server's packages. Everything is confined to one event loop.
 */
@NullMarked
package io.loligo.server.http2;

import org.jspecify.annotations.NullMarked;

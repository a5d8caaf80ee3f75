/**
 * The syntax of HTTP/1 without sockets: heads, framing, chunked coding (RFC 9112).
 *
 * <p>{@code downstream.http1} and {@code upstream.http1} use it. It fills the types of {@code
 * core.message}, which know nothing of it. A parser and a decoder belong to one connection at a
 * time and to one thread.
 */
@NullMarked
package io.loligo.core.http1;

import org.jspecify.annotations.NullMarked;

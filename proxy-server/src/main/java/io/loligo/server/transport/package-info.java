/**
 * Event loops, sockets and buffers: the choices of the process, and the parts that connections to
 * clients and to origins share.
 *
 * <p>Every other package of the server may use this one; it uses none of them. {@code Transport}
 * and {@code Sockets} are immutable, {@code SmallPieces} and {@code SystemQueue} are stateless; the
 * rest is confined to one event loop.
 */
@NullMarked
package io.loligo.server.transport;

import org.jspecify.annotations.NullMarked;

/**
 * Opening connections: transports, order of addresses, Happy Eyeballs.
 *
 * <p>{@code attempt} dials endpoints; {@code boot} makes the transport. A {@code Dial} is confined
 * to its event loop; the rest is immutable.
 */
@NullMarked
package io.loligo.server.upstream.connect;

import org.jspecify.annotations.NullMarked;

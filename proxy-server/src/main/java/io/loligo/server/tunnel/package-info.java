/**
 * Tunnels: bytes relayed between a client and its origin after a CONNECT or an Upgrade.
 *
 * <p>Both HTTP sides give a {@link io.loligo.server.tunnel.ByteStream} away, and {@code exchange}
 * starts a {@link io.loligo.server.tunnel.Tunnel} between them. A tunnel is confined to the
 * client's event loop, each of its ends to the loop of its stream.
 */
@NullMarked
package io.loligo.server.tunnel;

import org.jspecify.annotations.NullMarked;

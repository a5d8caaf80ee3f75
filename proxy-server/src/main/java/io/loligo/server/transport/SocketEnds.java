package io.loligo.server.transport;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The ends of a TCP connection as the socket has them. Immutable.
 *
 * @param local of this machine; for a tproxy port, the address that the client connected to
 */
public record SocketEnds(InetSocketAddress local, InetSocketAddress remote) {

  /** The ends of the socket of {@code channel}; null: it has none, or is closed. */
  public static @Nullable SocketEnds of(Channel channel) {
    return channel.localAddress() instanceof InetSocketAddress local
            && channel.remoteAddress() instanceof InetSocketAddress remote
        ? new SocketEnds(local, remote)
        : null;
  }
}

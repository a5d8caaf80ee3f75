package io.loligo.server.downstream.intercept;

import io.loligo.server.port.Interception;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The addresses to which intercepted clients connected, as the system knows them. Thread-safe. */
public interface OriginalDestinations {
  /**
   * The address that the client of {@code channel} connected to; null: the system knows none.
   * Called on the channel's event loop.
   *
   * @param how not {@code NONE}
   */
  @Nullable InetSocketAddress of(Channel channel, Interception how);
}

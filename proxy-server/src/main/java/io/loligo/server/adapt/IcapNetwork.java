package io.loligo.server.adapt;

import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to services. Called on the event loop. */
public interface IcapNetwork {
  /**
   * Resolves {@code host}; {@code done} is called on this event loop, perhaps before this returns,
   * with an empty list if there is no address.
   */
  void resolve(String host, Consumer<List<InetAddress>> done);

  /** The ledger of bytes in transit. */
  MemoryLedger transit();

  /**
   * Starts to connect, with {@code handler} as the channel's only handler. Closing the future's
   * channel cancels it.
   */
  ChannelFuture dial(InetSocketAddress address, ChannelHandler handler);

  /**
   * Begins TLS on {@code channel}, which is open. {@code done} is called on this event loop,
   * perhaps before this returns, with the reason why it failed, or null. Closing the channel ends
   * it.
   */
  void secure(Channel channel, IcapService.Tls tls, int port, Consumer<@Nullable String> done);
}

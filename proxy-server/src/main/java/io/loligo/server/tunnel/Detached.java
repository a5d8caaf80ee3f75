package io.loligo.server.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * A raw connection given away by its HTTP side, with reading off.
 *
 * @param channel the connection, its HTTP handlers removed
 * @param early octets received behind the head, owned by whoever takes this; may be empty
 */
public record Detached(Channel channel, ByteBuf early) {}

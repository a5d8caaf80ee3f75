package io.loligo.server.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;

/** Local addresses of other machines, which need Linux and CAP_NET_RAW or CAP_NET_ADMIN. */
public final class ForeignAddress {
  private static final int SOL_IP = 0;
  private static final int IP_TRANSPARENT = 19;

  /** 1: a socket may have such an address. An option of {@link Sockets#ofLinux}. */
  public static final ChannelOption<Integer> OPTION =
      new IntegerUnixChannelOption("IP_TRANSPARENT", SOL_IP, IP_TRANSPARENT);

  private ForeignAddress() {}
}

package io.loligo.server.boot;

import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Joins the groups of {@code mcast_groups} on all interfaces that are up. Stateless. */
final class MulticastGroups {
  private static final Logger LOG = LoggerFactory.getLogger(MulticastGroups.class);

  private MulticastGroups() {}

  /**
   * Lets {@code receiver}, which is bound, receive datagrams for {@code groups}, too, but for those
   * of {@code sender}, which may be the same. May block.
   */
  static void join(DatagramChannel receiver, DatagramChannel sender, List<String> groups) {
    if (groups.isEmpty()) {
      return;
    }
    sender.config().setLoopbackModeDisabled(true);
    if (!receiver.localAddress().getAddress().isAnyLocalAddress()) {
      LOG.warn(
          "mcast_groups: the ICP port receives nothing for them, because it has one address; next:"
              + " remove udp_incoming_address, or mcast_groups");
      return;
    }
    for (String group : groups) {
      String refusal = join(receiver, group);
      if (refusal != null) {
        LOG.warn(
            "mcast_groups: {} cannot be joined ({}): its queries do not arrive; next: look at the"
                + " address, and at the interfaces of this machine",
            group,
            refusal);
      }
    }
  }

  /** The reason why no interface could join; null: one has. */
  private static @Nullable String join(DatagramChannel channel, String group) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(group);
    String refusal = "no interface";
    boolean joined = false;
    try {
      if (bytes == null || !InetAddress.getByAddress(bytes).isMulticastAddress()) {
        return "not the address of a group";
      }
      InetAddress address = InetAddress.getByAddress(bytes);
      for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
        if (each.isUp()) {
          ChannelFuture asked =
              channel.joinGroup(address, each, /* source= */ null).awaitUninterruptibly();
          joined |= asked.isSuccess();
          refusal = asked.isSuccess() ? refusal : String.valueOf(asked.cause().getMessage());
        }
      }
    } catch (IOException e) {
      refusal = String.valueOf(e.getMessage());
    }
    return joined ? null : refusal;
  }
}

package io.loligo.server.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.epoll.EpollTcpInfo;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.channel.uring.IoUringTcpInfo;

/**
 * The system's queue of bytes taken from the proxy: it may hold megabytes, and takes more only when
 * a good part of it is gone. Stateless.
 */
public final class SystemQueue {
  private SystemQueue() {}

  /**
   * Whether within {@code millis} the peer let the system send new bytes; false if the transport
   * does not tell.
   */
  public static boolean sentWithin(Channel channel, long millis) {
    if (!channel.isActive()) {
      return false;
    }
    try {
      if (channel instanceof EpollSocketChannel socket) {
        EpollTcpInfo info = socket.tcpInfo();
        return info.retransmits() == 0 && info.lastDataSent() < millis;
      }
      if (channel instanceof IoUringSocketChannel socket) {
        IoUringTcpInfo info = socket.tcpInfo();
        return info.retransmits() == 0 && info.lastDataSent() < millis;
      }
      return false;
    } catch (ChannelException e) {
      return false; // the socket is gone
    }
  }
}

package io.loligo.server.accesslog;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Sends over UDP. Confined to the log writer's thread. */
final class UdpSender implements DatagramSender {
  private final InetSocketAddress receiver;
  private DatagramChannel channel;

  UdpSender(InetSocketAddress receiver) throws IOException {
    this.receiver = receiver;
    channel = open();
  }

  private DatagramChannel open() throws IOException {
    DatagramChannel fresh = DatagramChannel.open();
    try {
      fresh.configureBlocking(false);
      fresh.connect(receiver);
      return fresh;
    } catch (IOException | RuntimeException e) {
      fresh.close();
      throw e;
    }
  }

  @Override
  public boolean send(ByteBuffer datagram) throws IOException {
    return channel.write(datagram) > 0;
  }

  @Override
  public void reopen() throws IOException {
    DatagramChannel fresh = open();
    channel.close();
    channel = fresh;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

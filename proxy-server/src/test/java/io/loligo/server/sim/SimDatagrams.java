package io.loligo.server.sim;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.DefaultDatagramChannelConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.util.ArrayDeque;

/** The socket by which a loop of the proxy asks nameservers. */
final class SimDatagrams extends AbstractChannel implements DatagramChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(true, 16);

  /** Takes the options; nothing is ever sent by it. */
  private static final DatagramSocket OPTIONS = options();

  private final Network network;
  private final Nameserver nameserver;
  private final DatagramChannelConfig config = new DefaultDatagramChannelConfig(this, OPTIONS);
  private final ArrayDeque<DatagramPacket> inbound = new ArrayDeque<>();
  private boolean open = true;
  private boolean reading;

  SimDatagrams(Network network, Nameserver nameserver) {
    super(null, new SimChannelId(network.nextNumber()));
    this.network = network;
    this.nameserver = nameserver;
    config.setAllocator(network.allocator());
  }

  private static DatagramSocket options() {
    try {
      return new DatagramSocket((SocketAddress) null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A datagram comes from {@code sender}. */
  void arrives(byte[] bytes, InetSocketAddress sender) {
    if (open) {
      ByteBuf content = config.getAllocator().directBuffer(bytes.length).writeBytes(bytes);
      inbound.add(new DatagramPacket(content, network.proxyAddress(), sender));
      eventLoop().execute(this::deliver);
    }
  }

  private void deliver() {
    while (open && reading && !inbound.isEmpty()) {
      reading = false;
      pipeline().fireChannelRead(inbound.poll());
      pipeline().fireChannelReadComplete();
    }
  }

  @Override
  protected void doBeginRead() {
    reading = true;
    eventLoop().execute(this::deliver);
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer out) {
    while (out.current() != null) {
      DatagramPacket packet = (DatagramPacket) out.current();
      byte[] bytes = new byte[packet.content().readableBytes()];
      packet.content().getBytes(packet.content().readerIndex(), bytes);
      nameserver.asked(this, packet.recipient(), bytes);
      out.remove();
    }
  }

  @Override
  protected void doClose() {
    open = false;
    inbound.forEach(DatagramPacket::release);
    inbound.clear();
  }

  private final class Unsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
      promise.setFailure(new UnsupportedOperationException());
    }
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new Unsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop instanceof SimLoop;
  }

  @Override
  protected SocketAddress localAddress0() {
    return network.proxyAddress();
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return null;
  }

  @Override
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return null;
  }

  @Override
  protected void doBind(SocketAddress address) {}

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  public DatagramChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return open && isRegistered();
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public boolean isConnected() {
    return false;
  }

  // ---- groups, which are never joined

  private ChannelFuture noGroups() {
    return newFailedFuture(new UnsupportedOperationException());
  }

  @Override
  public ChannelFuture joinGroup(InetAddress group) {
    return noGroups();
  }

  @Override
  public ChannelFuture joinGroup(InetAddress group, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture joinGroup(InetSocketAddress group, NetworkInterface by) {
    return noGroups();
  }

  @Override
  public ChannelFuture joinGroup(
      InetSocketAddress group, NetworkInterface by, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture joinGroup(InetAddress group, NetworkInterface by, InetAddress source) {
    return noGroups();
  }

  @Override
  public ChannelFuture joinGroup(
      InetAddress group, NetworkInterface by, InetAddress source, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(InetAddress group) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(InetAddress group, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(InetSocketAddress group, NetworkInterface by) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(
      InetSocketAddress group, NetworkInterface by, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(InetAddress group, NetworkInterface by, InetAddress source) {
    return noGroups();
  }

  @Override
  public ChannelFuture leaveGroup(
      InetAddress group, NetworkInterface by, InetAddress source, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture block(InetAddress group, NetworkInterface by, InetAddress source) {
    return noGroups();
  }

  @Override
  public ChannelFuture block(
      InetAddress group, NetworkInterface by, InetAddress source, ChannelPromise promise) {
    return noGroups();
  }

  @Override
  public ChannelFuture block(InetAddress group, InetAddress source) {
    return noGroups();
  }

  @Override
  public ChannelFuture block(InetAddress group, InetAddress source, ChannelPromise promise) {
    return noGroups();
  }
}

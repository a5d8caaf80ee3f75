package io.loligo.server.upstream.connect;

import io.loligo.server.upstream.LocalEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Connections in memory: the test is the peer, and decides when each of them is accepted. */
public final class FakeTransport implements OriginTransport {
  /** The outcome of connections to an address. */
  public enum Manner {
    ACCEPT,
    REFUSE,
    HANG
  }

  private final Map<InetSocketAddress, Manner> manners = new HashMap<>();
  private final List<Connection> connections = new ArrayList<>();
  private final ByteBufAllocator allocator;
  private Manner usual = Manner.ACCEPT;

  public FakeTransport(ByteBufAllocator allocator) {
    this.allocator = allocator;
  }

  public void usually(Manner manner) {
    usual = manner;
  }

  public void at(InetSocketAddress address, Manner manner) {
    manners.put(address, manner);
  }

  /** Connections tried, in order. */
  public List<Connection> connections() {
    return connections;
  }

  public Connection last() {
    return connections.get(connections.size() - 1);
  }

  /** Addresses tried, in order. */
  public List<InetSocketAddress> dialled() {
    return connections.stream().map(Connection::address).toList();
  }

  @Override
  public ChannelFuture connect(
      EventLoop loop, LocalEnd local, InetSocketAddress address, ChannelHandler handler) {
    Connection connection = new Connection(loop, local.from(), address, handler, allocator);
    connections.add(connection);
    switch (manners.getOrDefault(address, usual)) {
      case ACCEPT -> connection.accept();
      case REFUSE -> connection.refuse();
      case HANG -> {}
    }
    return connection.promise;
  }

  /** One connection, seen from the peer's side. */
  public static final class Connection {
    private final InetAddress from;
    private final InetSocketAddress address;
    private final CountingChannel channel;
    private final ChannelPromise promise;

    Connection(
        EventLoop loop,
        InetAddress from,
        InetSocketAddress address,
        ChannelHandler handler,
        ByteBufAllocator alloc) {
      this.from = from;
      this.address = address;
      this.channel = new CountingChannel(handler);
      this.channel.config().setAllocator(alloc);
      this.channel.config().setAutoRead(false);
      this.promise = new DefaultChannelPromise(channel, loop);
    }

    public InetSocketAddress address() {
      return address;
    }

    /** The address of the proxy's end that it asked for; null: any. */
    public InetAddress from() {
      return from;
    }

    public CountingChannel channel() {
      return channel;
    }

    public void accept() {
      promise.setSuccess();
    }

    public void refuse() {
      promise.setFailure(new ConnectException("Connection refused"));
    }

    /** All bytes sent to the peer since the last call, ISO-8859-1. */
    public String sent() {
      StringBuilder text = new StringBuilder();
      for (ByteBuf each = channel.readOutbound(); each != null; each = channel.readOutbound()) {
        text.append(each.toString(StandardCharsets.ISO_8859_1));
        each.release();
      }
      return text.toString();
    }

    /** The peer sends {@code latin1}, to arrive in one read. */
    public void answer(String latin1) {
      ByteBuf bytes = channel.alloc().buffer();
      bytes.writeCharSequence(latin1, StandardCharsets.ISO_8859_1);
      channel.writeInbound(bytes);
    }

    /** The peer closes. */
    public void close() {
      channel.close();
      channel.runPendingTasks();
    }

    /** The peer resets. */
    public void reset() {
      channel.pipeline().fireExceptionCaught(new java.io.IOException("Connection reset by peer"));
      channel.runPendingTasks();
    }

    /** There is no memory for the peer's bytes. */
    public void outOfMemory() {
      channel.pipeline().fireExceptionCaught(new OutOfMemoryError("for the test"));
      channel.runPendingTasks();
    }

    public boolean open() {
      channel.runPendingTasks();
      return channel.isOpen();
    }

    public int reads() {
      return channel.reads;
    }
  }

  /** Counts the reads that were asked for. */
  public static final class CountingChannel extends EmbeddedChannel {
    private int reads;
    private int writes;

    CountingChannel(ChannelHandler handler) {
      super(EmbeddedChannel.builder().handlers(handler));
    }

    /** How often bytes were written together, in one system call of a real channel. */
    public int writes() {
      return writes;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
      writes++;
      super.doWrite(in);
    }

    @Override
    protected void doBeginRead() {
      reads++;
    }
  }
}

package io.loligo.server.sim;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelId;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;

/**
 * The proxy's end of a TCP connection, with the network and both kernels: bytes take their time,
 * arrive in pieces and in order, the socket takes no more than the peer reads, and a close with
 * bytes unread is a reset. Its handlers run on its loop, the rest in the world.
 */
final class SimSocket extends AbstractChannel implements DuplexChannel, FarEnd {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  private final Network network;
  private final World world;
  private final Config config = new Config(this);
  private final InetSocketAddress local;
  private InetSocketAddress remote;
  private SimPeer peer;
  private ChannelPromise connecting;
  private boolean open = true;

  /** When it was closed; negative: it was not. */
  private long closedNanos = -1;

  /** When bytes, or the end of them, were read or written last. */
  private long movedNanos;

  private boolean active;
  private boolean overHttp2;

  // towards the proxy
  private final ArrayDeque<byte[]> inbound = new ArrayDeque<>();
  private long lastArrivalNanos;
  private boolean reading;
  private boolean delivering;
  private boolean finArrived;
  private boolean resetArrived;
  private boolean inputShut;
  private boolean peerClosed;

  // towards the peer
  private final int capacity;
  private int room;
  private long lastReadNanos;
  private boolean outputShut;
  private boolean broken;

  /** A socket that is to be connected. */
  SimSocket(Network network) {
    this(network, null, null);
  }

  /** A socket accepted from {@code peer} at {@code remote}. */
  SimSocket(Network network, SimPeer peer, InetSocketAddress remote) {
    super(null, new SimChannelId(network.nextNumber()));
    this.network = network;
    this.world = network.world();
    this.peer = peer;
    this.remote = remote;
    this.active = peer != null;
    this.local = network.proxyAddress();
    this.capacity = 1 << (9 + world.draw(9));
    this.room = capacity;
    config.setAllocator(network.allocator());
    config.setAutoRead(false);
  }

  /** The peer speaks HTTP/2, as ALPN would say. */
  void speakHttp2() {
    overHttp2 = true;
  }

  boolean isOverHttp2() {
    return overHttp2;
  }

  /** When the proxy closed it; negative: it has not. */
  long closedNanos() {
    return closedNanos;
  }

  /** When the proxy last read from it or wrote to it. */
  long movedNanos() {
    return movedNanos;
  }

  // ---- the peer's side

  @Override
  public void peerSends(byte[] bytes) {
    arrive(() -> arrived(bytes));
  }

  @Override
  public void peerFins() {
    arrive(
        () -> {
          finArrived = true;
          deliverLater();
        });
  }

  @Override
  public void peerCloses() {
    if (!peerClosed) {
      peerClosed = true;
      peerFins();
    }
  }

  @Override
  public void peerResets() {
    peerClosed = true;
    broken = true;
    arrive(this::resetArrived);
  }

  @Override
  public String toString() {
    return id().asShortText() + " " + remote;
  }

  private void arrive(Runnable what) {
    long when = world.nanoTime() + network.latencyMicros() * 1000;
    lastArrivalNanos = Math.max(when, lastArrivalNanos);
    world.at(lastArrivalNanos, what);
  }

  private void arrived(byte[] bytes) {
    if (open) {
      inbound.add(bytes);
      deliverLater();
    } else {
      resetToPeer();
    }
  }

  private void resetArrived() {
    if (!resetArrived) {
      resetArrived = true;
      inbound.clear();
      deliverLater();
      if (network.noticesAtOnce()) {
        // a writer hears of it, too
        flushLater();
      }
    }
  }

  private void resetToPeer() {
    if (!broken) {
      broken = true;
      world.after(
          network.latencyMicros(),
          () -> {
            if (!peerClosed) {
              peerClosed = true;
              peer.reset();
            }
          });
    }
  }

  // ---- reading

  private void deliverLater() {
    if (!delivering && open && isRegistered()) {
      delivering = true;
      eventLoop().execute(this::deliver);
    }
  }

  private void deliver() {
    delivering = false;
    if (!open) {
      return;
    }
    boolean looks = reading || network.noticesAtOnce();
    if (resetArrived) {
      if (looks) {
        reading = false;
        pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        if (open) {
          unsafe().close(unsafe().voidPromise());
        }
      }
      return;
    }
    boolean unasked = finArrived && network.noticesAtOnce();
    if (!inbound.isEmpty()) {
      if (reading || unasked) {
        readNow();
        deliverLater();
      }
    } else if (finArrived && looks && !inputShut) {
      shutInput();
    }
  }

  @SuppressWarnings("deprecation") // Netty still has no other kind of handle
  private void readNow() {
    reading = false;
    RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
    handle.reset(config);
    ByteBuf bytes = handle.allocate(config.getAllocator());
    int most = bytes.writableBytes();
    handle.attemptedBytesRead(most);
    do {
      byte[] first = inbound.poll();
      int length = Math.min(bytes.writableBytes(), first.length);
      bytes.writeBytes(first, 0, length);
      if (length < first.length) {
        byte[] rest = new byte[first.length - length];
        System.arraycopy(first, length, rest, 0, rest.length);
        inbound.addFirst(rest);
      }
    } while (!inbound.isEmpty() && bytes.isWritable() && world.chance(60));
    handle.lastBytesRead(bytes.readableBytes());
    handle.incMessagesRead(1);
    movedNanos = world.nanoTime();
    peer.taken(bytes.readableBytes());
    world.mark(bytes.readableBytes());
    world.note("%s reads %d bytes", this, bytes.readableBytes());
    pipeline().fireChannelRead(bytes);
    handle.readComplete();
    pipeline().fireChannelReadComplete();
  }

  private void shutInput() {
    reading = false;
    world.note("%s has its input shut", this);
    movedNanos = world.nanoTime();
    if (config.halfClosure) {
      inputShut = true;
      pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
      pipeline().fireChannelReadComplete();
    } else {
      unsafe().close(unsafe().voidPromise());
    }
  }

  @Override
  protected void doBeginRead() {
    reading = true;
    deliverLater();
  }

  // ---- writing

  @Override
  protected void doWrite(ChannelOutboundBuffer out) throws IOException {
    if (resetArrived) {
      throw new IOException("Broken pipe");
    }
    while (room > 0 && out.current() != null) {
      ByteBuf bytes = (ByteBuf) out.current();
      int length = Math.min(room, bytes.readableBytes());
      if (length > 0) {
        byte[] taken = new byte[length];
        bytes.getBytes(bytes.readerIndex(), taken);
        room -= length;
        movedNanos = world.nanoTime();
        world.note("%s writes %d bytes", this, length);
        toPeer(taken);
      }
      out.removeBytes(length);
    }
  }

  private void toPeer(byte[] bytes) {
    inOrder(
        () -> {
          if (broken) {
            return;
          }
          if (!peer.holds()) {
            room += bytes.length;
          }
          if (peerClosed) {
            broken = true;
            arrive(this::resetArrived);
            return;
          }
          peer.received(bytes);
          flushLater();
        });
  }

  /** Bytes that a peer held have left it. */
  void makeRoom(int bytes) {
    world.after(
        network.latencyMicros(),
        () -> {
          room += bytes;
          flushLater();
        });
  }

  private void inOrder(Runnable event) {
    long arrives = world.nanoTime() + network.latencyMicros() * 1000;
    lastReadNanos = Math.max(arrives, lastReadNanos) + peer.readDelayMicros() * 1000;
    world.at(lastReadNanos, event);
  }

  private void flushLater() {
    if (open && isRegistered()) {
      eventLoop()
          .execute(
              () -> {
                if (open && unsafe().outboundBuffer() != null) {
                  ((Unsafe) unsafe()).flushAgain();
                }
              });
    }
  }

  private void finToPeer() {
    inOrder(
        () -> {
          if (!broken && !peerClosed) {
            peer.fin();
          }
        });
  }

  // ---- opening and closing

  /** Called by the network: the port is open. */
  void connected(SimPeer other) {
    peer = other;
    if (!open) {
      resetToPeer();
      return;
    }
    eventLoop()
        .execute(
            () -> {
              if (connecting != null && open) {
                ChannelPromise promise = connecting;
                connecting = null;
                active = true;
                boolean told = promise.trySuccess();
                pipeline().fireChannelActive();
                if (!told) {
                  unsafe().close(unsafe().voidPromise());
                }
                deliverLater();
              }
            });
  }

  /** Called by the network: the port is closed. */
  void refused() {
    if (!open) {
      return;
    }
    eventLoop()
        .execute(
            () -> {
              if (connecting != null && open) {
                ChannelPromise promise = connecting;
                connecting = null;
                promise.tryFailure(new ConnectException("Connection refused"));
                unsafe().close(unsafe().voidPromise());
              }
            });
  }

  @Override
  protected void doClose() {
    world.note("%s is closed", this);
    open = false;
    active = false;
    closedNanos = world.nanoTime();
    network.closed(this);
    if (connecting != null) {
      connecting.tryFailure(new ClosedChannelException());
      connecting = null;
    }
    if (peer == null) {
      return;
    }
    if (config.linger == 0 || !inbound.isEmpty()) {
      if (world.chance(50)) {
        // some of the written bytes may have been read before
        resetToPeer();
      } else {
        inOrder(this::resetToPeer);
      }
    } else if (!outputShut) {
      finToPeer();
    }
    inbound.clear();
  }

  @Override
  protected void doShutdownOutput() {
    if (!outputShut) {
      world.note("%s has its output shut", this);
      outputShut = true;
      finToPeer();
    }
  }

  @Override
  public boolean isInputShutdown() {
    return inputShut;
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    inputShut = true;
    return promise.setSuccess();
  }

  @Override
  public boolean isOutputShutdown() {
    return outputShut;
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
    return promise;
  }

  @Override
  public boolean isShutdown() {
    return inputShut && outputShut;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    inputShut = true;
    return shutdownOutput(promise);
  }

  /**
   * The end of the process: the system resets the connection. If it closed it instead, content
   * without a length would look complete, which no proxy can prevent.
   */
  void kill() {
    open = false;
    active = false;
    inbound.clear();
    if (peer != null) {
      resetToPeer();
    }
  }

  // ---- calls of Netty

  private final class Unsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
      if (!promise.setUncancellable() || !ensureOpen(promise)) {
        return;
      }
      connecting = promise;
      remote = (InetSocketAddress) to;
      network.dial(SimSocket.this, remote);
    }

    @Override
    protected void flush0() {
      if (room > 0 || resetArrived) {
        super.flush0();
      }
    }

    void flushAgain() {
      flush0();
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
    return local;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  protected void doBind(SocketAddress address) {}

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return active;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  protected ChannelId newId() {
    throw new AssertionError("it has one");
  }

  /** The options that matter here. */
  private static final class Config extends DefaultChannelConfig {
    private boolean halfClosure;
    private int linger = -1;

    Config(SimSocket socket) {
      super(socket);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      if (ChannelOption.ALLOW_HALF_CLOSURE.equals(option)) {
        halfClosure = (Boolean) value;
      } else if (ChannelOption.SO_LINGER.equals(option)) {
        linger = (Integer) value;
      } else if (!ChannelOption.TCP_NODELAY.equals(option)) {
        return super.setOption(option, value);
      }
      return true;
    }
  }
}

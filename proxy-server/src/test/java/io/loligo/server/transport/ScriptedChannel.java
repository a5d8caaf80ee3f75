package io.loligo.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * A connection whose peer and kernel are played by a test: bytes arrive only when a read was asked
 * for, the socket takes as many bytes as the test lets it. Everything runs in tasks of the embedded
 * loop, as on a real one.
 */
public final class ScriptedChannel extends EmbeddedChannel implements DuplexChannel {
  private final ArrayDeque<ByteBuf> arriving = new ArrayDeque<>();
  private final ByteBuf taken = Unpooled.buffer();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private boolean reading;
  private boolean finArriving;
  private boolean inputShut;
  private boolean outputShut;
  private long room = Long.MAX_VALUE;

  /** A connection without a peer yet; add handlers with {@link #run}. */
  public ScriptedChannel() {
    super(DefaultChannelId.newInstance(), false, false);
    config().setAllocator(allocator);
    config().setAutoRead(false);
    try {
      register();
      freezeTime();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Bytes of buffers allocated and not released. */
  public long usedBytes() {
    return allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory();
  }

  /** Its allocator. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** Runs {@code action} as a task of the loop, and all tasks that follow. */
  public void run(Runnable action) {
    eventLoop().execute(action);
    runPendingTasks();
    checkException();
  }

  /** Lets the clock of the loop run, in steps short enough for every timer. */
  public void pass(long millis) {
    for (long left = millis; left > 0; left -= 100) {
      advanceTimeBy(Math.min(100, left), TimeUnit.MILLISECONDS);
      runPendingTasks();
    }
    checkException();
  }

  /** The peer sends {@code text}, as one segment. */
  public void peerSends(String text) {
    ByteBuf bytes = allocator.directBuffer(text.length());
    bytes.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    run(
        () -> {
          arriving.add(bytes);
          deliver();
        });
  }

  /** The peer shuts its output: its bytes are delivered unrequested, as with epoll. */
  public void peerFins() {
    run(
        () -> {
          finArriving = true;
          while (!arriving.isEmpty()) {
            reading = true;
            deliver();
          }
          inputShut = true;
          pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
          pipeline().fireChannelReadComplete();
        });
  }

  /** The peer resets the connection. */
  public void peerResets() {
    run(
        () -> {
          pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
          close();
        });
  }

  /** The connection is lost without an exception. */
  public void peerVanishes() {
    run(this::close);
  }

  /** Segments sent but not read. */
  public int unreadSegments() {
    return arriving.size();
  }

  /** Whether a read was asked for that nothing came for. */
  public boolean reading() {
    return reading;
  }

  /** The socket takes {@code bytes} more and no others. */
  public void socketTakes(long bytes) {
    run(
        () -> {
          room = bytes;
          unsafe().flush();
        });
  }

  /** All the peer received since the last call. */
  public String received() {
    String text = taken.toString(StandardCharsets.ISO_8859_1);
    taken.clear();
    return text;
  }

  /** Whether the peer saw a FIN or a close. */
  public boolean finSent() {
    return outputShut || !isOpen();
  }

  /** Closes and releases the rest. */
  public void discard() {
    run(this::close);
    arriving.forEach(ByteBuf::release);
    arriving.clear();
    taken.release();
  }

  private void deliver() {
    if (reading && !arriving.isEmpty()) {
      reading = false;
      pipeline().fireChannelRead(arriving.poll());
      pipeline().fireChannelReadComplete();
    }
  }

  @Override
  protected void doBeginRead() {
    if (!finArriving) {
      reading = true;
      eventLoop().execute(this::deliver);
    }
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    for (Object message = in.current(); message != null; message = in.current()) {
      ByteBuf bytes = (ByteBuf) message;
      int length = bytes.readableBytes();
      int fits = (int) Math.min(room, length);
      taken.writeBytes(bytes, bytes.readerIndex(), fits);
      room -= fits;
      if (fits == 0 && length > 0) {
        return;
      }
      in.removeBytes(fits);
    }
  }

  private static InetSocketAddress address(String literal, int port) {
    return new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString(literal), port);
  }

  @Override
  protected SocketAddress localAddress0() {
    return isActive() ? address("127.0.0.1", 3128) : null;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return isActive() ? address("192.0.2.7", 40_000) : null;
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
    outputShut = true;
    ChannelOutboundBuffer queued = unsafe().outboundBuffer();
    if (queued != null && !queued.isEmpty()) {
      throw new AssertionError("output shut before " + queued.size() + " writes were made");
    }
    return promise.setSuccess();
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
    shutdownInput();
    return shutdownOutput(promise);
  }
}

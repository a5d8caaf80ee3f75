package io.loligo.server.tunnel;

import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A byte stream as a channel, for handlers that need one: the opposite of {@link
 * ChannelByteStream}. It has the addresses of the channel that carries the stream. Confined to the
 * event loop of that channel.
 *
 * <p>A close ends the output after the bytes written before; with SO_LINGER 0 it is a reset. A peer
 * that does not take these bytes within {@value #LEAVING_MILLIS} ms loses them.
 */
public final class ByteStreamChannel extends AbstractChannel implements ByteStream.Events {
  /** Time for the last bytes, milliseconds of silence. */
  private static final int LEAVING_MILLIS = 10_000;

  private static final ChannelMetadata METADATA = new ChannelMetadata(false);

  private final Channel carrier;
  private final ByteStream bytes;
  private final LoopTimer timer;
  private final Runnable over;
  private final Config config = new Config(this);
  private final Leaving leaving = new Leaving();
  private boolean open = true;
  private boolean gone;

  /**
   * Takes {@code bytes}.
   *
   * @param carrier of the stream
   * @param over called once, when the stream has ended
   */
  public ByteStreamChannel(Channel carrier, ByteStream bytes, LoopTimer timer, Runnable over) {
    super(carrier);
    this.carrier = carrier;
    this.bytes = bytes;
    this.timer = timer;
    this.over = over;
  }

  /** Registers the channel, which is active from then on; nothing is read yet. On the loop. */
  public void open(int bufferBytes, MemoryLedger transit) {
    carrier.eventLoop().register(this);
    bytes.attach(this, bufferBytes, transit);
  }

  /** Begins to receive events of the stream. Its handlers are there. */
  public void start() {
    bytes.start();
  }

  /** The options that handlers of a socket set: most of them have no effect. */
  private static final class Config extends DefaultChannelConfig {
    private boolean resets;

    Config(Channel channel) {
      super(channel);
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
      if (option.equals(ChannelOption.SO_LINGER)) {
        resets = value.equals(0);
        return true;
      }
      return super.setOption(option, value);
    }

    @Override
    @SuppressWarnings("unchecked") // the value of SO_LINGER is an Integer
    public <T> @Nullable T getOption(ChannelOption<T> option) {
      return option.equals(ChannelOption.SO_LINGER)
          ? (T) Integer.valueOf(resets ? 0 : -1)
          : super.getOption(option);
    }
  }

  /** The peer takes none of the last bytes. */
  private final class Leaving extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      bytes.close();
    }
  }

  private final class StreamUnsafe extends AbstractUnsafe {
    @Override
    public void connect(
        SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
      promise.setFailure(new UnsupportedOperationException("it is connected"));
    }

    void resume() {
      flush0();
    }
  }

  // ---- events of the stream

  @Override
  public void received(ByteBuf content) {
    if (open) {
      pipeline().fireChannelRead(content);
    } else {
      content.release();
    }
  }

  @Override
  public void readComplete() {
    if (open) {
      pipeline().fireChannelReadComplete();
    }
  }

  @Override
  public void inputEnded() {
    if (open) {
      pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
  }

  @Override
  public void progressed() {
    if (!open && !gone) {
      leave();
    }
  }

  @Override
  public void writable() {
    if (open) {
      ((StreamUnsafe) unsafe()).resume();
    }
  }

  @Override
  public void closed() {
    if (!gone) {
      gone = true;
      timer.forget(leaving);
      close();
      over.run();
    }
  }

  @Override
  public void failed(Throwable cause) {
    pipeline().fireExceptionCaught(cause);
    bytes.close();
  }

  // ---- requests of handlers

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new StreamUnsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return loop == carrier.eventLoop();
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return carrier.localAddress();
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return carrier.remoteAddress();
  }

  @Override
  protected void doBind(SocketAddress address) {
    throw new UnsupportedOperationException("it is connected");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    if (!open) {
      return;
    }
    open = false;
    if (gone) {
      return;
    }
    if (config.resets) {
      bytes.resetOnClose();
      bytes.close();
    } else {
      bytes.shutdownOutput();
      leave();
    }
  }

  /** Closes the stream once its last bytes have left. */
  private void leave() {
    if (bytes.drained()) {
      bytes.close();
    } else {
      timer.arm(leaving, LEAVING_MILLIS);
    }
  }

  @Override
  protected void doBeginRead() {
    bytes.read();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer queue) {
    for (Object next = queue.current(); next != null; next = queue.current()) {
      if (!bytes.takesMore()) {
        return; // writable follows
      }
      ByteBuf piece = (ByteBuf) next;
      int length = piece.readableBytes();
      bytes.write(piece.retain());
      queue.progress(length);
      queue.remove();
    }
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
    return open;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }
}

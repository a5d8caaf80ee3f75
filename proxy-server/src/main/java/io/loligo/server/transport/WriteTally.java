package io.loligo.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelProgressivePromise;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes that a channel has passed to its socket: one promise for every write of a
 * channel, never completed itself, so that counting costs no allocation. Confined to the channel's
 * event loop.
 *
 * <p>Netty completes writes in order and reports partial progress of the first one, which suffices
 * for the arithmetic below. For a transport without progress (embedded, local) the bytes count when
 * everything queued was written. TLS reports no progress either: content is queued in pieces of one
 * record each, and each piece counts when it was written.
 */
public abstract class WriteTally extends DefaultChannelProgressivePromise implements ResponseTally {
  /** Most plain bytes of a TLS record. */
  private static final int RECORD_BYTES = 16 << 10;

  private final boolean secure;

  /** With TLS: the sizes of the pending writes, the oldest at {@link #oldest}; a ring. */
  private int[] sizes = {};

  private int oldest;
  private long queuedBytes;
  private long writtenBytes;
  private long firstWriteProgress;
  private int pendingWrites;
  private boolean failed;

  /** A tally of {@code channel}'s writes. */
  protected WriteTally(Channel channel) {
    super(channel, channel.eventLoop());
    secure = channel.pipeline().get(SslHandler.class) != null;
  }

  /** Whether the channel encrypts: it then holds a copy of the bytes until the socket takes it. */
  public final boolean isSecure() {
    return secure;
  }

  /** Called after each step: bytes written, a write completed or failed. */
  protected abstract void progressed();

  /** Queues {@code content}, taken, without a flush. */
  public final void write(ChannelHandlerContext context, ByteBuf content) {
    if (secure) {
      while (content.readableBytes() > RECORD_BYTES) {
        queue(context, content.readRetainedSlice(RECORD_BYTES));
      }
    }
    queue(context, content);
  }

  private void queue(ChannelHandlerContext context, ByteBuf piece) {
    int bytes = piece.readableBytes();
    queuedBytes += bytes;
    if (secure) {
      push(bytes);
    }
    pendingWrites++;
    context.write(piece, this);
  }

  private void push(int bytes) {
    if (pendingWrites == sizes.length) {
      int[] unrolled = new int[Math.max(4, 2 * sizes.length)];
      for (int i = 0; i < pendingWrites; i++) {
        unrolled[i] = sizes[(oldest + i) % sizes.length];
      }
      sizes = unrolled;
      oldest = 0;
    }
    sizes[(oldest + pendingWrites) % sizes.length] = bytes;
  }

  private int pop() {
    int bytes = sizes[oldest];
    oldest = (oldest + 1) % sizes.length;
    return bytes;
  }

  @Override
  public final void restart() {
    assert pendingWrites == 0;
    queuedBytes = 0;
    writtenBytes = 0;
    firstWriteProgress = 0;
    failed = false;
  }

  @Override
  public final long writtenBytes() {
    return writtenBytes;
  }

  @Override
  public final long movedBytes() {
    return writtenBytes;
  }

  /** Bytes passed to {@link #write} since {@link #restart}. */
  public final long queuedBytes() {
    return queuedBytes;
  }

  @Override
  public final boolean pending() {
    return pendingWrites > 0;
  }

  /** Their number. */
  protected final int pendingWrites() {
    return pendingWrites;
  }

  @Override
  public final boolean failed() {
    return failed;
  }

  @Override
  public final boolean tryProgress(long progress, long total) {
    writtenBytes += progress - firstWriteProgress;
    firstWriteProgress = progress;
    progressed();
    return true;
  }

  @Override
  public final boolean trySuccess() {
    return trySuccess(null);
  }

  @Override
  public final boolean trySuccess(@Nullable Void result) {
    firstWriteProgress = 0;
    if (secure) {
      writtenBytes += pop();
    }
    pendingWrites--;
    if (pendingWrites == 0 && !failed) {
      writtenBytes = queuedBytes;
    }
    progressed();
    return true;
  }

  @Override
  public final boolean tryFailure(Throwable cause) {
    firstWriteProgress = 0;
    if (secure) {
      pop();
    }
    pendingWrites--;
    failed = true;
    progressed();
    return true;
  }

  @Override
  public final DefaultChannelProgressivePromise setFailure(Throwable cause) {
    tryFailure(cause);
    return this;
  }

  @Override
  public final boolean setUncancellable() {
    return true;
  }
}

package io.loligo.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultChannelProgressivePromise;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes that a channel has passed to its socket: one promise for every write of a
 * channel, never completed itself, so that counting costs no allocation. Confined to the channel's
 * event loop.
 *
 * <p>Netty completes writes in order and reports partial progress of the first one, which suffices
 * for the arithmetic below. For a transport without progress (embedded, local) the bytes count when
 * everything queued was written.
 */
public abstract class WriteTally extends DefaultChannelProgressivePromise {
  private long queuedBytes;
  private long writtenBytes;
  private long firstWriteProgress;
  private int pendingWrites;
  private boolean failed;

  /** A tally of {@code channel}'s writes. */
  protected WriteTally(Channel channel) {
    super(channel, channel.eventLoop());
  }

  /** Called after each step: bytes written, a write completed or failed. */
  protected abstract void progressed();

  /** Queues {@code content}, taken, without a flush. */
  public final void write(ChannelHandlerContext context, ByteBuf content) {
    queuedBytes += content.readableBytes();
    pendingWrites++;
    context.write(content, this);
  }

  /** Starts counting at zero; only while nothing is pending. */
  public final void restart() {
    assert pendingWrites == 0;
    queuedBytes = 0;
    writtenBytes = 0;
    firstWriteProgress = 0;
    failed = false;
  }

  /** Bytes the socket took since {@link #restart}. */
  public final long writtenBytes() {
    return writtenBytes;
  }

  /** Bytes passed to {@link #write} since {@link #restart}. */
  public final long queuedBytes() {
    return queuedBytes;
  }

  /** Whether writes are queued that the socket did not take yet. */
  public final boolean pending() {
    return pendingWrites > 0;
  }

  /** Their number. */
  protected final int pendingWrites() {
    return pendingWrites;
  }

  /** Whether a write failed: the connection is broken. */
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
    pendingWrites--;
    failed = true;
    progressed();
    return true;
  }

  @Override
  public final boolean setUncancellable() {
    return true;
  }
}

package io.loligo.server.upstream.http2;

import io.loligo.core.http2.Frames;
import io.loligo.server.http2.FrameOutput;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;

/**
 * The frames of one connection on their way to the server: a frame of each stream with content in
 * turn. Confined to the connection's event loop.
 */
final class RequestOutput extends FrameOutput<RequestStream> {
  private final FrameBudget budget;
  private final ArrayDeque<RequestStream> ready = new ArrayDeque<>(4);

  /**
   * The output of a connection.
   *
   * @param tally of all its writes
   * @param budget is told of frames with content
   * @param bufferBytes in the socket's queue from which on content waits here
   */
  RequestOutput(
      ChannelHandlerContext context, WriteTally tally, FrameBudget budget, int bufferBytes) {
    super(context, tally, bufferBytes);
    this.budget = budget;
  }

  @Override
  public boolean widen(RequestStream stream, int bytes) {
    OutgoingContent content = stream.content();
    if (content == null) {
      return true;
    }
    content.window += bytes;
    enqueue(stream);
    return content.window <= Integer.MAX_VALUE;
  }

  /** Sends the head of {@code stream}, begun at {@code start}. Returns the bytes of its frames. */
  int head(RequestStream stream, int start, boolean last) {
    return endHeaders(stream.id(), start, last);
  }

  // ---- turns

  /** {@code stream} has content, its end, or a wider window. */
  void enqueue(RequestStream stream) {
    OutgoingContent content = stream.content();
    if (content == null || content.isReady || !content.canSend()) {
      return;
    }
    if (content.next() == null) {
      // it needs no window, and no turn
      int bytes = end(stream.id(), content.trailers());
      content.ended();
      stream.emitted(bytes, true);
    } else {
      content.isReady = true;
      ready.addLast(stream);
    }
  }

  /** {@code stream} sends nothing more. */
  void forget(RequestStream stream) {
    OutgoingContent content = stream.content();
    if (content != null && content.isReady) {
      content.isReady = false;
      ready.remove(stream);
    }
  }

  @Override
  protected boolean hasReady() {
    return !ready.isEmpty();
  }

  @Override
  protected void pump() {
    while (!ready.isEmpty() && window() > 0 && takesMore()) {
      RequestStream stream = ready.getFirst();
      OutgoingContent content = stream.content();
      assert content != null : "ready without content";
      if (content.canSend()) {
        sendFrame(stream, content);
      } else {
        leave(content); // SETTINGS_INITIAL_WINDOW_SIZE has shut its window
      }
    }
  }

  /** The first in turn loses its turn. */
  private void leave(OutgoingContent content) {
    content.isReady = false;
    ready.removeFirst();
  }

  private void sendFrame(RequestStream stream, OutgoingContent content) {
    ByteBuf piece = content.next();
    assert piece != null : "nothing to send";
    long most = Math.min(window(), Math.min(content.window, Frames.DEFAULT_MAX_FRAME_BYTES));
    int length = (int) Math.min(most, piece.readableBytes());
    roomForData(length);
    leave(content);
    boolean last = content.isLast(length);
    data(stream.id(), content.take(length), last);
    budget.sent();
    if (last) {
      content.ended();
    }
    stream.emitted(Frames.HEADER_BYTES, last);
    if (!last) {
      enqueue(stream);
    }
  }

  @Override
  public void close() {
    super.close();
    ready.clear();
  }
}

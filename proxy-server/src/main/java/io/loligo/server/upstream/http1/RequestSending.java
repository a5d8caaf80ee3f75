package io.loligo.server.upstream.http1;

import io.loligo.core.message.Fields;
import io.loligo.server.transport.Backlog;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The request that is sent on a connection: its head, then its content by its framing (RFC 9112
 * section 6). Serves one request after the other. Confined to the connection's event loop.
 */
final class RequestSending {
  private final Backlog backlog;
  private final Executor loop;
  private final Runnable changed;
  private final Runnable drained;
  private final ChannelFutureListener written = this::written;
  private final ChannelFutureListener contentWritten = this::contentWritten;

  @SuppressWarnings("NullAway.Init") // set by attach, before any use
  private ChannelHandlerContext ctx;

  private @Nullable FetchTimings timings;
  private @Nullable OutgoingRequest request;
  private boolean sending;
  private boolean awaitingContinue;
  private boolean firstChunk;

  /** Whether the sender of content was told to wait until everything is written. */
  private boolean withheld;

  private long unsent;
  private @Nullable Throwable failure;

  /**
   * Sends nothing yet.
   *
   * @param changed called when {@link #isSending} or {@link #isStuck} may have changed by itself
   * @param drained called on {@code loop} when {@link #writable} may be true again
   */
  RequestSending(Backlog backlog, Executor loop, Runnable changed, Runnable drained) {
    this.backlog = backlog;
    this.loop = loop;
    this.changed = changed;
    this.drained = drained;
  }

  /** The connection is that of {@code context}. Call once, before any other method. */
  void attach(ChannelHandlerContext context) {
    ctx = context;
  }

  /** A request or a CONNECT follows; its bytes are counted in {@code record}. */
  void begin(FetchTimings record) {
    timings = record;
    request = null;
    sending = false;
    awaitingContinue = false;
    withheld = false;
    failure = null;
  }

  /** Sends the head of {@code outgoing}. */
  void send(OutgoingRequest outgoing, RequestForm form, boolean persistent) {
    request = outgoing;
    sending = outgoing.hasContent();
    awaitingContinue = sending && outgoing.expectContinue();
    firstChunk = true;
    unsent = outgoing.contentLength();
    ByteBuf out = ctx.alloc().directBuffer(RequestEncoder.estimate(outgoing));
    RequestEncoder.head(out, outgoing, form, persistent);
    write(out);
    ctx.flush();
  }

  /** Sends a CONNECT. */
  void connect(OutgoingConnect to, RequestForm form) {
    ByteBuf out = ctx.alloc().directBuffer(256 + to.fieldLines().length);
    RequestEncoder.connect(out, to, form);
    write(out);
    ctx.flush();
  }

  /** The request that was sent. Not for a CONNECT. */
  OutgoingRequest request() {
    assert request != null : "not a request";
    return request;
  }

  /** Whether content is still to be sent. */
  boolean isSending() {
    return sending;
  }

  /** Whether content is sent only after 100 (RFC 9110 section 10.1.1). */
  boolean awaitsContinue() {
    return awaitingContinue;
  }

  /** Ends the wait for 100. Returns whether there was one. */
  boolean endWait() {
    boolean waited = awaitingContinue;
    awaitingContinue = false;
    return waited;
  }

  /** Whether content can be sent now. */
  boolean takesContent() {
    return sending && !awaitingContinue;
  }

  /** Whether content is sent that the peer does not read at present. */
  boolean isStuck() {
    return sending && (withheld || !ctx.channel().isWritable());
  }

  /** Why bytes could not be written; null: they could. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** Sends {@code content}, taken, not empty. Returns why it cannot be sent; null: it is. */
  @Nullable String content(ByteBuf content) {
    int length = content.readableBytes();
    awaitingContinue = false;
    if (request().contentLength() < 0) {
      ByteBuf start;
      try {
        start = ctx.alloc().directBuffer(16);
      } catch (OutOfMemoryError e) {
        content.release();
        throw e;
      }
      RequestEncoder.chunkStart(start, length, firstChunk);
      firstChunk = false;
      write(start);
    } else if (length > unsent) {
      content.release();
      return "more request content than announced";
    } else {
      unsent -= length;
    }
    count(content);
    ctx.write(backlog.enter(content, ctx.alloc())).addListener(contentWritten);
    ctx.flush();
    return null;
  }

  /** All content was sent. Returns why that cannot be; null: the request is complete. */
  @Nullable String end(@Nullable Fields trailers) {
    if (request().contentLength() < 0) {
      ByteBuf end = ctx.alloc().directBuffer(64);
      RequestEncoder.lastChunk(end, trailers, firstChunk);
      write(end);
      ctx.flush();
    } else if (unsent > 0) {
      return "less request content than announced";
    }
    stop();
    return null;
  }

  /** Sends no further content. */
  void stop() {
    sending = false;
    awaitingContinue = false;
  }

  /** Forgets the request. */
  void leave() {
    stop();
    timings = null;
    request = null;
  }

  /** Whether more content should be given; if not, {@code drained} follows. */
  boolean writable() {
    boolean takesMore = !sending || takesMore();
    if (withheld == takesMore) {
      withheld = !takesMore;
      changed.run();
    }
    return takesMore;
  }

  private boolean takesMore() {
    return ctx.channel().isWritable() && backlog.takesMore();
  }

  private void write(ByteBuf bytes) {
    count(bytes);
    ctx.write(bytes).addListener(written);
  }

  private void count(ByteBuf bytes) {
    assert timings != null : "no exchange";
    timings.bytesOut += bytes.readableBytes();
  }

  private void contentWritten(ChannelFuture future) {
    backlog.written();
    written(future);
    if (withheld && takesMore()) {
      withheld = false;
      loop.execute(drained); // not from within Netty's flush
    }
  }

  private void written(ChannelFuture future) {
    if (!future.isSuccess() && failure == null) {
      failure = future.cause();
      // a response may still be in the socket: reading continues
      stop();
      changed.run();
    }
  }
}

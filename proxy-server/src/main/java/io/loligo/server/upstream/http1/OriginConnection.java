package io.loligo.server.upstream.http1;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.HopTls;
import io.loligo.server.transport.Backlog;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.ChannelByteStream;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.TunnelRefusal;
import io.loligo.server.upstream.pool.ConnectionSettings;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.PooledConnection;
import io.loligo.server.upstream.pool.ResponseEvents;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of one HTTP/1.x connection: one exchange after another. The channel's last
 * handler, and the only one except for TLS. Confined to the channel's event loop.
 *
 * <p>Phases and what is legal in them:
 *
 * <pre>
 * IDLE     no exchange: send, tunnel, raw, close; a byte or a close from the peer ends it
 * HEAD     request sent, response head awaited: content, endContent, cancel
 * CONTENT  head delivered: content, endContent, read, cancel
 * RAW      101, a tunnel, or a plain connection: detach, cancel
 * CLOSED   over
 * </pre>
 *
 * <p>Content is read only on request. Heads are read at once, and one small read while idle detects
 * a peer that closes or sends bytes too early. A connection is kept only if both sides agreed to
 * keep it, request and response are complete, the end of the response is certain, no byte follows
 * it, and the peer cannot take the request's content for another request.
 */
public final class OriginConnection extends ChannelInboundHandlerAdapter
    implements PooledConnection, Lease {
  /** 1xx responses before the final one; more of them are refused. */
  public static final int MAX_INTERIM = 32;

  /** Longest wait for 100 before content is sent anyway (RFC 9110 10.1.1). */
  public static final int CONTINUE_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(OriginConnection.class);

  private enum Phase {
    IDLE,
    HEAD,
    CONTENT,
    RAW,
    CLOSED
  }

  private final ConnectionContext shared;
  private final Endpoint endpoint;
  private ConnectionSettings settings;
  private Home home;
  private final ResponseHeads heads;
  private final ReadSizes readSizes;
  private final RequestSending output;
  private final Deadlines deadlines;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any use
  private ChannelHandlerContext ctx;

  private @Nullable HopTls secured;
  private Phase phase = Phase.IDLE;

  // the exchange
  private @Nullable ResponseEvents events;
  private @Nullable FetchTimings timings;
  private long sentNanos;
  private boolean answered;

  // receiving
  private final ResponseInput input;
  private boolean inputClosed;
  private boolean inputReset;

  /** Whether the peer announced its end by close_notify. */
  private boolean endAnnounced;

  private boolean readPending;
  private boolean wanted;
  private boolean pumping;

  /** A connection to {@code endpoint} that is not open yet. */
  public OriginConnection(
      ConnectionContext shared, Endpoint endpoint, ConnectionSettings settings, Home home) {
    this.shared = shared;
    this.endpoint = endpoint;
    this.settings = settings;
    this.home = home;
    this.input = new ResponseInput(shared.limits());
    this.readSizes =
        new ReadSizes(settings.streamBufferBytes, endpoint.isSecure(), shared.transit());
    this.output =
        new RequestSending(
            new Backlog(shared.transit()), shared.loop(), this::watch, this::tellWritable);
    this.heads = new ResponseHeads(this, shared, input, output);
    this.deadlines = new Deadlines(this, shared.timer(), output);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    output.attach(context);
    ChannelConfig config = context.channel().config();
    config.setAutoRead(false);
    // a failed write must not discard a response that has already arrived
    config.setAutoClose(false);
    config.setRecvByteBufAllocator(readSizes);
    int high = settings.streamBufferBytes;
    config.setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    deadlines.opened(settings.ageMillis);
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return ctx.channel().localAddress() instanceof InetSocketAddress inet ? inet : null;
  }

  @Override
  public void secured(HopTls facts) {
    secured = facts;
  }

  @Override
  public @Nullable HopTls secured() {
    return secured;
  }

  @Override
  public @Nullable Lease lease() {
    return phase == Phase.IDLE && !inputClosed && ctx.channel().isActive() ? this : null;
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public boolean mayBeRefused() {
    return false;
  }

  @Override
  public boolean isKnownAlive() {
    return false;
  }

  @Override
  public boolean adopt(ConnectionSettings newSettings, Home newHome) {
    if (phase != Phase.IDLE) {
      return false;
    }
    settings = newSettings;
    home = newHome;
    deadlines.idle(settings.idleMillis);
    return true;
  }

  @Override
  public void send(
      OutgoingRequest outgoing, RequestForm form, FetchTimings record, ResponseEvents listener) {
    boolean persistent = Persistence.allows(outgoing) && mayBeKept();
    start(record, listener);
    heads.begin(/* asTunnel= */ false, persistent);
    output.send(outgoing, form, persistent);
    if (output.takesContent() && phase == Phase.HEAD) {
      listener.readyForContent();
    }
    pump();
  }

  @Override
  public void tunnel(
      OutgoingConnect to, RequestForm form, FetchTimings record, ResponseEvents listener) {
    start(record, listener);
    heads.begin(/* asTunnel= */ true, /* mayPersist= */ false);
    output.connect(to, form);
    pump();
  }

  @Override
  public void keep() {
    if (!mayBeKept()) {
      phase = Phase.CLOSED;
      ctx.close();
    } else {
      idle();
    }
  }

  /** Whether other requests may be sent on it. */
  private boolean mayBeKept() {
    boolean once = secured != null && secured.once();
    return settings.persistent && !once && !deadlines.isOld() && endpoint.proxyHeader() == null;
  }

  @Override
  public void raw() {
    phase = Phase.RAW;
  }

  /** The listener of the exchange, which has not ended. */
  ResponseEvents listener() {
    ResponseEvents listener = events;
    assert listener != null : "no exchange";
    return listener;
  }

  private void start(FetchTimings record, ResponseEvents listener) {
    assert phase == Phase.IDLE : phase;
    phase = Phase.HEAD;
    deadlines.disarm();
    events = listener;
    timings = record;
    output.begin(record);
    answered = false;
    readSizes.head();
    sentNanos = now();
  }

  // ---- sending

  @Override
  public void content(ByteBuf content) {
    if (!output.isSending() || !content.isReadable()) {
      content.release();
      return;
    }
    told(output.content(content));
  }

  @Override
  public void endContent(@Nullable Fields trailers) {
    if (output.isSending()) {
      told(output.end(trailers));
    }
  }

  /** Content or its end was told; {@code fault}: it cannot be sent. */
  private void told(@Nullable String fault) {
    if (fault == null) {
      watch();
    } else {
      fail(Kind.WRITE_FAILED, fault);
    }
  }

  @Override
  public boolean writable() {
    return output.writable();
  }

  private void tellWritable() {
    if (output.takesContent() && output.writable()) {
      guarded(Step.WRITABLE);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (output.isSending()) {
      watch();
      tellWritable();
    }
  }

  // ---- receiving

  @Override
  public void read() {
    if (phase == Phase.CONTENT) {
      wanted = true;
      pump();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    readPending = false;
    if (phase == Phase.IDLE) {
      bytes.release();
      home.refused(ParseFailure.SURPLUS);
      giveUpIdle();
      return;
    }
    if (phase == Phase.CLOSED) {
      bytes.release();
      return;
    }
    deadlines.moved(bytes.readableBytes());
    if (timings != null) {
      timings.bytesIn += bytes.readableBytes();
      if (!answered) {
        timings.firstByteNanos = now() - sentNanos;
      }
    }
    answered = true;
    input.add(bytes);
    watch();
    pump();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    inputClosed = true;
    readPending = false;
    if (phase == Phase.IDLE) {
      giveUpIdle();
    } else {
      watch();
      pump();
    }
    deadlines.closed();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    deadlines.forgetAge();
  }

  /** The peer sends nothing more (RFC 8446 section 6.1). */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslCloseCompletionEvent end && end.isSuccess()) {
      endAnnounced = true;
      if (!inputClosed && phase != Phase.RAW) {
        channelInactive(context);
      }
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException || isOfTls(cause)) {
      inputReset = true;
    } else if (cause instanceof OutOfMemoryError noMemory) {
      outOfMemory(noMemory);
    } else {
      LOG.warn(
          "origin connection {} failed and is closed; next: report this defect, with the trace",
          endpoint,
          cause);
      if (phase == Phase.HEAD || phase == Phase.CONTENT) {
        fail(Kind.INVALID_RESPONSE, "internal: " + cause);
      }
    }
    context.close();
  }

  /** Whether records are wrong. During the handshake the dial knows more. */
  private static boolean isOfTls(Throwable cause) {
    return cause instanceof DecoderException && cause.getCause() instanceof SSLException;
  }

  private void outOfMemory(OutOfMemoryError cause) {
    shared.transit().shortage().met(cause, "an exchange with " + endpoint);
    fail(Kind.NO_MEMORY, cause.toString());
  }

  /** Steps that call out of this class. */
  private enum Step {
    PUMP,
    WRITABLE,
    READY
  }

  private void pump() {
    if (!pumping) {
      pumping = true;
      try {
        guarded(Step.PUMP);
      } finally {
        pumping = false;
      }
    }
  }

  /** A fault in the listener ends only this exchange. */
  private void guarded(Step step) {
    try {
      switch (step) {
        case PUMP -> advance();
        case WRITABLE -> listener().drained();
        case READY -> listener().readyForContent();
      }
    } catch (OutOfMemoryError e) {
      outOfMemory(e);
    } catch (RuntimeException | Error e) {
      LOG.warn("exchange with {} failed; next: report this defect, with the trace", endpoint, e);
      fail(Kind.INVALID_RESPONSE, "internal: " + e);
    }
  }

  private void advance() {
    while (phase == Phase.HEAD || (phase == Phase.CONTENT && wanted)) {
      if (input.isEmpty()) {
        if (inputClosed) {
          endOfInput();
        } else {
          requestRead();
        }
        return;
      }
      if (phase == Phase.HEAD) {
        heads.parse();
      } else {
        deliver();
      }
    }
  }

  private void requestRead() {
    if (!readPending) {
      readPending = true;
      if (phase == Phase.CONTENT) {
        if (input.remaining() >= 0) {
          readSizes.content(input.remaining());
        } else {
          readSizes.stream();
        }
      }
      watch();
      ctx.read();
    }
  }

  private void endOfInput() {
    if (phase == Phase.CONTENT) {
      // without close_notify, somebody on the way may have cut it
      boolean certain = endAnnounced || !endpoint.isSecure();
      boolean untilClose = input.lastsUntilClose();
      if (untilClose && certain && !inputReset) {
        complete(null);
      } else {
        home.refused(ParseFailure.TRUNCATED);
        fail(Kind.TRUNCATED, cut(untilClose && !certain));
      }
    } else if (answered) {
      home.refused(ParseFailure.TRUNCATED);
      fail(Kind.INVALID_RESPONSE, "closed within the head");
    } else if (output.failure() != null) {
      fail(Kind.WRITE_FAILED, String.valueOf(output.failure().getMessage()));
    } else {
      fail(Kind.NO_ANSWER, inputReset ? "connection reset" : "closed without a response");
    }
  }

  private String cut(boolean unannounced) {
    if (inputReset) {
      return "connection reset";
    }
    return unannounced ? "closed without close_notify" : "closed before the end of the content";
  }

  /** The final head was read. */
  void contentFollows(ResponseHead head, long contentLength) {
    wanted = false;
    phase = Phase.CONTENT;
    readSizes.responds(contentLength);
    watch();
    if (timings != null && input.isComplete()) {
      // the exchange of a validation has ended when the listener returns
      timings.lastByteNanos = now() - sentNanos;
    }
    listener().head(head, contentLength);
    if (phase == Phase.CONTENT && input.isComplete()) {
      complete(null);
    }
  }

  /** The head after which all bytes belong to another protocol was read. */
  void becomesRaw() {
    phase = Phase.RAW;
    watch();
  }

  /** A parent answered a CONNECT with {@code head}, which is no success. */
  void tunnelRefused(ResponseHead head) {
    CachePeer peer = timings == null ? null : timings.peer;
    boolean passes = peer != null && peer.form().passesLogin();
    String detail = "parent answered CONNECT with " + head.status();
    fail(Kind.TUNNEL_REFUSED, detail, TunnelRefusal.of(head, passes));
  }

  private void deliver() {
    boolean delivered = false;
    while (phase == Phase.CONTENT && !input.isEmpty()) {
      ByteBuf piece = input.next(ctx.alloc());
      if (piece != null) {
        delivered = true;
        wanted = false;
        listener().received(piece);
        if (phase != Phase.CONTENT) {
          return;
        }
      }
      if (input.isComplete()) {
        complete(input.trailers());
        return;
      }
      if (input.failure() != null) {
        refuse(input.failure());
        return;
      }
    }
    if (delivered && phase == Phase.CONTENT) {
      listener().readComplete();
    }
  }

  // ---- ends

  private void complete(@Nullable Fields trailers) {
    assert timings != null : "no exchange";
    timings.lastByteNanos = now() - sentNanos;
    boolean keep =
        heads.isPersistent()
            && !output.isSending()
            && output.failure() == null
            && input.isEmpty()
            && !inputClosed
            && ctx.channel().isActive()
            && !deadlines.isOld()
            && settings.persistent;
    ResponseEvents listener = listener();
    leave();
    if (keep) {
      idle();
    } else {
      if (!input.isEmpty()) {
        home.refused(ParseFailure.SURPLUS);
      }
      phase = Phase.CLOSED;
      input.drop();
      ctx.close();
    }
    listener.end(trailers);
  }

  private void idle() {
    phase = Phase.IDLE;
    readSizes.idle();
    home.idle(this);
    if (phase == Phase.IDLE) {
      deadlines.idle(settings.idleMillis);
      ctx.read();
    }
  }

  void refuse(ParseFailure failure) {
    home.refused(failure);
    boolean tooLarge =
        failure == ParseFailure.HEAD_TOO_LARGE || failure == ParseFailure.TOO_MANY_FIELDS;
    fail(tooLarge ? Kind.HEAD_TOO_LARGE : Kind.INVALID_RESPONSE, failure.text());
  }

  private void fail(Kind kind, String detail) {
    fail(kind, detail, null);
  }

  private void fail(Kind kind, String detail, @Nullable TunnelRefusal refusal) {
    ResponseEvents listener = events;
    if (listener == null) {
      return;
    }
    boolean any = answered;
    leave();
    phase = Phase.CLOSED;
    input.drop();
    ctx.close();
    listener.failed(new FetchFailure(kind, endpoint + ": " + detail, refusal, null), any);
  }

  /** Forgets the exchange. */
  private void leave() {
    deadlines.leave();
    events = null;
    timings = null;
    output.leave();
  }

  @Override
  public void cancel() {
    if (events != null || phase == Phase.RAW) {
      leave();
      phase = Phase.CLOSED;
      input.drop();
      ctx.close();
    }
  }

  @Override
  public void close() {
    if (phase == Phase.IDLE) {
      deadlines.disarm();
      phase = Phase.CLOSED;
      ctx.close();
    }
  }

  private void giveUpIdle() {
    close();
    home.gone(this);
  }

  @Override
  public ByteStream detach() {
    if (phase != Phase.RAW) {
      throw new IllegalStateException("phase: " + phase + " (expected: RAW)");
    }
    FetchTimings record = timings;
    leave();
    phase = Phase.CLOSED;
    readSizes.relay();
    Channel channel = ctx.channel();
    ByteBuf early = input.takeAll();
    if (record != null) {
      record.bytesIn -= early.readableBytes(); // they are the tunnel's
    }
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.config().setAutoClose(true);
    ctx.pipeline().remove(this);
    return new ChannelByteStream(channel, early);
  }

  // ---- time

  private long now() {
    return shared.loop().ticker().nanoTime();
  }

  /** Watches the event that is awaited now. */
  void watch() {
    if (events != null) {
      deadlines.watch(settings, readPending && phase != Phase.RAW);
    }
  }

  /**
   * Whether the peer is in the middle of an element that it should be able to complete: not before
   * a head, nor between chunks, where an event stream waits for the next event.
   */
  boolean hasBegun() {
    return phase == Phase.HEAD ? heads.isPartial() : input.isInsidePiece();
  }

  /** It takes no further request at this age. */
  void grewOld() {
    if (phase == Phase.IDLE && ctx.channel().isActive()) {
      giveUpIdle();
    }
  }

  /**
   * The awaited event did not happen.
   *
   * @param late whether the response arrives too slowly
   */
  void timedOut(boolean late) {
    if (phase == Phase.IDLE) {
      giveUpIdle();
    } else if (output.endWait()) {
      guarded(Step.READY);
      watch();
    } else if (output.isSending()) {
      fail(Kind.WRITE_FAILED, "request content was not read in time");
    } else if (late) {
      home.refused(ParseFailure.TOO_SLOW);
      fail(Kind.READ_TIMEOUT, "the response arrives too slowly");
    } else {
      fail(Kind.READ_TIMEOUT, "no byte in time");
    }
  }
}

package io.loligo.server.upstream.http2;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.http2.FlushTurn;
import io.loligo.server.http2.FrameInput;
import io.loligo.server.record.HopTls;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.ReadSize;
import io.loligo.server.transport.WriteTally;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.pool.ConnectionSettings;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.PooledConnection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of an HTTP/2 connection (RFC 9113). The channel's last handler, after TLS.
 * Confined to the channel's event loop.
 *
 * <p>It reads all the time. The windows of the streams bound unread content, {@link FrameBudget}
 * bounds frames that bring nothing, and while the server does not take the answers to its frames,
 * nothing is read. The window of the connection opens when content arrives, not when it is read: a
 * response that nobody reads holds up no other one.
 *
 * <pre>
 * OPEN     streams begin and end
 * LEAVING  streams end, none begins: one side said GOAWAY, or the pool gave the connection up
 * CLOSED
 * </pre>
 *
 * <p>It is in the pool while it is OPEN and has room for another stream, also while streams are
 * open.
 */
public final class MultiplexedConnection extends ChannelInboundHandlerAdapter
    implements PooledConnection {
  /** Most streams of a connection at the same time, if the server allows as many. */
  public static final int MAX_STREAMS = 100;

  private static final int READ_BYTES = 32_768;

  /**
   * Limit of a compressed field block, in heads: a head that is somewhat too large shall cost its
   * stream only.
   */
  private static final int BLOCKS = 2;

  private static final int LEAST_WINDOW_BYTES = 16_384;

  /** Window of the connection, in windows of a stream. */
  private static final int STREAMS_IN_WINDOW = 64;

  /** The number from which on no stream begins: far below the last one. */
  private static final int LAST_NUMBER = 1 << 30;

  private static final byte[] PREFACE = Frames.PREFACE.getBytes(StandardCharsets.US_ASCII);
  private static final Logger LOG = LoggerFactory.getLogger(MultiplexedConnection.class);

  private enum State {
    OPEN,
    LEAVING,
    CLOSED
  }

  private final StreamContext shared;
  private final Endpoint endpoint;
  private final ParseLimits limits;
  private final FrameReader frames;
  private final FrameInput input;
  private final ServerFrames events;
  private final FrameBudget budget;
  private final IntObjectMap<RequestStream> streams = new IntObjectHashMap<>(8);
  private final List<RequestStream> touched = new ArrayList<>(4);
  private final LifeSigns life;
  private final int streamWindow;
  private final int connectionWindow;
  private ConnectionSettings settings;
  private Home home;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any use
  private ChannelHandlerContext ctx;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any use
  private RequestOutput output;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any use
  private FlushTurn flushes;

  private State state = State.OPEN;
  private @Nullable HopTls secured;
  private int maxStreams = MAX_STREAMS;

  private int nextNumber = 1;

  /** Leases that are not over. */
  private int given;

  /** Whether it serves only one request, which was given. */
  private boolean spent;

  private boolean pooled;
  private boolean reset;
  private boolean readPending;

  private boolean tellDue;

  /** A connection to {@code endpoint}, to be added to the pipeline of an open channel. */
  public MultiplexedConnection(
      StreamContext shared, Endpoint endpoint, ConnectionSettings settings, Home home) {
    this.shared = shared;
    this.endpoint = endpoint;
    this.settings = settings;
    this.home = home;
    this.limits = shared.limits();
    this.input = new FrameInput(shared.transit());
    this.life = new LifeSigns(this);
    this.budget = new FrameBudget(shared.timer());
    this.streamWindow =
        Math.max(
            LEAST_WINDOW_BYTES,
            Math.min(settings.streamBufferBytes, ResponseContent.MAX_WINDOW_BYTES));
    this.connectionWindow = STREAMS_IN_WINDOW * streamWindow;
    this.events = new ServerFrames(this, shared, budget, connectionWindow);
    this.frames = new FrameReader(events, BLOCKS * limits.maxHeadBytes(), shared.codecs().room());
  }

  private final class SocketTally extends WriteTally {
    SocketTally(Channel channel) {
      super(channel);
    }

    @Override
    protected void progressed() {
      if (!flushes.isGathering() && !tellDue) {
        tellDue = true;
        later(MultiplexedConnection.this::tookBytes);
      }
    }
  }

  private void tookBytes() {
    tellDue = false;
    if (state != State.CLOSED) {
      flushes.unlessGathering();
      readMore();
    }
  }

  // ---- opening and closing

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    Channel channel = context.channel();
    ChannelConfig config = channel.config();
    config.setAutoRead(false);
    // a failed write must not discard responses that have already arrived
    config.setAutoClose(false);
    config.setRecvByteBufAllocator(new ReadSize(READ_BYTES, shared.transit()));
    int high = settings.streamBufferBytes;
    config.setWriteBufferWaterMark(new WriteBufferWaterMark(high / 2, high));
    output = new RequestOutput(context, new SocketTally(channel), budget, high);
    flushes = new FlushTurn(shared.loop(), output, () -> state == State.CLOSED);
    ByteBuf out = output.control(128);
    out.writeBytes(PREFACE);
    Frames.header(out, 18, Frames.SETTINGS, 0, 0);
    Frames.setting(out, Frames.ENABLE_PUSH, 0);
    Frames.setting(out, Frames.INITIAL_WINDOW_SIZE, streamWindow);
    Frames.setting(out, Frames.MAX_HEADER_LIST_SIZE, limits.maxHeadBytes());
    Frames.windowUpdate(out, 0, connectionWindow - Frames.DEFAULT_WINDOW_BYTES);
    flushes.mark(); // with the first request
    life.opened(settings);
    readMore();
  }

  @Override
  public void secured(HopTls facts) {
    secured = facts;
  }

  /** TLS on the connection; null: clear text. */
  @Nullable HopTls facts() {
    return secured;
  }

  @Override
  public Endpoint endpoint() {
    return endpoint;
  }

  /** The proxy's end, or null. */
  @Nullable InetSocketAddress localAddress() {
    return ctx.channel().localAddress() instanceof InetSocketAddress inet ? inet : null;
  }

  private boolean hasRoom() {
    return state == State.OPEN && !spent && given < maxStreams && nextNumber < LAST_NUMBER;
  }

  @Override
  public @Nullable Lease lease() {
    if (!hasRoom() || !ctx.channel().isActive()) {
      return null;
    }
    given++;
    spent = !settings.persistent || (secured != null && secured.once());
    RequestStream stream = new RequestStream(this);
    if (hasRoom()) {
      offer();
    } else {
      pooled = false; // the pool sees that it has no room
    }
    return stream;
  }

  /** {@inheritDoc} Whether it has room for one more. */
  @Override
  public boolean isShared() {
    return hasRoom();
  }

  @Override
  public boolean isKnownAlive() {
    return life.isKnownAlive();
  }

  /** Puts it into the pool, unless it is there. */
  private void offer() {
    if (!pooled) {
      pooled = true;
      home.idle(this);
    }
  }

  private void withdraw() {
    if (pooled) {
      pooled = false;
      home.gone(this);
    }
  }

  @Override
  public boolean adopt(ConnectionSettings newSettings, Home newHome) {
    if (state != State.OPEN || spent || !newSettings.persistent) {
      return false;
    }
    settings = newSettings;
    home = newHome;
    pooled = true;
    return true;
  }

  /** {@inheritDoc} Open streams end first. */
  @Override
  public void close() {
    pooled = false;
    leave(ErrorCode.NO_ERROR);
  }

  /** Says GOAWAY, and closes when no stream is left. */
  void leave(ErrorCode why) {
    if (state != State.OPEN) {
      return;
    }
    state = State.LEAVING;
    withdraw();
    Frames.goAway(output.control(Frames.HEADER_BYTES + 8), 0, why);
    flushes.soon();
    closeIfEmpty();
  }

  private void closeIfEmpty() {
    if (state == State.LEAVING && given == 0) {
      later(this::shut); // not within a call of the last stream
    }
  }

  private void shut() {
    if (state == State.LEAVING && given == 0) {
      flushes.unlessGathering();
      closeNow();
    }
  }

  private void closeNow() {
    state = State.CLOSED;
    frames.stop();
    withdraw();
    ctx.close();
  }

  /** The connection is gone: each stream fails, or fails when its content was read. */
  void lost(Kind beforeHead, String detail) {
    if (state == State.CLOSED) {
      return;
    }
    closeNow();
    List<RequestStream> all = new ArrayList<>(streams.values());
    streams.clear();
    given -= all.size();
    for (RequestStream stream : all) {
      stream.connectionLost(beforeHead, detail);
    }
  }

  /** The server broke a rule. */
  void error(ErrorCode why, ParseFailure failure, String detail) {
    if (state == State.CLOSED) {
      return;
    }
    LogRateLimit limit = shared.brokenRules();
    if (limit.permits()) {
      LOG.info("{}: HTTP/2 ends with {}: {}, {} so far", endpoint, why, detail, limit.count());
    }
    home.refused(failure);
    Frames.goAway(output.control(Frames.HEADER_BYTES + 8), 0, why);
    flushes.now();
    lost(Kind.INVALID_RESPONSE, detail);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    lost(Kind.NO_ANSWER, reset ? "connection reset" : "closed without a response");
    release();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    release();
  }

  private void release() {
    life.forget();
    output.close();
    input.close();
  }

  /** The peer sends nothing more (RFC 8446 section 6.1). */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslCloseCompletionEvent) {
      lost(Kind.NO_ANSWER, "closed without a response");
    }
    context.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException || isOfTls(cause)) {
      reset = true;
      lost(Kind.NO_ANSWER, "connection reset");
    } else if (cause instanceof OutOfMemoryError noMemory) {
      shortage(noMemory);
      lost(Kind.NO_MEMORY, noMemory.toString());
    } else {
      LOG.warn(
          "origin connection {} failed and is closed; next: report this defect, with the trace",
          endpoint,
          cause);
      lost(Kind.INVALID_RESPONSE, "internal: " + cause);
    }
    context.close();
  }

  private static boolean isOfTls(Throwable cause) {
    return cause instanceof DecoderException && cause.getCause() instanceof SSLException;
  }

  // ---- for streams and timers

  /** Whether a request is in progress, or about to begin. */
  boolean isInUse() {
    return given > 0;
  }

  /** Asks the server for a sign of life. */
  void ping() {
    Frames.ping(output.control(Frames.HEADER_BYTES + 8), false, 0);
    flushes.unlessGathering();
  }

  long nanos() {
    return shared.loop().ticker().nanoTime();
  }

  LoopTimer timer() {
    return shared.timer();
  }

  ConnectionSettings settings() {
    return settings;
  }

  Home home() {
    return home;
  }

  /** Most bytes that an exchange gets at once. */
  int readBytes() {
    return settings.streamBufferBytes;
  }

  /** A buffer could not be allocated. */
  void shortage(OutOfMemoryError cause) {
    shared.transit().shortage().met(cause, "an exchange with " + endpoint);
  }

  OutgoingContent newContent() {
    return new OutgoingContent(
        shared.transit(), ctx.alloc(), output.streamWindow(), settings.streamBufferBytes);
  }

  ResponseContent newReceived() {
    return new ResponseContent(ctx.alloc(), shared.transit(), streamWindow);
  }

  /** The number of the next stream, which begins now. */
  int nextNumber() {
    int number = nextNumber;
    nextNumber += 2;
    return number;
  }

  /**
   * Sends the head of {@code stream}'s request.
   *
   * @return the bytes of its frames; -1: it is too large for the server, and nothing was sent
   */
  int begin(RequestStream stream, OutgoingRequest request, RequestForm form) {
    int start = output.headers(RequestBlock.maxBytes(request, form));
    String scheme = endpoint.isSecure() ? "https" : "http";
    long size = RequestBlock.head(output.block(), request, form, scheme, shared.codecs());
    if (size > events.maxListBytes()) {
      output.dropHeaders(start);
      return -1;
    }
    streams.put(stream.id(), stream);
    if (streams.size() == 1) {
      life.await();
    }
    return output.head(stream, start, !request.hasContent());
  }

  /** {@code stream} has content, or its end, to send. */
  void enqueue(RequestStream stream) {
    output.enqueue(stream);
    flushes.soon();
  }

  /** {@code stream} sends no more content. */
  void forgetOutput(RequestStream stream) {
    output.forget(stream);
  }

  /** WINDOW_UPDATE of a stream; 0 bytes: none. */
  void windowUpdate(int stream, int bytes) {
    if (bytes > 0 && state != State.CLOSED) {
      Frames.windowUpdate(output.control(Frames.HEADER_BYTES + 4), stream, bytes);
      flushes.soon();
    }
  }

  /** Sends RST_STREAM, unless {@code stream} has ended or was reset. */
  void reset(RequestStream stream, ErrorCode why) {
    if (stream.id() == 0) {
      over();
    } else if (streams.remove(stream.id()) != null) {
      if (state != State.CLOSED) {
        output.reset(stream.id(), why);
        flushes.soon();
      }
      over();
    }
  }

  /** Both directions of {@code stream} have ended. */
  void ended(RequestStream stream) {
    if (streams.remove(stream.id()) != null) {
      over();
    }
  }

  private void over() {
    given--;
    if (given == 0 && state == State.OPEN) {
      life.idle(settings.idleMillis);
    }
    if (spent) {
      leave(ErrorCode.NO_ERROR);
    } else if (hasRoom()) {
      offer();
    }
    closeIfEmpty();
  }

  /** Runs {@code task} when the calls below have returned. */
  void later(Runnable task) {
    shared.loop().execute(task);
  }

  // ---- reading

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    readPending = false;
    ByteBuf in = (ByteBuf) message;
    if (state == State.CLOSED) {
      in.release();
      return;
    }
    life.heard();
    ByteBuf all = input.add(in, context.alloc());
    flushes.gather();
    try {
      while (frames.read(all)) {
        // the events do the work
      }
    } finally {
      flushes.gathered();
      input.done();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    flushes.gather();
    try {
      for (int i = 0; i < touched.size(); i++) {
        touched.get(i).pump();
        touched.get(i).settle();
      }
    } finally {
      touched.clear();
      flushes.gathered();
    }
    input.charge();
    if (state != State.CLOSED) {
      if (flushes.isDue()) {
        flushes.now();
      }
      readMore();
    }
  }

  private void readMore() {
    boolean keepsUp = output.queuedBytes() < 4L * settings.streamBufferBytes;
    if (!readPending && state != State.CLOSED && keepsUp) {
      readPending = true;
      ctx.read();
    }
  }

  // ---- for frames

  /** The stream with this number; null: it is not open. */
  @Nullable RequestStream stream(int number) {
    return streams.get(number);
  }

  /** Adds the open streams to {@code all}. */
  void addStreams(List<RequestStream> all) {
    all.addAll(streams.values());
  }

  /** Whether a stream with this number, which is odd, has begun. */
  boolean hasBegun(int number) {
    return number < nextNumber;
  }

  RequestOutput output() {
    return output;
  }

  /** Tells when its frames leave. */
  FlushTurn flushes() {
    return flushes;
  }

  /** The server allows {@code most} streams at a time. */
  void allowsStreams(long most) {
    maxStreams = (int) Math.min(most, MAX_STREAMS);
  }

  /** All settings of a frame were applied. */
  void settingsRead() {
    if (state == State.CLOSED) {
      return;
    }
    Frames.header(output.control(Frames.HEADER_BYTES), 0, Frames.SETTINGS, Frames.ACK, 0);
    flushes.mark();
    if (hasRoom()) {
      if (given > 0) {
        offer();
      }
    } else {
      withdraw();
    }
  }

  /** RST_STREAM; false: the stream is not open. */
  boolean resetByServer(int number, ErrorCode why) {
    RequestStream stream = streams.remove(number);
    if (stream == null) {
      return false;
    }
    if (why == ErrorCode.REFUSED_STREAM) {
      fullWith(given - 1);
    }
    over();
    stream.resetByServer(why);
    return true;
  }

  /** The server refused one stream more than {@code open}. */
  private void fullWith(int open) {
    maxStreams = Math.min(maxStreams, open);
    withdraw();
    if (open == 0) {
      leave(ErrorCode.NO_ERROR);
    }
  }

  /** {@code stream} got content or its end: it is told at the end of the read. */
  void touch(RequestStream stream) {
    int count = touched.size();
    if (count == 0 || touched.get(count - 1) != stream) {
      touched.add(stream);
    }
  }

  /** The server said GOAWAY: it has not processed streams above {@code last}. */
  void goneAway(int last, ErrorCode why) {
    state = state == State.OPEN ? State.LEAVING : state;
    withdraw();
    for (RequestStream stream : new ArrayList<>(streams.values())) {
      if (stream.id() > last && streams.remove(stream.id()) != null) {
        given--;
        stream.notProcessed(why);
      }
    }
    closeIfEmpty();
  }
}

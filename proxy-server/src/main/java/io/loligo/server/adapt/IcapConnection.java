package io.loligo.server.adapt;

import io.loligo.core.http1.ChunkedEncoder;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.server.time.LoopTimer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's end of one ICAP connection: one request after another. The channel's only handler.
 * Confined to the channel's event loop.
 *
 * <pre>
 * phase   legal calls
 * NEW     opened, discard; events of a handshake of TLS are ignored
 * IDLE    start, close; a byte or a close from the service ends it
 * BUSY    chunk, endChunks, awaitsOriginal, read, abandon
 * CLOSED  none
 * </pre>
 *
 * <p>Content is read only on request. Heads are read at once. The connection is kept only if both
 * messages are complete, no byte follows the response, and neither side wants to close it.
 */
final class IcapConnection extends ChannelInboundHandlerAdapter {
  /** Told the events of one exchange. The last one is {@link #end} or {@link #failed}, once. */
  interface Listener {
    /** A head has arrived: 100, or the final one. */
    void reply(IcapReply reply);

    /** Content of the message inside. Takes {@code content}. */
    void content(ByteBuf content);

    /** One read's worth of content was delivered. */
    void readComplete();

    /**
     * The reason why the response, which is complete, fails all the same; null: {@link #end}
     * follows.
     *
     * @param originalFrom see {@link IcapReader#originalFrom}
     */
    @Nullable String flaw(long originalFrom);

    /**
     * The response is complete. The connection is kept or closed.
     *
     * @param trailers borrowed
     * @param originalFrom see {@link IcapReader#originalFrom}
     */
    void end(Fields trailers, long originalFrom);

    /** The connection takes chunks again. */
    void writable();

    /**
     * Nothing more comes. The connection is closed.
     *
     * @param stale whether a kept connection ended before a byte of the response
     */
    void failed(String why, boolean stale);
  }

  /** The service that the connection belongs to. */
  interface Home {
    /** The connection serves the next request. */
    void idle(IcapConnection connection);

    /** The connection is closed. Called once, for each that was connected. */
    void closed(IcapConnection connection);
  }

  /** How long an idle connection is kept, in milliseconds: {@value}. */
  static final long IDLE_MILLIS = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(IcapConnection.class);
  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] WHOLE_PREVIEW = "0; ieof\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private enum Phase {
    NEW,
    IDLE,
    BUSY,
    CLOSED
  }

  private final LoopTimer timer;
  private final IcapSettings settings;
  private final Home home;
  private final ServiceCounts counts;
  private final IcapReader reader;
  private final Deadline deadline = new Deadline();
  private final ChannelFutureListener written = this::written;

  @SuppressWarnings("NullAway.Init") // set by handlerAdded, before any use
  private ChannelHandlerContext ctx;

  private Phase phase = Phase.NEW;
  private @Nullable Listener listener;

  /** Bytes that have arrived and were not used; null: none. */
  private @Nullable ByteBuf input;

  private long sentBytes;
  private long receivedBytes;
  private boolean reused;
  private boolean answered;
  private boolean requestComplete;
  private boolean awaitsOriginal;
  private boolean headRead;
  private boolean wanted;
  private boolean readPending;
  private boolean inputClosed;
  private boolean pumping;

  IcapConnection(LoopTimer timer, IcapSettings settings, Home home, ServiceCounts counts) {
    this.timer = timer;
    this.settings = settings;
    this.home = home;
    this.counts = counts;
    ParseLimits limits = settings.limits();
    reader = new IcapReader(limits);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    context.channel().config().setAutoRead(false);
    context.channel().config().setAutoClose(false);
  }

  /** It is connected, and secure if it has to be. */
  void opened() {
    assert phase == Phase.NEW : phase;
    phase = Phase.IDLE;
  }

  /** Whether it may serve another request. */
  boolean isUsable() {
    return phase == Phase.IDLE && !inputClosed && ctx.channel().isActive();
  }

  /**
   * Sends a request.
   *
   * @param head the ICAP head and the heads inside, taken
   * @param hasContent whether chunks follow
   * @param kept field lines that are added to a request in the response, borrowed until the end
   */
  void start(
      ByteBuf head,
      boolean hasContent,
      IcapReader.Expected expected,
      byte[] kept,
      Listener events) {
    assert phase == Phase.IDLE : phase;
    phase = Phase.BUSY;
    listener = events;
    sentBytes = 0;
    receivedBytes = 0;
    answered = false;
    headRead = false;
    wanted = false;
    requestComplete = !hasContent;
    awaitsOriginal = hasContent;
    reader.begin(expected, kept);
    write(head);
    ctx.flush();
    watch();
    pump();
  }

  /** Sends one chunk. Takes {@code content}, which is not empty. */
  void chunk(ByteBuf content) {
    if (phase != Phase.BUSY || requestComplete) {
      content.release();
      return;
    }
    ByteBuf start;
    try {
      start = ctx.alloc().directBuffer(24);
    } catch (OutOfMemoryError e) {
      content.release();
      throw e;
    }
    ChunkedEncoder.writeHeader(start, content.readableBytes());
    write(start);
    write(content);
    write(Unpooled.wrappedBuffer(CRLF));
    ctx.flush();
    watch();
  }

  private static final byte[] CRLF = {'\r', '\n'};

  /** Ends a preview of which more content follows, if the service asks for it. */
  void endPreview() {
    if (phase == Phase.BUSY) {
      write(Unpooled.wrappedBuffer(LAST_CHUNK));
      ctx.flush();
      awaitsOriginal(false);
    }
  }

  /**
   * Ends the content.
   *
   * @param preview whether a preview has the whole content
   */
  void endChunks(boolean preview) {
    if (phase == Phase.BUSY && !requestComplete) {
      requestComplete = true;
      awaitsOriginal = false;
      write(Unpooled.wrappedBuffer(preview ? WHOLE_PREVIEW : LAST_CHUNK));
      ctx.flush();
      watch();
    }
  }

  /** The service does not want the rest of a preview: the request is complete. */
  void endRequest() {
    requestComplete = true;
    awaitsOriginal = false;
  }

  /** Says whether the next step is the original message's: then the service is not late. */
  void awaitsOriginal(boolean waits) {
    if (phase == Phase.BUSY) {
      awaitsOriginal = waits && !requestComplete;
      watch();
    }
  }

  /** Bytes sent for the last request, which may be over. */
  long sentBytes() {
    return sentBytes;
  }

  /** Bytes received in response to it. */
  long receivedBytes() {
    return receivedBytes;
  }

  /** Whether it takes more chunks now. */
  boolean writable() {
    return ctx.channel().isWritable();
  }

  /** Requests one more read of content. */
  void read() {
    if (phase == Phase.BUSY) {
      wanted = true;
      watch();
      pump();
    }
  }

  /** The rest is not needed: closes the connection, and no event follows. */
  void abandon() {
    listener = null;
    close();
  }

  /** Closes it. */
  void close() {
    if (phase != Phase.CLOSED) {
      phase = Phase.CLOSED;
      timer.forget(deadline);
      drop();
      ctx.close();
      home.closed(this);
    }
  }

  /** Closes it before it was used. The service is not told. */
  void discard() {
    phase = Phase.CLOSED;
    ctx.close();
  }

  private void drop() {
    if (input != null) {
      input.release();
      input = null;
    }
  }

  private void write(ByteBuf bytes) {
    sentBytes += bytes.readableBytes();
    counts.add(ServiceCount.SENT_BYTES, bytes.readableBytes());
    ctx.write(bytes).addListener(written);
  }

  private void written(ChannelFuture future) {
    if (phase == Phase.BUSY) {
      if (!future.isSuccess()) {
        requestComplete = false; // it is not kept
        awaitsOriginal = false;
      }
      watch();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    watch();
    if (phase == Phase.BUSY && writable() && !requestComplete) {
      // not from within Netty's flush
      context.executor().execute(this::tellWritable);
    }
  }

  private void tellWritable() {
    Listener told = listener;
    if (phase == Phase.BUSY && told != null && writable()) {
      guarded(told::writable);
    }
  }

  // ---- time

  private void watch() {
    if (phase == Phase.BUSY) {
      boolean acts = !headRead || wanted || !writable();
      boolean waits = awaitsOriginal && writable() && !reader.isInsideHead();
      timer.arm(deadline, acts && !waits ? settings.ioMillis() : 0);
    }
  }

  private final class Deadline extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (phase == Phase.BUSY) {
        counts.increment(ServiceCount.TIMEOUTS);
        fail("no answer in time");
      } else {
        close();
      }
    }
  }

  // ---- receiving

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    readPending = false;
    receivedBytes += bytes.readableBytes();
    counts.add(ServiceCount.RECEIVED_BYTES, bytes.readableBytes());
    if (phase != Phase.BUSY) {
      bytes.release();
      unasked();
      return;
    }
    answered = true;
    input = input == null ? bytes : Unpooled.wrappedBuffer(input, bytes);
    watch();
    pump();
  }

  /** Nobody has asked for what has happened, or waits for it. */
  private void unasked() {
    if (phase == Phase.NEW) {
      ctx.close(); // the service is told by its dial
    } else {
      close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    inputClosed = true;
    readPending = false;
    if (phase == Phase.BUSY) {
      pump();
    } else {
      unasked();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (phase == Phase.BUSY) {
      cut(String.valueOf(cause.getMessage()));
    } else {
      unasked();
    }
  }

  private void pump() {
    if (!pumping) {
      pumping = true;
      try {
        guarded(this::advance);
      } finally {
        pumping = false;
      }
    }
  }

  /** A fault in the listener ends only this exchange. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("exchange with an ICAP service failed; next: report this defect, with the trace", e);
      fail("internal: " + e);
    }
  }

  private void advance() {
    while (phase == Phase.BUSY && (!headRead || wanted)) {
      if (input == null) {
        if (inputClosed) {
          cut(answered ? "closed within the response" : "closed without a response");
        } else {
          request();
        }
        return;
      }
      parse(input);
    }
  }

  private void request() {
    if (!readPending) {
      readPending = true;
      ctx.read();
    }
  }

  private void parse(ByteBuf in) {
    IcapReader.Event event = reader.next(in);
    switch (event) {
      case NEED_MORE -> drop();
      case REPLY -> replied();
      case DATA -> deliver(in);
      case END -> end();
      case FAILED -> fail(reader.failure());
    }
  }

  private Listener told() {
    Listener told = listener;
    assert told != null : "no exchange";
    return told;
  }

  private void replied() {
    IcapReply reply = reader.reply();
    headRead = reply.status() >= 200;
    watch();
    if (input != null && !input.isReadable()) {
      drop();
    }
    told().reply(reply);
    if (phase == Phase.BUSY && headRead && !reply.hasContent()) {
      end();
    }
  }

  private void deliver(ByteBuf in) {
    int bytes = reader.dataLength();
    ByteBuf content;
    if (bytes == in.readableBytes()) {
      input = null;
      content = in;
    } else {
      content = in.readRetainedSlice(bytes);
    }
    wanted = false;
    watch();
    Listener to = told();
    to.content(content);
    if (listener == to) {
      to.readComplete();
    }
  }

  private void end() {
    Listener done = told();
    IcapReply reply = reader.reply();
    long originalFrom = reader.originalFrom();
    String flaw = done.flaw(originalFrom);
    if (flaw != null) {
      fail(flaw);
      return;
    }
    boolean surplus = input != null && input.isReadable();
    drop();
    listener = null;
    Fields trailers = reader.trailers();
    if (settings.persistent() && requestComplete && !reply.closes() && !surplus && !inputClosed) {
      phase = Phase.IDLE;
      reused = true;
      timer.arm(deadline, IDLE_MILLIS);
      request(); // it tells of a close
      trailers = trailers.count() == 0 ? trailers : trailers.snapshot();
      home.idle(this);
    } else {
      close();
    }
    done.end(trailers, originalFrom);
  }

  private void fail(String why) {
    fail(why, false);
  }

  /** The service has closed the connection. */
  private void cut(String why) {
    fail(why, reused && !answered);
  }

  private void fail(String why, boolean stale) {
    Listener failed = listener;
    listener = null;
    close();
    if (failed != null) {
      failed.failed(why, stale);
    }
  }
}

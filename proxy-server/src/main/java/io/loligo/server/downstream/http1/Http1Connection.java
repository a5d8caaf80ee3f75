package io.loligo.server.downstream.http1;

import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.stream.ContentSource;
import io.loligo.server.login.ConnectionLogin;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.TlsEnd;
import io.loligo.server.transport.ReadSize;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.tunnel.ChannelByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection. Confined to the channel's event loop.
 *
 * <pre>
 * HEAD       idle, or a head is arriving
 * EXCHANGE   a request is being answered; ends when the last byte of the response was written
 * DRAINING   answered; the rest of the request's content is read and dropped
 * LINGERING  answered, output shut: what the client still sends is dropped so that it sees the
 *            answer, not a reset
 * TUNNEL     given away; only the record is left
 * CLOSED
 * </pre>
 *
 * <p>Requests are answered one at a time by {@link #stream}. Bytes after the request in progress
 * stay in {@link #input}, and while it holds some, nothing more is read. While an exchange runs,
 * one read is always outstanding, so that the loss of a client is noticed.
 *
 * <p>A client owes bytes also while a head is partial: then it has to keep a pace.
 */
public final class Http1Connection extends ClientConnection {
  /** Bytes of a read while heads are expected. */
  static final int HEAD_READ_BYTES = 4_096;

  /** Most bytes of unwanted request content that are read to keep a connection. */
  static final int DRAIN_LIMIT_BYTES = 65_536;

  /** Most bytes read and dropped after the last response. */
  static final int LINGER_LIMIT_BYTES = 1 << 20;

  /** Time for either, milliseconds. */
  static final int LINGER_MILLIS = 2_000;

  /** Time that a client that sent FIN waits for bytes of its response, milliseconds. */
  static final int LEAVING_MILLIS = 1_000;

  private enum State {
    HEAD,
    EXCHANGE,
    DRAINING,
    LINGERING,
    TUNNEL,
    CLOSED
  }

  private final ClientConnections clients;
  private final ReadSize readSize;
  private final ReceivedBytes input;
  private final ReadTimeout readTimeout = new ReadTimeout();
  private final RequestHeadReader heads;
  private @Nullable Leaving leaving;

  @SuppressWarnings("NullAway.Init") // set by attached, the first call
  private Http1Stream stream;

  /** Made when a request may log in for all of them; null: none has. */
  private @Nullable ConnectionLogin login;

  private State state = State.HEAD;

  /** Time of the accept, or of the first part of a head that came in parts. */
  private long acceptNanos;

  /** Whether the head at hand came in one read on a kept connection. */
  private boolean headAtOnce;

  private int served;
  private long discardedBytes;
  private boolean readPending;
  private boolean inputShut;

  /** A connection accepted on {@code listening}, to be added to its channel's pipeline. */
  public Http1Connection(
      ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    super(clients, listening, client);
    this.clients = clients;
    this.readSize = new ReadSize(HEAD_READ_BYTES, clients.transit());
    this.input = new ReceivedBytes(clients.transit());
    this.heads = new RequestHeadReader(clients, input, readTimeout, new Heads());
  }

  /**
   * Creates the shared objects of its connections, so that a lack of memory shows before there are
   * any.
   */
  public static void prepare(ClientConnections clients) {
    RequestParsers.of(clients);
  }

  private final class ReadTimeout extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      readTimedOut();
    }
  }

  /** The client sent FIN and its response has made no progress since. */
  private final class Leaving extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      breakOff(false);
    }
  }

  /** Gives the stream the heads that arrive. */
  private final class Heads implements RequestHeadReader.Listener {
    @Override
    public void request(RequestHead head) {
      clients.timer().cancel(readTimeout);
      if (stream.expectsOther(head)) {
        close(true);
        return;
      }
      stream.request(head);
    }

    @Override
    public void malformed(ParseFailure failure, int bytes) {
      clients.timer().cancel(readTimeout);
      stream.malformed(failure, bytes);
    }

    @Override
    public void noMemory(int bytes) {
      clients.timer().cancel(readTimeout);
      stream.noMemoryForHead(bytes);
    }
  }

  // ---- opening and closing

  @Override
  protected void attached() {
    channel().config().setRecvByteBufAllocator(readSize);
    stream = new Http1Stream(this, input, context());
  }

  @Override
  protected void opened() {
    acceptNanos = clients.time().nanos();
    long requestStartMillis = clients.settings().requestStartMillis;
    clients.timer().arm(readTimeout, clients.closesIdle() ? LINGER_MILLIS : requestStartMillis);
    limitAge();
    readMore();
  }

  @Override
  protected void refused() {
    closeNow();
  }

  @Override
  protected void gone() {
    clientGone(false);
  }

  @Override
  protected void inProgress(Consumer<ExchangeRecord> to) {
    if (stream != null) {
      stream.inProgress(to);
    }
  }

  @Override
  protected void releaseOwn() {
    input.release();
    heads.release();
    if (login != null) {
      login.close();
    }
    clients.timer().forget(readTimeout);
    if (stream != null) {
      stream.release();
    }
    if (leaving != null) {
      clients.timer().forget(leaving);
    }
  }

  /** The login of the connection. */
  ConnectionLogin login() {
    ConnectionLogin known = login;
    if (known == null) {
      known = new ConnectionLogin();
      login = known;
    }
    return known;
  }

  /** Ends an exchange whose client is gone. Does nothing if none is in progress. */
  private void clientGone(boolean timedOut) {
    State before = state;
    if (before == State.TUNNEL || before == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (before == State.EXCHANGE) {
      stream.clientGone(timedOut);
    } else if (before == State.HEAD && heads.isPartial()) {
      stream.leftInHead(heads.length(), timedOut);
    }
  }

  @Override
  protected void breakOff(boolean timedOut) {
    if (state == State.TUNNEL) {
      stream.breakTunnel(timedOut);
      return;
    }
    if (state == State.EXCHANGE && stream.takeFlushDue()) {
      channel().flush();
    }
    if (state == State.EXCHANGE) {
      resetOnClose();
    }
    clientGone(timedOut);
    channel().close();
  }

  private void closeNow() {
    state = State.CLOSED;
    channel().close();
  }

  private void close(boolean linger) {
    input.release();
    if (linger && !inputShut && channel() instanceof DuplexChannel) {
      state = State.LINGERING;
      discardedBytes = 0;
      clients.timer().arm(readTimeout, LINGER_MILLIS);
      TlsEnd.shutdownOutput(channel());
      readMore();
    } else {
      closeNow();
    }
  }

  /**
   * {@inheritDoc} An idle client sees a FIN, and no reset if its next request crosses it. The first
   * request of a new connection is very likely on its way: the connection waits for it.
   */
  @Override
  protected void drain() {
    if (state != State.HEAD || heads.isPartial() || !input.isEmpty()) {
      return;
    }
    if (served == 0) {
      clients.timer().arm(readTimeout, LINGER_MILLIS);
    } else {
      close(true);
    }
  }

  @Override
  protected boolean tunnels() {
    return state == State.TUNNEL;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof OutOfMemoryError noMemory) {
      stream.outOfMemory(noMemory, "the connection");
    } else {
      noteFailure(cause, "the connection");
    }
    breakOff(false);
  }

  private void readTimedOut() {
    if (state == State.HEAD && heads.isPartial()) {
      boolean tooSlow = heads.isTooSlow();
      stream.headTimedOut(heads.drop(), tooSlow);
    } else {
      closeNow();
    }
  }

  // ---- reading

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    readPending = false;
    ByteBuf in = (ByteBuf) message;
    switch (state) {
      case HEAD -> {
        keep(in);
        serve();
      }
      case EXCHANGE -> {
        stream.contentMoved(in.readableBytes());
        keep(in);
        stream.inputArrived();
        serve();
      }
      case DRAINING -> {
        keep(in);
        dropContent();
        serve();
      }
      case LINGERING -> {
        discardedBytes += in.readableBytes();
        in.release();
        if (discardedBytes > LINGER_LIMIT_BYTES) {
          closeNow();
        }
      }
      default -> {
        in.release();
      }
    }
  }

  private void keep(ByteBuf in) {
    input.add(in, channel().alloc());
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    readMore();
  }

  /** Asks for one read, if nothing is left of the last one. */
  void readMore() {
    input.charge();
    if (!readPending
        && input.isEmpty()
        && !inputShut
        && state != State.CLOSED
        && state != State.TUNNEL) {
      readPending = true;
      context().read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event != ChannelInputShutdownEvent.INSTANCE) {
      return;
    }
    inputShut = true;
    switch (state) {
      case HEAD -> {
        endOfInput();
      }
      case EXCHANGE -> {
        stream.inputEnds();
        expectLeaving();
      }
      case DRAINING, LINGERING -> {
        closeNow();
      }
      default -> {}
    }
  }

  /**
   * A FIN may mean that the client is gone or that it only sends no more. With {@code
   * half_closed_clients off} it gets {@value #LEAVING_MILLIS} ms without progress of its response.
   */
  private void expectLeaving() {
    if (state == State.EXCHANGE && !stream.terms().settings().halfClosedClients) {
      if (leaving == null) {
        leaving = new Leaving();
      }
      clients.timer().arm(leaving, LEAVING_MILLIS);
    }
  }

  /** No further request can arrive on this idle connection. */
  private void endOfInput() {
    clientGone(false);
    closeNow();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel().isWritable()) {
      stream.socketWritable();
    }
  }

  // ---- from one request to the next

  /** Answers the requests at hand, one after the other, as long as they are answered at once. */
  private void serve() {
    while (state == State.HEAD && !input.isEmpty()) {
      readHead();
    }
    if (state == State.HEAD && inputShut) {
      endOfInput();
    }
  }

  private void readHead() {
    if (!heads.isPartial()) {
      heads.skipEmptyLines();
      if (input.isEmpty()) {
        return;
      }
      headAtOnce = served > 0;
    }
    heads.read();
    if (headAtOnce && heads.isPartial()) {
      headAtOnce = false;
      acceptNanos = clients.time().nanos();
    }
  }

  /**
   * Earliest time of the first byte of the head at hand, by the monotonic clock. A head that came
   * in one read is parsed within a microsecond: the clock is not read for that.
   */
  long firstByteNanos(long nowNanos) {
    return headAtOnce ? nowNanos : acceptNanos;
  }

  /** The stream's response is written. */
  void finished() {
    served++;
    if (stream.closing()) {
      // unless it announced this itself, the client may be sending its next request (RFC 9112
      // section 9.6)
      close(stream.persistent() || !input.isEmpty() || stream.contentMissing());
    } else if (stream.contentMissing()) {
      state = State.DRAINING;
      discardedBytes = 0;
      clients.timer().arm(readTimeout, LINGER_MILLIS);
      dropContent();
    } else {
      idle();
    }
    if (state != State.CLOSED) {
      readAfterFinish();
    }
  }

  private void readAfterFinish() {
    if (state == State.HEAD && !input.isEmpty()) {
      // harmless if the caller serves the bytes at hand anyway
      stream.resumeLater();
    } else {
      readMore();
    }
  }

  /** Drops unread content, up to a limit, so that the connection can be kept. */
  private void dropContent() {
    RequestContent content = stream.content();
    assert content != null : "some is missing";
    while (!input.isEmpty() && !content.ended()) {
      long before = content.bytesIn();
      ContentSource.Step step = content.next();
      if (step == ContentSource.Step.DATA) {
        content.skip();
      }
      discardedBytes += content.bytesIn() - before;
      if (step == ContentSource.Step.FAILED || discardedBytes > DRAIN_LIMIT_BYTES) {
        close(true);
        return;
      }
    }
    if (content.ended()) {
      idle();
    } else if (inputShut) {
      closeNow();
    }
  }

  private void idle() {
    state = State.HEAD;
    stream.forgetContent();
    expectHead();
    if (inputShut && input.isEmpty()) {
      closeNow();
    } else if (ends() && !clients.sparesIdle() && input.isEmpty()) {
      // its response had begun before: it was not told
      close(true);
    } else {
      clients.timer().arm(readTimeout, clients.settings().idleMillis);
    }
  }

  // ---- requests of the stream

  /** A request is answered from now on. */
  void exchange() {
    state = State.EXCHANGE;
  }

  boolean isExchanging() {
    return state == State.EXCHANGE;
  }

  /** Whether the client sent FIN. */
  boolean isInputShut() {
    return inputShut;
  }

  /** Requests answered so far. */
  int served() {
    return served;
  }

  /** The next reads bring heads. */
  void expectHead() {
    readSize.bytes(HEAD_READ_BYTES);
  }

  /** The next reads bring content. */
  void expectContent(int bufferBytes) {
    readSize.streamBuffer(bufferBytes);
  }

  /** The client took bytes of its response. */
  void responseMoved() {
    if (leaving != null && leaving.armed()) {
      clients.timer().arm(leaving, LEAVING_MILLIS);
    }
  }

  /** An exchange ends. */
  void concluding() {
    clients.counters().clientIdle();
    if (leaving != null) {
      clients.timer().cancel(leaving);
    }
  }

  /** Closes after a truncated response. */
  void closeCut(boolean untilClose) {
    if (untilClose) {
      // a plain close would look like the end of the response
      resetOnClose();
    }
    closeNow();
  }

  /** Continues after postponed work. */
  void resumed() {
    serve();
    readMore();
  }

  // ---- tunnels

  /** Leaves the pipeline; the connection is the tunnel's from now on. */
  ByteStream giveAway(int bufferBytes) {
    state = State.TUNNEL;
    readSize.streamBuffer(bufferBytes);
    ByteBuf early = input.takeAll();
    Channel channel = channel();
    context().pipeline().remove(this);
    channel.closeFuture().addListener(closed -> releaseTunnel());
    return new ChannelByteStream(channel, early);
  }

  /** The bytes that it has given away are decrypted: another connection takes its place. */
  void decrypting() {
    state = State.CLOSED;
  }

  /** The tunnel has ended. */
  void tunnelOver() {
    state = State.CLOSED;
    releaseTunnel();
  }

  /** A tunnel counts as open until its record is written too. */
  private void releaseTunnel() {
    if (state == State.CLOSED && !channel().isOpen()) {
      release();
    }
  }
}
